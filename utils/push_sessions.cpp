// SPDX-License-Identifier: GPL-2.0-or-later
// Sends sessions of this machine to the fleet's server. It reads what is on disk, so that nothing is
// added where samples are taken, and a session that could not be sent waits there.
#include "utils/push_sessions.h"

#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "fleet/push.h"
#include "fleet/schema.h"
#include "libop/base/clock.h"
#include "libop/base/counted.h"
#include "libop/base/directory.h"
#include "libop/base/error.h"
#include "libop/base/path.h"
#include "libop/base/text.h"
#include "libop/session/rotated_sessions.h"
#include "libop/session/session.h"
#include "libop/session/session_files.h"

namespace op::tool {
namespace {

/// True if a current session has samples or an account of some: it is made before anything is recorded.
bool has_content(const Fd& samples, const std::string& label, Diagnostics& notes) {
    const Fd dir = open_at(samples, current_session, O_RDONLY | O_DIRECTORY);
    if (!dir && errno == ENOENT) return false;
    if (!dir) throw_system("cannot open " + printable(label));
    if (!holds_only_leavings(dir, label)) return true;
    const auto info = read_manifest(dir, label, notes);
    return info && info->ledger.sampled() > 0;
}

/// The sessions to push: those named, else rotated ones that are not marked, and the current one.
std::vector<std::string> chosen_sessions(const std::vector<std::string>& words, const std::string& samples,
                                         Diagnostics& notes) {
    if (!words.empty()) return words;
    std::vector<std::string> names;
    const Fd dir = open_file(samples, O_RDONLY | O_DIRECTORY);
    for (const RotatedSession& session : list_rotated(dir, samples, notes))
        if (!session.is_pushed) names.push_back(session.name);
    if (has_content(dir, samples + "/" + current_session, notes)) names.emplace_back(current_session);
    return names;
}

class Push {
public:
    Push(Tool& tool, const SessionPush& o, fleet::Server& server)
        : tool_(tool),
          server_(server),
          session_dir_(real_path(o.session_dir)),
          options_{.session_dir = session_dir_,
                   .host = o.host,
                   .hashes_host = o.hashes_host,
                   .drops_command = o.drops_command,
                   .leaves_out_files = o.leaves_out_files} {
        settings_.wait_seconds = o.wait.value_or(settings_.wait_seconds);
        settings_.wait = [this](uint64_t seconds, const std::string& reason) {
            write_stderr(tool_.name + ": " + reason + "; again in " + std::to_string(seconds) + " s\n");
            std::this_thread::sleep_for(std::chrono::seconds(seconds));
        };
    }

    /// Checks that the server is there and has the tables.
    void begin() {
        server_.set_patience(patience_of(settings_, server_.url().base()));
        fleet::check_schema(server_);
        warn_of_clock();
    }

    void push(const std::string& name) {
        const SessionReader session(session_dir_ + "/samples/" + name);
        const bool is_current = name == current_session;
        fleet::SliceOptions options = options_;
        options.is_recorded = is_current && is_session_in_use(session_dir_);
        const fleet::Slice slice = read_slice(session, name, options, epoch_seconds(), tool_.notes);
        fleet::PushLedger ledger(session.directory(), session.path(),
                                 server_.url().base() + server_.url().database, slice.id, tool_.notes);
        const fleet::Pushed pushed = push_slice(server_, slice, settings_, ledger);
        report(name, slice, pushed);
        if (is_current) return;
        mark_pushed(session.directory(), session.path());
        ledger.close();
    }

private:
    static void report(const std::string& name, const fleet::Slice& slice, const fleet::Pushed& pushed) {
        const std::string check = pushed.is_verified ? "verified" : "not verified";
        write_stdout(printable(name) + ": " + counted(pushed.rows, "row") + " pushed in " +
                     counted(pushed.bytes, "byte") +
                     (pushed.known > 0 ? ", " + std::to_string(pushed.known) + " there already" : "") +
                     (slice.is_sealed ? ", " + check : "") + "\n");
        if (slice.is_sealed && !pushed.is_verified)
            throw_input("session " + printable(name) +
                        ": the server's sums are not those of the session; it is kept, push it again");
    }

    void warn_of_clock() {
        constexpr int64_t tolerable = 5;
        const int64_t ahead = server_.clock_ahead().value_or(0);
        if (ahead > tolerable || ahead < -tolerable)
            tool_.notes.warn("this machine's clock is " + std::to_string(ahead) +
                             " s ahead of the server's; days may be the wrong ones");
    }

    Tool& tool_;
    fleet::Server& server_;
    std::string session_dir_;
    fleet::SliceOptions options_;
    fleet::PushSettings settings_;
};

/// One pusher of a directory at a time. Two would do no harm, but twice the work.
Fd lock_samples(const std::string& samples) {
    Fd dir = open_file(samples, O_RDONLY | O_DIRECTORY);
    if (::flock(dir.get(), LOCK_EX | LOCK_NB) == 0) return dir;
    if (errno != EWOULDBLOCK) throw_system("cannot lock " + printable(samples));
    throw_usage(printable(samples) + " is being pushed by another oppush");
}

}  // namespace

int push_sessions(Tool& tool, const SessionPush& o) {
    for (const std::string& name : o.sessions)
        check_session_name(name);
    fleet::Server server = o.connection.server();
    const std::string samples = o.session_dir + "/samples";
    const Fd lock = lock_samples(samples);
    const auto names = chosen_sessions(o.sessions, samples, tool.notes);
    Push push(tool, o, server);
    push.begin();
    bool is_good = true;
    for (const std::string& name : names)
        is_good &= tool.attempt([&] { push.push(name); });
    return is_good ? 0 : 1;
}

}  // namespace op::tool
