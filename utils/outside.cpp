// SPDX-License-Identifier: GPL-2.0-or-later
// Requests to the helper that writes begin with a letter: a result to write or to show, directories to
// remove, a daemon to ask for its samples.
#include "utils/outside.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <utility>

#include "libop/base/error.h"
#include "libop/base/fd.h"
#include "libop/control/control.h"
#include "utils/debuginfod.h"
#include "utils/fetch_helper.h"
#include "utils/shared/ignored_signal.h"
#include "utils/shared/sandbox.h"
#include "utils/shared/terminal.h"
#include "utils/shared/tree_writer.h"

namespace op::tool {

namespace {

constexpr unsigned looks_unasked = 15;  // beside a daemon that does not answer
// The requests.
constexpr char to_write = 'w', to_show = 's', to_remove = 'r', to_flush = 'f';

/// A directory that an option names.
struct NamedDir {
    std::string option, path;
};

std::vector<NamedDir> dirs_to_read(const CommonOptions& options) {
    std::vector<NamedDir> dirs{{"--root", options.root}, {"--session-dir", options.session_dir}};
    for (const std::string& path : options.image_paths)
        dirs.push_back({"--image-path", path});
    return dirs;
}

bool is_unreadable(const NamedDir& dir) {
    return !Fd(::open(dir.path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

}  // namespace

Outside::Outside(const CommonOptions& options, const OutsidePlan& plan, Tool& tool)
    : options_(options), output_file_(plan.output_file), show_(plan.show) {
    if (plan.flushes_daemon) flushed_ = plan.profiles;
    for (const auto& words : plan.profiles)
        if (!flush_daemon_of(options, words)) unasked_ = looks_unasked;
    fetcher_ = open_debuginfod(options.debuginfod, tool.notes);
    if (options.no_sandbox) return;
    SandboxNeeds needs;
    needs.runs_programs = plan.runs_programs;
    needs.keeps_times = plan.keeps_times;
    needs.descriptors = plan.descriptors;
    if (!plan.output_dir.empty()) {
        make_directory(plan.output_dir);
        needs.writable_dirs.push_back(plan.output_dir);
    }
    start_helpers(tool.notes, needs);
    std::vector<NamedDir> dirs = dirs_to_read(options);
    std::erase_if(dirs, is_unreadable);
    enter_sandbox(needs, tool.notes);
    for (const NamedDir& dir : dirs)
        if (is_unreadable(dir))
            tool.notes.warn(dir.option + "=" + dir.path +
                            " cannot be read in the sandbox, from which other processes are out of reach: "
                            "see --no-sandbox");
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
    const TreeWriter created(path);
}

/// Two processes: one that crashes over what a server sends does not take the result with it.
void Outside::start_helpers(Diagnostics& notes, SandboxNeeds& needs) {
    if (fetcher_) {
        auto helper = std::make_unique<FetchHelper>(std::move(fetcher_), notes);
        needs.descriptors.push_back(helper->descriptor());
        fetcher_ = std::move(helper);
    }
    if (made_dirs_.empty() && flushed_.empty() && !is_output_outside()) return;
    helper_.emplace([this](std::string_view request) { return answer(request); }, notes);
    needs.descriptors.push_back(helper_->descriptor());
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
    if (what == to_flush) ask_to_flush();
    return "";
}

/// A daemon that does not answer is not waited for again soon.
void Outside::ask_to_flush() {
    if (unasked_ > 0) {
        --unasked_;
        return;
    }
    for (const auto& words : flushed_)
        if (!flush_daemon_of(options_, words)) unasked_ = looks_unasked;
}

void Outside::flush_daemon() {
    if (flushed_.empty()) return;
    if (helper_)
        helper_->ask(std::string(1, to_flush));
    else
        answer(std::string(1, to_flush));
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
