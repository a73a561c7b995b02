// SPDX-License-Identifier: GPL-2.0-or-later
// Three processes: operf, the one that looks (which may go into the sandbox), and this one, which waits for
// both.
#include "utils/optop/recorder.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "libop/base/child_signal.h"
#include "libop/base/error.h"
#include "libop/base/text.h"
#include "utils/optop/programs.h"
#include "utils/shared/ignored_signal.h"
#include "utils/shared/tool.h"

namespace op::tool {

namespace {

constexpr off_t most_printed = 64 * 1024;  ///< bytes of what operf printed that are shown at the end
constexpr timespec trim_period{0, 200'000'000};
constexpr int signal_status = 128;  ///< of a process that a signal ended, plus its number: as shells do

/// In the child; ends with the one who started it. Does not return.
[[noreturn]] void become_operf(const std::string& program, std::vector<char*> words, int output,
                               pid_t parent) {
    ::prctl(PR_SET_PDEATHSIG, SIGINT);
    if (::getppid() == parent) {
        if (output >= 0) {
            const int nothing = ::open("/dev/null", O_RDONLY);
            ::dup2(nothing, STDIN_FILENO);
            ::dup2(output, STDOUT_FILENO);
            ::dup2(output, STDERR_FILENO);
        } else {
            ::dup2(STDERR_FILENO, STDOUT_FILENO);  // standard output is for the pictures
        }
        ::execvp(program.c_str(), words.data());
    }
    write_stderr("optop error: cannot start operf: " + errno_text(errno) + "\n");
    ::_exit(127);
}

pid_t start_operf(const RecorderPlan& plan, const Fd& output) {
    const std::string program = program_beside("operf");
    std::vector<std::string> words{"operf"};
    words.insert(words.end(), plan.words.begin(), plan.words.end());
    std::vector<char*> pointers;
    for (std::string& word : words)
        pointers.push_back(word.data());
    pointers.push_back(nullptr);
    const pid_t parent = ::getpid(), child = ::fork();
    if (child < 0) throw_system("cannot start operf");
    if (child == 0) become_operf(program, std::move(pointers), output.get(), parent);
    return child;
}

int status_of(int wait_status) {
    return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : signal_status + WTERMSIG(wait_status);
}

/// What operf and its program print while there is a screen: a file in memory, of which the end is kept. Not
/// a pipe: what they leave running may print when nobody reads any more.
class KeptOutput {
public:
    void open() {
        file_.reset(::memfd_create("operf", MFD_CLOEXEC | MFD_ALLOW_SEALING));
        if (!file_) throw_system("cannot make a file in memory");
    }
    const Fd& file() const noexcept { return file_; }
    /// Gives back the memory of what will not be shown.
    void trim() {
        if (!file_) return;
        const off_t begin = shown_begin();
        if (begin > trimmed_ && ::fallocate(file_.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, trimmed_,
                                            begin - trimmed_) == 0)
            trimmed_ = begin;
    }
    /// Prints the end of it, and ends its growth: nobody trims it from now on.
    void print() {
        if (!file_) return;
        ::fcntl(file_.get(), F_ADD_SEALS, F_SEAL_GROW);
        const off_t begin = shown_begin();
        if (begin > 0) write_stderr("... " + std::to_string(begin) + " bytes before are left out\n");
        // The descriptor's offset is that of the ones who write.
        const Fd reader(
            ::open(("/proc/self/fd/" + std::to_string(file_.get())).c_str(), O_RDONLY | O_CLOEXEC));
        if (!reader || ::lseek(reader.get(), begin, SEEK_SET) < 0) return;
        const std::string text = printable_lines(read_fd(reader.get(), "the output of operf"));
        if (!text.empty()) write_stderr(text);
    }

private:
    off_t shown_begin() const noexcept {
        struct stat st {};
        return ::fstat(file_.get(), &st) == 0 ? std::max<off_t>(0, st.st_size - most_printed) : 0;
    }

    Fd file_;
    off_t trimmed_ = 0;  ///< of it, how many bytes at the begin
};

/// Waits for a child of the two; keeps what they print small meanwhile. SIGCHLD is blocked.
pid_t await_child(const sigset_t& child_ends, int& status, KeptOutput& output) {
    for (;;) {
        const pid_t pid = ::waitpid(-1, &status, output.file() ? WNOHANG : 0);
        if (pid > 0 || (pid < 0 && errno != EINTR)) return pid;
        output.trim();
        if (pid == 0) ::sigtimedwait(&child_ends, nullptr, &trim_period);
    }
}

/// Waits until both have ended; returns the status of the one that looked, or operf's if that failed.
int await_both(pid_t operf, pid_t viewer, Fd ended, KeptOutput& output) {
    const IgnoredSignal interrupt(SIGINT);  // from the terminal: both get it, too
    sigset_t child_ends;
    ::sigemptyset(&child_ends);
    ::sigaddset(&child_ends, SIGCHLD);
    ::sigprocmask(SIG_BLOCK, &child_ends, nullptr);  // no child is started any more that would inherit it
    int operf_status = 0, viewer_status = 0;
    bool is_recording = true;  // else the number may be another process's
    for (int left = 2; left > 0;) {
        int status = 0;
        const pid_t pid = await_child(child_ends, status, output);
        if (pid < 0) break;
        if (pid == operf) {
            operf_status = status_of(status);
            is_recording = false;
            ended.reset();
            --left;
        } else if (pid == viewer) {
            viewer_status = status_of(status);
            if (is_recording) ::kill(operf, SIGINT);
            --left;
        }
    }
    return viewer_status != 0 ? viewer_status : operf_status;
}

}  // namespace

std::optional<int> record_beside(const RecorderPlan& plan, Fd& ended) {
    keep_child_statuses();
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw_system("cannot make a pipe");
    Fd read_end(ends[0]), write_end(ends[1]);
    KeptOutput output;
    if (plan.is_quiet) output.open();
    const pid_t operf = start_operf(plan, output.file()), self = ::getpid(), viewer = ::fork();
    if (viewer < 0) {
        ::kill(operf, SIGINT);
        throw_system("cannot start a process");
    }
    if (viewer == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGTERM);
        if (::getppid() != self) ::_exit(1);
        ended = std::move(read_end);
        return std::nullopt;
    }
    read_end.reset();
    const int status = await_both(operf, viewer, std::move(write_end), output);
    output.print();
    return status;
}

}  // namespace op::tool
