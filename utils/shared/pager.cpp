// SPDX-License-Identifier: GPL-2.0-or-later
// The pager is a child that reads the text from a pipe.
#include "utils/shared/pager.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "libop/base/fd.h"
#include "utils/shared/ignored_signal.h"
#include "utils/shared/tool.h"

namespace op::tool {

namespace {

std::vector<std::string> pager_words() {
    const char* pager = std::getenv("OPROFILE_PAGER");
    if (!pager) pager = std::getenv("PAGER");
    std::istringstream text(pager ? pager : "less");
    std::vector<std::string> words;
    for (std::string word; text >> word;)
        words.push_back(word);
    return words == std::vector<std::string>{"cat"} ? std::vector<std::string>{} : words;
}

/// True if the caller's rights are not those of the person at the terminal.
bool has_rights_of_another() {
    if (::geteuid() != ::getuid()) return true;
    constexpr const char* callers[] = {"SUDO_UID", "PKEXEC_UID", "DOAS_USER"};
    return ::geteuid() == 0 &&
           std::ranges::any_of(callers, [](const char* name) { return std::getenv(name); });
}

/// Gives the child the signals that its parent ignores.
class SpawnAttributes {
public:
    SpawnAttributes() {
        sigset_t usual;
        sigemptyset(&usual);
        sigaddset(&usual, SIGPIPE);
        sigaddset(&usual, SIGINT);
        ::posix_spawnattr_init(&attributes_);
        ::posix_spawnattr_setsigdefault(&attributes_, &usual);
        ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGDEF);
        ::posix_spawn_file_actions_init(&actions_);
    }
    SpawnAttributes(const SpawnAttributes&) = delete;
    SpawnAttributes& operator=(const SpawnAttributes&) = delete;
    ~SpawnAttributes() {
        ::posix_spawnattr_destroy(&attributes_);
        ::posix_spawn_file_actions_destroy(&actions_);
    }

    /// Starts a program that reads from `input`; none if it cannot be started.
    std::optional<pid_t> start(std::vector<std::string>& words, const Fd& input) {
        std::vector<char*> arguments;
        for (auto& word : words)
            arguments.push_back(word.data());
        arguments.push_back(nullptr);
        ::posix_spawn_file_actions_adddup2(&actions_, input.get(), STDIN_FILENO);
        pid_t pid = -1;
        const int error =
            ::posix_spawnp(&pid, arguments[0], &actions_, &attributes_, arguments.data(), environ);
        return error == 0 ? std::optional(pid) : std::nullopt;
    }

private:
    posix_spawnattr_t attributes_;
    posix_spawn_file_actions_t actions_;
};

}  // namespace

void show_through_pager(std::string_view text) {
    auto words = pager_words();
    int ends[2];
    if (words.empty() || ::pipe2(ends, O_CLOEXEC) != 0) return write_stdout(text);
    Fd read_end(ends[0]), write_end(ends[1]);
    ::setenv("LESS", "FRX", 0);
    if (has_rights_of_another())
        for (const char* const name : {"LESSSECURE", "PAGERSECURE"})
            ::setenv(name, "1", 1);
    const IgnoredSignal no_pipe(SIGPIPE), no_interrupt(SIGINT);
    const auto pid = SpawnAttributes().start(words, read_end);
    if (!pid) return write_stdout(text);
    read_end.reset();
    write_part(write_end.get(), text);  // what the person does not want to see is no loss
    write_end.reset();
    while (::waitpid(*pid, nullptr, 0) < 0 && errno == EINTR) {
    }
}

}  // namespace op::tool
