// SPDX-License-Identifier: GPL-2.0-or-later
// oprofiled's command line, its start and its end.
#include "utils/opcontrol/control_daemon.h"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <optional>

#include "daemon/run/child_process.h"
#include "libop/base/deadline.h"
#include "libop/base/error.h"
#include "libop/base/fd.h"
#include "libop/base/kernel_file.h"
#include "libop/base/text.h"
#include "libop/session/session.h"

namespace op::tool {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr const char* daemon_name = "oprofiled";
constexpr seconds start_limit{30}, answer_limit{10}, end_limit{15}, kill_limit{5};

/// True if /proc names that process oprofiled.
bool is_daemon(pid_t pid) {
    return read_kernel_file(proc_path(static_cast<uint32_t>(pid), "comm")) == std::string(daemon_name) + "\n";
}

/// A descriptor of the daemon's process to wait for, even if the daemon does not answer; none if the process
/// is unknown. The name is checked while the descriptor keeps the pid in use, so it is the name of that
/// process.
Fd process_of(const ControlClient& daemon) {
    if (daemon.server() <= 0) return {};
    Fd process(static_cast<int>(::syscall(SYS_pidfd_open, daemon.server(), 0)));
    if (!process || !is_daemon(daemon.server()) || wait_readable(process.get(), Deadline(milliseconds(0))))
        return {};
    return process;
}

void send_signal(const Fd& process, int number) noexcept {
    ::syscall(SYS_pidfd_send_signal, process.get(), number, nullptr, 0);
}

enum class Answer { ends, silent };

/// Asks the daemon to end. One that is gone meanwhile has done what was asked.
Answer ask_to_end(ControlClient& daemon) {
    try {
        const ControlReply reply = daemon.ask("shutdown", answer_limit);
        if (!reply.ok()) throw_input("the daemon refuses to end: " + reply.error);
    } catch (const Error& error) {
        if (error.code() == ETIMEDOUT) return Answer::silent;
        if (error.code() != ECONNRESET && error.code() != EPIPE) throw;
    }
    return Answer::ends;
}

}  // namespace

std::string session_dir_of(const DaemonSettings& settings, const ControlPaths& paths) {
    return settings.session_dir.empty() ? paths.default_session : settings.session_dir;
}

std::vector<std::string> daemon_words(const std::string& program, const DaemonSettings& settings,
                                      const DaemonSource& source, const ControlPaths& paths,
                                      const std::string& verbose) {
    std::vector<std::string> words = {
        program, "--source=" + source.name, "--separate=" + to_text(settings.separation),
        "--session-dir=" + session_dir_of(settings, paths), "--control=" + paths.control};
    const auto if_set = [&words](const char* option, const std::string& value) {
        if (!value.empty()) words.push_back(std::string(option) + "=" + value);
    };
    if_set("--events", source.events);
    if (settings.vmlinux == vmlinux_none)
        words.push_back("--no-vmlinux");
    else
        if_set("--vmlinux", settings.vmlinux);
    if_set("--kernel-range", settings.kernel_range);
    if_set("--image", settings.image_filter);
    if_set("--callgraph", settings.callgraph ? std::to_string(settings.callgraph) : "");
    if (settings.callgraph != 0 && settings.callgraph_files != 0) words.push_back("--callgraph-files");
    if_set("--rotate", settings.rotate);
    if_set("--keep", settings.keep);
    if_set("--max-disk", settings.max_disk);
    if_set("--verbose", verbose);
    words.insert(words.end(), source.words.begin(), source.words.end());
    return words;
}

std::string find_daemon() {
    std::error_code error;
    const auto self = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
    std::vector<std::filesystem::path> places;
    if (!error) places = {self, self.parent_path() / "sbin"};
    places.emplace_back(OP_SBINDIR);
    std::vector<std::string> names;
    for (const auto& place : places) {
        const std::string program = place / daemon_name;
        if (is_regular_file(program)) return program;
        names.push_back(place.string());
    }
    throw_usage(std::string(daemon_name) + " is in none of " + joined(names) + "; install it");
}

std::string log_hint(const std::string& session_dir) {
    const std::string log = session_dir + "/samples/" + daemon_log;
    return is_regular_file(log) ? "; see " + log : "";
}

void start_daemon(const std::vector<std::string>& words, const std::string& session_dir) {
    sigset_t mask;
    sigemptyset(&mask);
    collect::ChildProcess starter(words, mask);
    starter.release();
    const auto log = [&] { return log_hint(session_dir); };
    if (!wait_readable(starter.wait_fd(), Deadline(start_limit))) {
        starter.signal(SIGKILL);
        throw_system("the daemon is not ready after 30 seconds" + log(), ETIMEDOUT);
    }
    const auto end = starter.poll_end();
    if (!end || !end->normal())
        throw Error(ErrorKind::system, "the daemon could not be started, " + words[0] + " " +
                                           (end ? end->text() : "did not end") + log());
}

bool end_daemon(ControlClient& daemon) {
    const Deadline end(end_limit);
    const Fd process = process_of(daemon);
    const Answer answer = ask_to_end(daemon);
    if (answer == Answer::silent && process) send_signal(process, SIGTERM);
    const auto has_ended = [&](milliseconds limit) {
        if (process) return wait_readable(process.get(), Deadline(limit));
        return answer == Answer::ends && daemon.wait_closed(limit);
    };
    if (has_ended(end.left())) return true;
    if (process) send_signal(process, SIGKILL);
    if (!process || !has_ended(kill_limit))
        throw Error(ErrorKind::system,
                    "the daemon" +
                        (daemon.server() > 0 ? ", process " + std::to_string(daemon.server()) + "," : "") +
                        " does not end; wait for the disk it writes to, then try again or kill it",
                    ETIMEDOUT);
    return false;
}

}  // namespace op::tool
