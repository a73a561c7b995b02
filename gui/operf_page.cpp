// SPDX-License-Identifier: GPL-2.0-or-later
// The command is split into words as QProcess does it: quotes keep blanks, nothing else is special.
#include "gui/operf_page.h"

#include <QCheckBox>
#include <QFileDialog>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QProcess>
#include <QPushButton>
#include <QRadioButton>
#include <QSpinBox>
#include <utility>

namespace op::gui {
namespace {

constexpr int greatest_pid = 1 << 22;  ///< proc(5), /proc/sys/kernel/pid_max

QLineEdit* new_line(const char* name, const char* hint) {
    auto* const line = new QLineEdit;
    line->setObjectName(QLatin1String(name));
    line->setPlaceholderText(QLatin1String(hint));
    return line;
}

QCheckBox* add_check(QFormLayout* form, const char* label, const char* name) {
    auto* const box = new QCheckBox(QLatin1String(label));
    box->setObjectName(QLatin1String(name));
    form->addRow(box);
    return box;
}

QRadioButton* new_choice(const char* label, const char* name) {
    auto* const button = new QRadioButton(QLatin1String(label));
    button->setObjectName(QLatin1String(name));
    return button;
}

}  // namespace

OperfPage::OperfPage(Actions actions) {
    auto* const form = new QFormLayout(this);
    of_command_ = new_choice("Command", "of command");
    of_process_ = new_choice("Process id", "of process");
    of_system_ = new_choice("Whole system", "of system");
    command_ = new_line("command", "./program its arguments");
    process_ = new QSpinBox;
    process_->setObjectName(QStringLiteral("process"));
    process_->setRange(0, greatest_pid);
    form->addRow(of_command_, command_);
    form->addRow(of_process_, process_);
    form->addRow(of_system_);
    events_ = new_line("operf events", "the default event, or NAME:COUNT,...");
    form->addRow(QStringLiteral("Events"), events_);
    auto* const directory_row = new QHBoxLayout;
    session_dir_ = new_line("operf session", "oprofile_data, in the directory of this program's start");
    auto* const browse = new QPushButton(QStringLiteral("..."));
    directory_row->addWidget(session_dir_);
    directory_row->addWidget(browse);
    form->addRow(QStringLiteral("Session directory"), directory_row);
    callgraph_ = add_check(form, "Call stacks", "operf callgraph");
    per_thread_ = add_check(form, "Per-thread profiles", "operf per thread");
    per_cpu_ = add_check(form, "Per-CPU profiles", "operf per cpu");
    append_ = add_check(form, "Add to the last profile", "operf append");
    auto* const buttons = new QHBoxLayout;
    run_ = new QPushButton(QStringLiteral("Run"));
    run_->setObjectName(QStringLiteral("operf run"));
    stop_ = new QPushButton(QStringLiteral("Stop"));
    stop_->setObjectName(QStringLiteral("operf stop"));
    buttons->addWidget(run_);
    buttons->addWidget(stop_);
    buttons->addStretch();
    form->addRow(buttons);

    of_command_->setChecked(true);
    callgraph_->setChecked(true);
    const auto changed = [this, then = actions.changed] {
        show_faults();
        then();
    };
    for (const QLineEdit* const line : {command_, events_, session_dir_})
        connect(line, &QLineEdit::textChanged, changed);
    connect(process_, &QSpinBox::valueChanged, changed);
    for (const QAbstractButton* const button :
         {static_cast<QAbstractButton*>(of_command_), static_cast<QAbstractButton*>(of_process_),
          static_cast<QAbstractButton*>(of_system_), static_cast<QAbstractButton*>(callgraph_),
          static_cast<QAbstractButton*>(per_thread_), static_cast<QAbstractButton*>(per_cpu_),
          static_cast<QAbstractButton*>(append_)})
        connect(button, &QAbstractButton::toggled, changed);
    connect(browse, &QPushButton::clicked, [this] { choose_directory(); });
    connect(run_, &QPushButton::clicked, actions.run);
    connect(stop_, &QPushButton::clicked, actions.stop);
    show_faults();
}

OperfRun OperfPage::chosen() const {
    using Target = OperfRun::Target;
    OperfRun run;
    run.target = of_process_->isChecked()  ? Target::process
                 : of_system_->isChecked() ? Target::system
                                           : Target::command;
    for (const QString& word : QProcess::splitCommand(command_->text()))
        run.command.push_back(word.toStdString());
    run.process = static_cast<uint64_t>(process_->value());
    run.events = events_->text().trimmed().toStdString();
    run.session_dir = session_dir_->text().toStdString();
    run.callgraph = callgraph_->isChecked();
    run.per_thread = per_thread_->isChecked();
    run.per_cpu = per_cpu_->isChecked();
    run.append = append_->isChecked();
    return run;
}

QString OperfPage::session_dir() const {
    return session_dir_->text();
}

void OperfPage::show_running(bool is_running) {
    is_running_ = is_running;
    show_faults();
}

void OperfPage::show_faults() {
    const QString fault = QString::fromStdString(fault_of(chosen()));
    command_->setEnabled(of_command_->isChecked());
    process_->setEnabled(of_process_->isChecked());
    run_->setEnabled(!is_running_ && fault.isEmpty());
    run_->setToolTip(fault);
    stop_->setEnabled(is_running_);
}

void OperfPage::choose_directory() {
    const QString chosen =
        QFileDialog::getExistingDirectory(this, QStringLiteral("Session directory"), session_dir_->text());
    if (!chosen.isEmpty()) session_dir_->setText(chosen);
}

}  // namespace op::gui
