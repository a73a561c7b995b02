// SPDX-License-Identifier: GPL-2.0-or-later
// Runs commands one at a time beside the window, without a shell.
#pragma once

#include <QByteArray>
#include <QProcess>
#include <QString>
#include <deque>
#include <functional>
#include <string>

#include "gui/command_line.h"

namespace op::gui {

/// A command, and what follows it.
struct Command {
    std::string program;
    Arguments arguments;
    bool needs_root = false;  ///< runs through pkexec(1) unless the user is root
    /// Called at its end with its standard output if that was asked for, else with nothing.
    std::function<void(bool has_succeeded, const QByteArray& output)> then = {};
    bool keeps_output = false;  ///< standard output is for `then`, not for the log
};

/// Runs what it is given in order. Destroying it ends the command that runs, by SIGINT first.
class Runner {
public:
    /// Takes what commands print, and one line on each that could not be started or ended badly.
    using Log = std::function<void(const QString& text)>;
    /// Called whenever a command begins or all have ended.
    using Changed = std::function<void()>;

    Runner(Log log, Changed changed);
    Runner(const Runner&) = delete;
    Runner& operator=(const Runner&) = delete;
    ~Runner();

    void run(Command command);
    bool is_busy() const { return process_.state() != QProcess::NotRunning || !waiting_.empty(); }
    /// Sends SIGINT, as Ctrl-C does, to the command that runs.
    void interrupt();

    /// The words that run() starts for a command, program first.
    Arguments words_of(const Command& command) const;
    /// Where a command of this project is: beside this program, else as found along PATH.
    static std::string find_program(const std::string& name);

private:
    void start_next();
    void log_output();
    void finish(bool has_succeeded);

    Log log_;
    Changed changed_;
    QProcess process_;
    std::deque<Command> waiting_;
    Command running_;
    QByteArray kept_;
};

}  // namespace op::gui
