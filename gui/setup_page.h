// SPDX-License-Identifier: GPL-2.0-or-later
// The tab Setup: the events to count, each with its count, modes and unit mask.
#pragma once

#include <QWidget>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "gui/command_line.h"
#include "gui/event_list.h"

class QCheckBox;
class QGridLayout;
class QGroupBox;
class QLabel;
class QLineEdit;
class QTreeWidget;
class QTreeWidgetItem;

namespace op::gui {

class SetupPage : public QWidget {
public:
    /// `changed` is called whenever chosen_events() may have changed.
    explicit SetupPage(std::function<void()> changed);

    /// The events that can be chosen; those chosen before stay chosen where they are among them.
    void set_events(std::vector<ListedEvent> events);
    /// Chooses events by their specifications, "NAME:COUNT:UNITMASK:KERNEL:USER"; unknown ones are left out.
    void choose(const std::vector<std::string>& specifications);

    std::vector<ChosenEvent> chosen_events() const;

private:
    /// What was set for an event, chosen or not.
    struct Setting {
        bool is_chosen = false, kernel = true, user = true;
        uint64_t count = 0;
        std::vector<std::string> masks;  ///< words; empty = the default
    };

    QLayout* build_list();
    QLayout* build_details();
    void fill_list();
    void filter(const QString& words);
    void show_event();
    void show_masks(const ListedEvent& event, const Setting& setting);
    void take_details();
    void take_check(QTreeWidgetItem* item);
    void mark_conflicts();
    const ListedEvent* shown() const;
    std::vector<const ListedEvent*> chosen() const;
    static std::string mask_text(const ListedEvent& event, const Setting& setting);

    std::function<void()> changed_;
    std::vector<ListedEvent> events_;
    std::map<std::string, Setting> settings_;  ///< by name
    bool is_filling_ = false;                  ///< the controls are being set, not used

    QLineEdit* search_;
    QTreeWidget* list_;
    QCheckBox *kernel_, *user_;
    QLineEdit* count_;
    QGroupBox* mask_group_;
    QGridLayout* mask_grid_;
    QLabel* help_;
};

}  // namespace op::gui
