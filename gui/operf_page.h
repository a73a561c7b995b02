// SPDX-License-Identifier: GPL-2.0-or-later
// The tab operf: profiles one program, one process or the system without the daemon.
#pragma once

#include <QWidget>
#include <functional>

#include "gui/command_line.h"

class QCheckBox;
class QLineEdit;
class QPushButton;
class QRadioButton;
class QSpinBox;

namespace op::gui {

class OperfPage : public QWidget {
public:
    /// The window's part: `changed` shows the command, `run` starts it, `stop` ends it.
    struct Actions {
        std::function<void()> changed, run, stop;
    };
    explicit OperfPage(Actions actions);

    OperfRun chosen() const;
    /// Enables Run or Stop.
    void show_running(bool is_running);
    QString session_dir() const;

private:
    void choose_directory();
    void show_faults();

    QRadioButton *of_command_, *of_process_, *of_system_;
    QLineEdit *command_, *events_, *session_dir_;
    QSpinBox* process_;
    QCheckBox *callgraph_, *per_thread_, *per_cpu_, *append_;
    QPushButton *run_, *stop_;
    bool is_running_ = false;
};

}  // namespace op::gui
