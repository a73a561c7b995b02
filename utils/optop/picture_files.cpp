// SPDX-License-Identifier: GPL-2.0-or-later
// A request is a digit, the kind of file, and the content. The helper chooses the name, so that a
// process in the sandbox cannot have it write over a file.
#include "utils/optop/picture_files.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "libop/base/child_signal.h"
#include "libop/base/error.h"
#include "libop/base/fd.h"
#include "libop/base/text.h"
#include "utils/optop/programs.h"

namespace op::tool {

namespace {

constexpr std::array endings = {".txt", ".json", ".html"};
constexpr unsigned most_files = 9999;

struct NewFile {
    std::string name;
    Fd file;
};

/// A file of a name that nothing had.
NewFile make_file(const std::string& ending) {
    for (unsigned number = 1; number <= most_files; ++number) {
        NewFile made{"optop-" + std::to_string(number) + ending, {}};
        made.file.reset(
            ::open(made.name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644));
        if (made.file) return made;
        if (errno != EEXIST) throw_system("cannot write " + made.name);
    }
    throw_input("too many files optop-NUMBER" + ending + " in this directory");
}

/// Runs a program without a shell; what it prints, if it fails. It does not read the keys.
std::optional<std::string> failure_of(const std::string& program, std::vector<std::string> words) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw_system("cannot make a pipe");
    const Fd read_end(ends[0]);
    Fd write_end(ends[1]);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    for (const int output : {STDOUT_FILENO, STDERR_FILENO})
        ::posix_spawn_file_actions_adddup2(&actions, write_end.get(), output);
    std::vector<char*> argv;
    for (std::string& word : words)
        argv.push_back(word.data());
    argv.push_back(nullptr);
    keep_child_statuses();
    pid_t child = 0;
    const int error = ::posix_spawnp(&child, program.c_str(), &actions, nullptr, argv.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    if (error != 0) throw_system("cannot run opreport", error);
    write_end.reset();
    std::string text = read_fd(read_end.get(), "the output of opreport");
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (status == 0) return std::nullopt;
    return text;
}

}  // namespace

PictureFiles::PictureFiles(std::vector<std::string> page_words, Diagnostics& notes)
    : page_words_(std::move(page_words)),
      helper_([this](std::string_view request) { return answer(request); }, notes) {}

std::string PictureFiles::write(PictureFile kind, std::string_view content) {
    return helper_.ask(std::to_string(static_cast<int>(kind)).append(content));
}

/// In the helper.
std::string PictureFiles::answer(std::string_view request) const {
    const auto kind = static_cast<size_t>(request.empty() ? 0 : request.front() - '0');
    if (kind >= endings.size()) throw_input("no such kind of file");
    const NewFile made = make_file(endings[kind]);
    if (static_cast<PictureFile>(kind) != PictureFile::page) {
        write_fd(made.file.get(), request.substr(1), made.name);
        return made.name;
    }
    std::vector<std::string> words{"opreport", "--html=" + made.name};
    words.insert(words.end(), page_words_.begin(), page_words_.end());
    if (const auto failure = failure_of(program_beside("opreport"), std::move(words))) {
        ::unlink(made.name.c_str());
        throw_input("opreport: " + printable(*failure));
    }
    return made.name;
}

}  // namespace op::tool
