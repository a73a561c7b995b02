// SPDX-License-Identifier: GPL-2.0-or-later
// The tab Sessions: the sessions of a session directory, their reports, saving and deleting.
#pragma once

#include <QWidget>
#include <functional>
#include <string>
#include <vector>

class QLineEdit;
class QPushButton;
class QTreeWidget;

namespace op::gui {

/// A session of a session directory.
struct ListedSession {
    std::string name;
    uint64_t bytes = 0;        ///< of its files
    int64_t changed_time = 0;  ///< seconds since the epoch
};

/// The sessions below DIR/samples by name; no symbolic link is followed. Empty if there are none or they
/// cannot be read.
std::vector<ListedSession> list_sessions(const std::string& session_dir);
/// Deletes one with everything in it. Throws a system or usage error.
void delete_session(const std::string& session_dir, const std::string& name);

class SessionsPage : public QWidget {
public:
    /// The window's part, each with the chosen session's name.
    struct Actions {
        std::function<void(const std::string&)> report, page, save, remove;
    };
    SessionsPage(const std::string& session_dir, Actions actions);

    std::string session_dir() const;
    void set_session_dir(const std::string& session_dir);
    /// Reads the directory again.
    void refresh();

private:
    void choose_directory();
    void show_choice();
    std::string chosen() const;

    QLineEdit* directory_;
    QTreeWidget* list_;
    QPushButton *report_, *page_, *save_, *remove_;
};

}  // namespace op::gui
