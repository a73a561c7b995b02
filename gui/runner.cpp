// SPDX-License-Identifier: GPL-2.0-or-later
// QProcess with a queue.
#include "gui/runner.h"

#include <signal.h>
#include <unistd.h>

#include <QCoreApplication>
#include <QFileInfo>
#include <QStandardPaths>
#include <utility>

namespace op::gui {
namespace {

constexpr int milliseconds_to_end = 3000;
/// What is kept of a command's output for its `then`; a list of events is far below it.
constexpr qsizetype most_kept = qsizetype{64} << 20;

}  // namespace

Runner::Runner(Log log, Changed changed) : log_(std::move(log)), changed_(std::move(changed)) {
    process_.setStandardInputFile(QProcess::nullDevice());
    QObject::connect(&process_, &QProcess::readyReadStandardOutput, [this] { log_output(); });
    QObject::connect(&process_, &QProcess::readyReadStandardError,
                     [this] { log_(QString::fromUtf8(process_.readAllStandardError())); });
    QObject::connect(&process_, &QProcess::finished, [this](int code, QProcess::ExitStatus status) {
        if (status == QProcess::CrashExit)
            log_(QStringLiteral("%1 was ended by a signal\n").arg(QString::fromStdString(running_.program)));
        finish(code == 0 && status == QProcess::NormalExit);
    });
    QObject::connect(&process_, &QProcess::errorOccurred, [this](QProcess::ProcessError error) {
        if (error != QProcess::FailedToStart) return;
        log_(QStringLiteral("%1 cannot be started: %2\n").arg(process_.program(), process_.errorString()));
        finish(false);
    });
}

Runner::~Runner() {
    waiting_.clear();
    process_.disconnect();
    if (process_.state() == QProcess::NotRunning) return;
    interrupt();
    if (!process_.waitForFinished(milliseconds_to_end)) process_.kill();
    process_.waitForFinished(milliseconds_to_end);
}

void Runner::run(Command command) {
    waiting_.push_back(std::move(command));
    if (process_.state() == QProcess::NotRunning) start_next();
}

void Runner::interrupt() {
    if (const qint64 pid = process_.processId(); pid > 0) ::kill(static_cast<pid_t>(pid), SIGINT);
}

Arguments Runner::words_of(const Command& command) const {
    Arguments words{find_program(command.program)};
    if (command.needs_root && ::geteuid() != 0) words.insert(words.begin(), "pkexec");
    words.insert(words.end(), command.arguments.begin(), command.arguments.end());
    return words;
}

std::string Runner::find_program(const std::string& name) {
    const QString beside = QCoreApplication::applicationDirPath() + u'/' + QString::fromStdString(name);
    if (QFileInfo(beside).isExecutable()) return beside.toStdString();
    const QString found = QStandardPaths::findExecutable(QString::fromStdString(name));
    return found.isEmpty() ? name : found.toStdString();
}

void Runner::start_next() {
    if (waiting_.empty()) return changed_();
    running_ = std::move(waiting_.front());
    waiting_.pop_front();
    kept_.clear();
    const Arguments words = words_of(running_);
    if (words.front() == "pkexec" && QStandardPaths::findExecutable(QStringLiteral("pkexec")).isEmpty()) {
        log_(QStringLiteral("%1 needs root: install pkexec, or run oprof_start as root\n")
                 .arg(QString::fromStdString(running_.program)));
        return finish(false);
    }
    QStringList arguments;
    for (size_t i = 1; i < words.size(); ++i)
        arguments.append(QString::fromStdString(words[i]));
    process_.start(QString::fromStdString(words.front()), arguments);
    changed_();
}

void Runner::log_output() {
    const QByteArray output = process_.readAllStandardOutput();
    if (!running_.keeps_output) return log_(QString::fromUtf8(output));
    if (kept_.size() + output.size() <= most_kept) kept_ += output;
}

void Runner::finish(bool has_succeeded) {
    const Command ended = std::exchange(running_, {});
    if (ended.then) ended.then(has_succeeded, std::exchange(kept_, {}));
    start_next();
}

}  // namespace op::gui
