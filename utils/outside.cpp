// SPDX-License-Identifier: GPL-2.0-or-later
// Requests to the helper begin with a letter: an executable or a debug file by its build-id, a result to
// write or to show.
#include "utils/outside.h"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <utility>

#include "libop/base/error.h"
#include "libop/base/text.h"
#include "utils/debuginfod.h"
#include "utils/shared/daily_note.h"
#include "utils/shared/ignored_signal.h"
#include "utils/shared/sandbox.h"
#include "utils/shared/terminal.h"
#include "utils/shared/tree_writer.h"

namespace op::tool {

namespace {

// The requests.
constexpr char for_executable = 'e', for_debug_file = 'd', to_write = 'w', to_show = 's', to_remove = 'r';
constexpr const char* incomplete_stamp = "sandbox-incomplete";

void note_missing_parts(Diagnostics& notes) {
    const std::string missing = missing_sandbox_parts();
    if (!missing.empty() && is_due(stamp_place(), incomplete_stamp, today()))
        notes.warn("the sandbox is incomplete on this machine: " + missing);
}

}  // namespace

/// Fetches through the helper. A reply is the path, empty if nothing was found, and the notes, each after a
/// NUL.
class Outside::Fetcher final : public pp::BuildIdSource {
public:
    Fetcher(Helper& helper, Diagnostics& notes) : helper_(helper), notes_(notes) {}

    std::optional<std::string> executable(const std::string& build_id) override {
        return fetch(for_executable, build_id);
    }
    std::optional<std::string> debug_file(const std::string& build_id) override {
        return fetch(for_debug_file, build_id);
    }

private:
    std::optional<std::string> fetch(char what, const std::string& build_id) {
        const std::string reply = helper_.ask(what + build_id);
        const auto parts = split(reply, '\0');
        for (size_t i = 1; i < parts.size(); ++i)
            notes_.warn(std::string(parts[i]));
        return parts.empty() || parts.front().empty() ? std::nullopt
                                                      : std::optional<std::string>(parts.front());
    }

    Helper& helper_;
    Diagnostics& notes_;
};

Outside::Outside(const CommonOptions& options, const OutsidePlan& plan, Tool& tool)
    : output_file_(plan.output_file), show_(plan.show) {
    for (const auto& words : plan.profiles)
        flush_daemon_of(options, words);
    fetcher_ = open_debuginfod(options.debuginfod, options.no_sandbox ? tool.notes : fetch_notes_);
    if (options.no_sandbox) return;
    SandboxNeeds needs;
    needs.runs_programs = plan.runs_programs;
    if (!plan.output_dir.empty()) {
        make_directory(plan.output_dir);
        needs.writable_dirs.push_back(plan.output_dir);
    }
    start_helper(tool.notes);
    note_missing_parts(tool.notes);
    enter_sandbox(needs, tool.notes);
}

Outside::~Outside() {
    if (made_dirs_.empty() || !helper_) return;
    try {
        helper_->ask(std::string(1, to_remove));
    } catch (const Error&) {
        // What it does not remove is an empty directory.
    }
}

void Outside::make_directory(const std::string& path) {
    namespace fs = std::filesystem;
    std::error_code error;
    for (fs::path dir = path; !dir.empty() && !fs::exists(dir, error); dir = dir.parent_path())
        made_dirs_.push_back(dir);
    const TreeWriter makes_it(path);
}

void Outside::start_helper(Diagnostics& notes) {
    if (!fetcher_ && made_dirs_.empty() && !is_output_outside()) return;
    helper_.emplace([this](std::string_view request) { return answer(request); });
    if (fetcher_) fetcher_ = std::make_unique<Fetcher>(*helper_, notes);
}

/// True if the result goes to a file or a pager, not to a standard output that is open.
bool Outside::is_output_outside() const {
    if (!output_file_.empty()) return output_file_ != standard_output;
    return show_ && !show_->no_pager && is_terminal(STDOUT_FILENO);
}

/// In the helper, which has the state of this object from before the sandbox.
std::string Outside::answer(std::string_view request) {
    const char what = request.empty() ? '\0' : request.front();
    const std::string_view content = request.substr(std::min<size_t>(1, request.size()));
    if (what == to_write) write_output(output_file_, content);
    if (what == to_show) show_output(show_.value_or(ShowOptions{}), output_file_, content);
    if (what == to_remove)
        for (const std::string& dir : made_dirs_)
            ::rmdir(dir.c_str());
    if (!fetcher_ || (what != for_executable && what != for_debug_file)) return "";
    const std::string build_id(content);
    std::string reply =
        (what == for_executable ? fetcher_->executable(build_id) : fetcher_->debug_file(build_id))
            .value_or("");
    for (const std::string& note : fetch_notes_.take())
        reply += '\0' + note;
    return reply;
}

void Outside::write(std::string_view bytes) {
    if (!helper_ || !is_output_outside()) return write_output(output_file_, bytes);
    helper_->ask(to_write + std::string(bytes));
}

void Outside::show(std::string_view text) {
    if (!helper_ || !is_output_outside())
        return show_output(show_.value_or(ShowOptions{}), output_file_, text);
    const IgnoredSignal no_interrupt(SIGINT);  // a pager's user may press Ctrl-C
    helper_->ask(to_show + std::string(text));
}

}  // namespace op::tool
