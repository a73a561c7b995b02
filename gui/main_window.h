// SPDX-License-Identifier: GPL-2.0-or-later
// The window: its tabs, the daemon's state, and the commands that its buttons run.
#pragma once

#include <QMainWindow>
#include <QTemporaryDir>
#include <QTimer>
#include <functional>
#include <memory>
#include <string>

#include "gui/daemon_watch.h"
#include "gui/runner.h"

class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QPushButton;
class QTabWidget;

namespace op::gui {

class ConfigurationPage;
class OperfPage;
class SessionsPage;
class SetupPage;

struct WindowOptions {
    /// As opcontrol's option of that name: files below it take the place of the machine's, and no command
    /// needs root. Empty = the machine's own.
    std::string root_dir;
    /// Asks the user; tests answer in his place.
    std::function<bool(const QString& question)> confirm;
    std::function<QString(const QString& question)> ask_name;
    /// Shows a file to the user.
    std::function<void(const QString& path)> open_file;
};

/// Options with dialogs, and the desktop's browser for files.
WindowOptions usual_options(QWidget* parent);

class MainWindow : public QMainWindow {
public:
    explicit MainWindow(WindowOptions options);
    ~MainWindow() override;

private:
    void build();
    QWidget* build_buttons();
    void load_settings();
    void load_events();
    Command control(Arguments arguments) const;
    void show_preview();
    void show_state(const DaemonState& state);
    void show_busy();
    void log(const QString& text);
    void report_fault(const std::string& fault);

    void start();
    void flush();
    void stop();
    void reset();
    void save_and_quit();
    std::vector<std::string> start_words() const;
    void run_operf();
    void show_report(const std::string& session);
    void show_page(const std::string& session);
    std::string daemon_session_dir() const;
    void save_session(const std::string& session);
    void remove_session(const std::string& session);

    WindowOptions options_;
    SetupPage* setup_ = nullptr;
    ConfigurationPage* configuration_ = nullptr;
    OperfPage* operf_ = nullptr;
    SessionsPage* sessions_ = nullptr;
    QTabWidget* tabs_ = nullptr;
    QLabel* status_ = nullptr;
    QPlainTextEdit* preview_ = nullptr;
    QPlainTextEdit* output_ = nullptr;
    QPushButton *start_ = nullptr, *flush_ = nullptr, *stop_ = nullptr, *reset_ = nullptr, *save_ = nullptr;

    QTemporaryDir pages_;  ///< the HTML pages that were opened
    DaemonState state_;
    double rate_ = 0;  ///< samples a second between the last two states of one run
    std::unique_ptr<Runner> control_runner_, operf_runner_;
    std::unique_ptr<DaemonWatch> watch_;
    QTimer timer_;
};

}  // namespace op::gui
