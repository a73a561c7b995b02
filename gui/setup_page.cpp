// SPDX-License-Identifier: GPL-2.0-or-later
// The list is on the left, the details of its current event on the right.
#include "gui/setup_page.h"

#include <QCheckBox>
#include <QFormLayout>
#include <QGridLayout>
#include <QGroupBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QRadioButton>
#include <QTreeWidget>
#include <QValidator>
#include <algorithm>
#include <utility>

#include "libop/base/nearest.h"
#include "libop/base/text.h"
#include "libop/events/event_spec.h"

namespace op::gui {
namespace {

constexpr int mask_columns = 2;
enum Column { event_column, mark_column, description_column };

QString text(const std::string& utf8) {
    return QString::fromStdString(utf8);
}

/// True if a mask is one of the words, or part of a union of bits that is one.
bool is_among(const ListedMask& mask, const std::vector<std::string>& words) {
    return std::ranges::any_of(words, [&](const std::string& word) {
        if (word == mask.word) return true;
        const auto bits = word.starts_with("0x") ? parse_number(word.substr(2), 16) : std::nullopt;
        return bits && mask.value != 0 && (*bits & mask.value) == mask.value;
    });
}

/// A whole number in a line that may be empty.
QValidator* number_validator(QObject* owner) {
    return new QRegularExpressionValidator(QRegularExpression(QStringLiteral("[0-9]{0,10}")), owner);
}

}  // namespace

SetupPage::SetupPage(std::function<void()> changed) : changed_(std::move(changed)) {
    auto* const rows = new QVBoxLayout(this);
    auto* const halves = new QHBoxLayout;
    halves->addLayout(build_list(), 3);
    halves->addLayout(build_details(), 2);
    rows->addLayout(halves);
    help_ = new QLabel;
    help_->setObjectName(QStringLiteral("help"));
    help_->setWordWrap(true);
    rows->addWidget(help_);

    connect(search_, &QLineEdit::textChanged, [this](const QString& words) { filter(words); });
    connect(list_, &QTreeWidget::currentItemChanged, [this] { show_event(); });
    connect(list_, &QTreeWidget::itemChanged, [this](QTreeWidgetItem* item) { take_check(item); });
    connect(count_, &QLineEdit::textChanged, [this] { take_details(); });
    connect(kernel_, &QCheckBox::toggled, [this] { take_details(); });
    connect(user_, &QCheckBox::toggled, [this] { take_details(); });
    show_event();
}

QLayout* SetupPage::build_list() {
    auto* const rows = new QVBoxLayout;
    search_ = new QLineEdit;
    search_->setObjectName(QStringLiteral("search"));
    search_->setPlaceholderText(QStringLiteral("Search events"));
    search_->setClearButtonEnabled(true);
    list_ = new QTreeWidget;
    list_->setObjectName(QStringLiteral("events"));
    list_->setHeaderLabels(
        {QStringLiteral("Events"), QStringLiteral("Counter"), QStringLiteral("Description")});
    list_->setRootIsDecorated(false);
    list_->setUniformRowHeights(true);
    rows->addWidget(search_);
    rows->addWidget(list_);
    return rows;
}

QLayout* SetupPage::build_details() {
    auto* const rows = new QVBoxLayout;
    auto* const form = new QFormLayout;
    count_ = new QLineEdit;
    count_->setObjectName(QStringLiteral("count"));
    count_->setValidator(number_validator(count_));
    form->addRow(QStringLiteral("Count"), count_);
    kernel_ = new QCheckBox(QStringLiteral("Profile kernel"));
    kernel_->setObjectName(QStringLiteral("kernel"));
    user_ = new QCheckBox(QStringLiteral("Profile user binaries"));
    user_->setObjectName(QStringLiteral("user"));
    form->addRow(kernel_);
    form->addRow(user_);
    rows->addLayout(form);
    mask_group_ = new QGroupBox(QStringLiteral("Unit mask"));
    mask_grid_ = new QGridLayout(mask_group_);
    rows->addWidget(mask_group_);
    rows->addStretch();
    return rows;
}

void SetupPage::set_events(std::vector<ListedEvent> events) {
    events_ = std::move(events);
    for (const ListedEvent& event : events_) {
        Setting& setting = settings_[event.name];
        if (setting.count == 0) setting.count = proposed_count(event);
    }
    fill_list();
    show_event();
    mark_conflicts();
    changed_();
}

void SetupPage::choose(const std::vector<std::string>& specifications) {
    for (const std::string& specification : specifications) {
        const EventSpec spec = parse_event_spec(specification);
        Setting& setting = settings_[spec.name];
        setting.is_chosen = true;
        setting.kernel = spec.kernel;
        setting.user = spec.user;
        if (spec.count != 0) setting.count = spec.count;
        if (!spec.unit_mask_name.empty()) setting.masks = {spec.unit_mask_name};
        if (spec.unit_mask) setting.masks = {"0x" + hex(*spec.unit_mask)};
    }
    fill_list();
    show_event();
    mark_conflicts();
    changed_();
}

void SetupPage::fill_list() {
    is_filling_ = true;
    list_->clear();
    for (const ListedEvent& event : events_) {
        auto* const item = new QTreeWidgetItem(list_, {text(event.name), QString(), text(event.description)});
        item->setCheckState(event_column, settings_[event.name].is_chosen ? Qt::Checked : Qt::Unchecked);
        item->setToolTip(description_column, text(event.description));
    }
    list_->resizeColumnToContents(event_column);
    is_filling_ = false;
    if (list_->topLevelItemCount() > 0) list_->setCurrentItem(list_->topLevelItem(0));
    filter(search_->text());
}

/// Without a match, the names that may have been meant are shown.
void SetupPage::filter(const QString& words) {
    const QStringList all = words.split(u' ', Qt::SkipEmptyParts);
    int matches = 0;
    for (int i = 0; i < list_->topLevelItemCount(); ++i) {
        QTreeWidgetItem* const item = list_->topLevelItem(i);
        const QString line = item->text(event_column) + u' ' + item->text(description_column);
        const bool is_match = std::ranges::all_of(
            all, [&](const QString& word) { return line.contains(word, Qt::CaseInsensitive); });
        item->setHidden(!is_match);
        matches += is_match;
    }
    if (matches > 0 || events_.empty()) return;
    std::vector<std::string> names;
    for (const ListedEvent& event : events_)
        names.push_back(event.name);
    const auto near = nearest_names(words.toStdString(), names);
    for (int i = 0; i < list_->topLevelItemCount(); ++i) {
        QTreeWidgetItem* const item = list_->topLevelItem(i);
        item->setHidden(std::ranges::find(near, item->text(event_column).toStdString()) == near.end());
    }
}

const ListedEvent* SetupPage::shown() const {
    QTreeWidgetItem* const item = list_->currentItem();
    if (!item) return nullptr;
    const auto index = static_cast<size_t>(list_->indexOfTopLevelItem(item));
    return index < events_.size() ? &events_[index] : nullptr;
}

void SetupPage::show_event() {
    if (std::exchange(is_filling_, true)) return;
    const ListedEvent* const event = shown();
    for (QWidget* const each :
         {static_cast<QWidget*>(count_), static_cast<QWidget*>(kernel_), static_cast<QWidget*>(user_)})
        each->setEnabled(event != nullptr);
    const Setting setting = event ? settings_[event->name] : Setting();
    count_->setText(event ? QString::number(setting.count) : QString());
    kernel_->setChecked(setting.kernel);
    user_->setChecked(setting.user);
    help_->setText(
        event ? text(event->description + " (smallest count " + std::to_string(event->minimum_count) + ")")
              : QString());
    show_masks(event ? *event : ListedEvent(), setting);
    is_filling_ = false;
}

void SetupPage::show_masks(const ListedEvent& event, const Setting& setting) {
    qDeleteAll(mask_group_->findChildren<QAbstractButton*>(QString(), Qt::FindDirectChildrenOnly));
    mask_group_->setVisible(event.masks.size() > 1);
    if (event.masks.size() <= 1) return;
    const auto default_bits = parse_number(event.default_mask).value_or(0);
    int place = 0;
    for (const ListedMask& mask : event.masks) {
        QAbstractButton* const button = event.is_exclusive
                                            ? static_cast<QAbstractButton*>(new QRadioButton(text(mask.word)))
                                            : new QCheckBox(text(mask.word));
        button->setObjectName(text("mask " + mask.word));
        button->setToolTip(text(mask.description));
        const bool is_default =
            mask.word == event.default_mask ||
            (event.is_exclusive ? mask.value == default_bits && parse_number(event.default_mask).has_value()
                                : mask.value != 0 && (mask.value & default_bits) == mask.value);
        button->setChecked(setting.masks.empty() ? is_default : is_among(mask, setting.masks));
        mask_grid_->addWidget(button, place / mask_columns, place % mask_columns);
        ++place;
        connect(button, &QAbstractButton::toggled, [this] { take_details(); });
    }
}

void SetupPage::take_details() {
    const ListedEvent* const event = shown();
    if (is_filling_ || !event) return;
    Setting& setting = settings_[event->name];
    setting.count = count_->text().toULongLong();
    setting.kernel = kernel_->isChecked();
    setting.user = user_->isChecked();
    setting.masks.clear();
    for (const ListedMask& mask : event->masks) {
        const auto* const button = mask_group_->findChild<QAbstractButton*>(text("mask " + mask.word));
        if (button && button->isChecked()) setting.masks.push_back(mask.word);
    }
    help_->setText(setting.count < event->minimum_count
                       ? QStringLiteral("The count is below the smallest one, %1").arg(event->minimum_count)
                       : text(event->description));
    changed_();
}

void SetupPage::take_check(QTreeWidgetItem* item) {
    if (is_filling_) return;
    settings_[item->text(event_column).toStdString()].is_chosen =
        item->checkState(event_column) == Qt::Checked;
    list_->setCurrentItem(item);
    mark_conflicts();
    changed_();
}

/// A mark and a colour for each event that is not chosen: whether there is a counter left for it.
void SetupPage::mark_conflicts() {
    is_filling_ = true;
    const auto taken = chosen();
    for (int i = 0; i < list_->topLevelItemCount(); ++i) {
        QTreeWidgetItem* const item = list_->topLevelItem(i);
        const ListedEvent& event = events_[static_cast<size_t>(i)];
        const bool is_chosen = settings_[event.name].is_chosen;
        const std::string conflicts = is_chosen ? "" : conflicts_of(event, taken);
        item->setText(mark_column, is_chosen           ? QStringLiteral("chosen")
                                   : conflicts.empty() ? QStringLiteral("free")
                                                       : QStringLiteral("no counter"));
        item->setForeground(mark_column,
                            conflicts.empty() ? QBrush(QColor(0, 110, 60)) : QBrush(QColor(170, 30, 30)));
        const QString why =
            conflicts.empty() ? QString() : text("no counter is left for it beside " + conflicts);
        item->setToolTip(event_column, why);
        item->setToolTip(mark_column, why);
    }
    is_filling_ = false;
}

std::vector<const ListedEvent*> SetupPage::chosen() const {
    std::vector<const ListedEvent*> found;
    for (const ListedEvent& event : events_)
        if (settings_.at(event.name).is_chosen) found.push_back(&event);
    return found;
}

/// The default is left to opcontrol.
std::string SetupPage::mask_text(const ListedEvent& event, const Setting& setting) {
    if (setting.masks.empty() || event.masks.size() <= 1) return {};
    if (setting.masks.size() == 1) return setting.masks.front();
    uint64_t bits = 0;
    for (const ListedMask& mask : event.masks)
        if (std::ranges::count(setting.masks, mask.word) > 0) bits |= mask.value;
    return "0x" + hex(bits);
}

std::vector<ChosenEvent> SetupPage::chosen_events() const {
    std::vector<ChosenEvent> events;
    for (const ListedEvent* const event : chosen()) {
        const Setting& setting = settings_.at(event->name);
        events.push_back(
            {event->name, setting.count, mask_text(*event, setting), setting.kernel, setting.user});
    }
    return events;
}

}  // namespace op::gui
