// SPDX-License-Identifier: GPL-2.0-or-later
// One control a setting, with the names that OProfile's window has.
#include "gui/configuration_page.h"

#include <QCheckBox>
#include <QFileDialog>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <algorithm>
#include <utility>

namespace op::gui {
namespace {

constexpr int largest_buffer = 64 << 20;  ///< words
constexpr int deepest_callgraph = 1024;   ///< opcontrol(1)

QSpinBox* add_number(QFormLayout* form, const char* label, const char* name, int most, const char* unit) {
    auto* const box = new QSpinBox;
    box->setObjectName(QLatin1String(name));
    box->setRange(0, most);
    box->setSuffix(QLatin1String(unit));
    if (most == largest_buffer) box->setSpecialValueText(QStringLiteral("default"));
    form->addRow(QLatin1String(label), box);
    return box;
}

QCheckBox* add_check(QFormLayout* form, const char* label, const char* name) {
    auto* const box = new QCheckBox(QLatin1String(label));
    box->setObjectName(QLatin1String(name));
    form->addRow(box);
    return box;
}

int within(uint64_t value, const QSpinBox* box) {
    return static_cast<int>(std::min<uint64_t>(value, static_cast<uint64_t>(box->maximum())));
}

uint64_t value_of(const QSpinBox* box) {
    return static_cast<uint64_t>(box->value());
}

}  // namespace

ConfigurationPage::ConfigurationPage(std::function<void()> changed) {
    auto* const form = new QFormLayout(this);
    auto* const image_row = new QHBoxLayout;
    image_ = new QLineEdit;
    image_->setObjectName(QStringLiteral("kernel image"));
    auto* const browse = new QPushButton(QStringLiteral("..."));
    image_row->addWidget(image_);
    image_row->addWidget(browse);
    form->addRow(QStringLiteral("Kernel image file"), image_row);
    no_image_ = add_check(form, "No kernel image", "no kernel image");
    buffer_size_ = add_number(form, "Buffer size", "buffer size", largest_buffer, " words");
    watershed_ = add_number(form, "Buffer watershed", "buffer watershed", largest_buffer, " words");
    cpu_buffer_size_ = add_number(form, "Cpu buffer size", "cpu buffer size", largest_buffer, " samples");
    callgraph_ = add_number(form, "callgraph depth, zero to disable", "callgraph depth", deepest_callgraph,
                            " callers");
    verbose_ = add_check(form, "Verbose", "verbose");
    per_application_ = add_check(form, "Per-application profiles", "per application");
    including_kernel_ = add_check(form, "Per-application profiles, including kernel", "including kernel");
    per_cpu_ = add_check(form, "Per-CPU profiles", "per cpu");
    per_thread_ = add_check(form, "Per-thread/task profiles", "per thread");

    connect(browse, &QPushButton::clicked, [this] { choose_image(); });
    connect(no_image_, &QCheckBox::toggled, [this, browse](bool is_on) {
        image_->setEnabled(!is_on);
        browse->setEnabled(!is_on);
    });
    connect(per_application_, &QCheckBox::toggled, including_kernel_, &QCheckBox::setEnabled);
    connect(image_, &QLineEdit::textChanged, changed);
    for (const QSpinBox* const box : {buffer_size_, watershed_, cpu_buffer_size_, callgraph_})
        connect(box, &QSpinBox::valueChanged, changed);
    for (const QCheckBox* const box :
         {no_image_, verbose_, per_application_, including_kernel_, per_cpu_, per_thread_})
        connect(box, &QCheckBox::toggled, changed);
    show({});
}

void ConfigurationPage::show(const DaemonSettings& settings) {
    const bool has_image = !settings.vmlinux.empty() && settings.vmlinux != vmlinux_none;
    image_->setText(has_image ? QString::fromStdString(settings.vmlinux) : QString());
    no_image_->setChecked(!has_image);
    buffer_size_->setValue(within(settings.buffer_size, buffer_size_));
    watershed_->setValue(within(settings.buffer_watershed, watershed_));
    cpu_buffer_size_->setValue(within(settings.cpu_buffer_size, cpu_buffer_size_));
    callgraph_->setValue(within(settings.callgraph, callgraph_));
    per_application_->setChecked(settings.separation.library || settings.separation.kernel);
    including_kernel_->setChecked(settings.separation.kernel);
    including_kernel_->setEnabled(per_application_->isChecked());
    per_cpu_->setChecked(settings.separation.cpu);
    per_thread_->setChecked(settings.separation.thread);
}

ControlSetup ConfigurationPage::setup() const {
    ControlSetup setup;
    if (!no_image_->isChecked()) setup.kernel_image = image_->text().toStdString();
    setup.buffer_size = value_of(buffer_size_);
    setup.buffer_watershed = value_of(watershed_);
    setup.cpu_buffer_size = value_of(cpu_buffer_size_);
    setup.callgraph_depth = value_of(callgraph_);
    setup.is_verbose = verbose_->isChecked();
    setup.per_application = per_application_->isChecked();
    setup.including_kernel = including_kernel_->isChecked();
    setup.per_cpu = per_cpu_->isChecked();
    setup.per_thread = per_thread_->isChecked();
    return setup;
}

void ConfigurationPage::choose_image() {
    const QString file =
        QFileDialog::getOpenFileName(this, QStringLiteral("Kernel image file"), image_->text());
    if (!file.isEmpty()) image_->setText(file);
}

}  // namespace op::gui
