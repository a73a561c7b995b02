// SPDX-License-Identifier: GPL-2.0-or-later
// oprofiled's command line, its start and its end.
#include "utils/control_daemon.h"

#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <filesystem>
#include <optional>

#include "daemon/command.h"
#include "libop/error.h"
#include "libop/fd.h"
#include "libop/session.h"
#include "libop/text.h"

namespace op::tool {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr const char* daemon_name = "oprofiled";
constexpr seconds start_limit{30}, end_limit{15}, kill_limit{5};

bool becomes_readable(int fd, milliseconds limit) {
    pollfd one{fd, POLLIN, 0};
    int n;
    do
        n = ::poll(&one, 1, static_cast<int>(limit.count()));
    while (n < 0 && errno == EINTR);
    return n > 0;
}

/// The daemon as a process to wait for; none if it cannot be told.
Fd process_of(ControlClient& daemon) {
    const ControlReply status = daemon.ask("status", seconds(5));
    const auto pid = parse_number(status.find("pid").value_or(""));
    if (!pid || *pid == 0 || *pid > INT32_MAX) return {};
    return Fd(static_cast<int>(::syscall(SYS_pidfd_open, static_cast<pid_t>(*pid), 0)));
}

void wait_end(ControlClient& daemon, const Fd& process) {
    const auto has_ended = [&](milliseconds limit) {
        return process ? becomes_readable(process.get(), limit) : daemon.wait_closed(limit);
    };
    if (has_ended(end_limit)) return;
    if (process) ::syscall(SYS_pidfd_send_signal, process.get(), SIGKILL, nullptr, 0);
    if (!process || !has_ended(kill_limit)) throw_system("the daemon does not end", ETIMEDOUT);
}

}  // namespace

std::string session_dir_of(const DaemonSettings& settings, const ControlPaths& paths) {
    return settings.session_dir.empty() ? paths.default_session : settings.session_dir;
}

std::vector<std::string> daemon_words(const std::string& program, const DaemonSettings& settings,
                                      const DaemonSource& source, const ControlPaths& paths,
                                      const std::string& verbose) {
    std::vector<std::string> words = {program,
                                      "--source=" + source.name,
                                      "--events=" + collect::to_daemon_text(source.events),
                                      "--separate=" + to_text(settings.separation),
                                      "--session-dir=" + session_dir_of(settings, paths),
                                      "--control=" + paths.control};
    const auto if_set = [&words](const char* option, const std::string& value) {
        if (!value.empty()) words.push_back(std::string(option) + "=" + value);
    };
    if (settings.vmlinux == vmlinux_none)
        words.push_back("--no-vmlinux");
    else
        if_set("--vmlinux", settings.vmlinux);
    if_set("--kernel-range", settings.kernel_range);
    if_set("--image", settings.image_filter);
    if_set("--callgraph", settings.callgraph ? std::to_string(settings.callgraph) : "");
    if_set("--verbose", verbose);
    if (source.name == "driver") words.push_back("--oprofilefs=" + paths.driver);
    return words;
}

std::string find_daemon() {
    std::error_code error;
    const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
    const std::string beside = error ? "" : (self.parent_path() / daemon_name).string();
    if (!beside.empty() && is_regular_file(beside)) return beside;
    const std::string installed = std::string(OP_SBINDIR) + "/" + daemon_name;
    if (is_regular_file(installed)) return installed;
    throw_usage(std::string(daemon_name) + " is neither beside opcontrol nor in " OP_SBINDIR "; install it");
}

void start_daemon(const std::vector<std::string>& words, const std::string& session_dir) {
    sigset_t mask;
    sigemptyset(&mask);
    collect::Command starter(words, mask);
    starter.release();
    const std::string log = "; see " + session_dir + "/samples/" + daemon_log;
    if (!becomes_readable(starter.wait_fd(), start_limit)) {
        starter.signal(SIGKILL);
        throw_system("the daemon is not ready after 30 seconds" + log, ETIMEDOUT);
    }
    const auto end = starter.poll_end();
    if (!end || !end->normal())
        throw Error(ErrorKind::system, "the daemon could not be started, " + words[0] + " " +
                                           (end ? end->text() : "did not end") + log);
}

void end_daemon(ControlClient& daemon) {
    const Fd process = process_of(daemon);
    const ControlReply reply = daemon.ask("shutdown", end_limit);
    if (!reply.ok()) throw_input("the daemon refuses to end: " + reply.error);
    wait_end(daemon, process);
}

}  // namespace op::tool
