// SPDX-License-Identifier: GPL-2.0-or-later
// Where a command's result goes.
#include "utils/shared/output.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "libop/base/error.h"
#include "libop/base/fd.h"
#include "libop/base/text.h"
#include "utils/shared/pager.h"
#include "utils/shared/terminal.h"
#include "utils/shared/tool.h"

namespace op::tool {

namespace {

/// A file that may or may not be there.
struct Target {
    Fd dir;
    std::string name;
    bool is_regular = true;  ///< or not there
    mode_t mode = 0666;      ///< of what is there
};

/// What `path` leads to, through symbolic links. Throws a system error if it cannot be written to.
Target target_of(const std::string& path) {
    struct stat status {};
    const bool exists = ::stat(path.c_str(), &status) == 0;
    if (exists && S_ISDIR(status.st_mode)) throw_system("cannot write " + path, EISDIR);
    if (exists && ::access(path.c_str(), W_OK) != 0) throw_system("cannot write " + path);
    Target target;
    if (exists) target.mode = status.st_mode & 07777;
    target.is_regular = !exists || S_ISREG(status.st_mode);
    if (!target.is_regular) return target;
    std::error_code error;
    auto file = std::filesystem::weakly_canonical(path, error);
    if (error) file = path;
    target.name = file.filename();
    const std::string directory = file.parent_path().empty() ? "." : file.parent_path().string();
    target.dir = Fd(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!target.dir && errno == ENOENT)
        throw Error(ErrorKind::system,
                    "cannot write " + path + ": there is no directory " + directory + "; make it first",
                    ENOENT);
    if (!target.dir || ::faccessat(target.dir.get(), ".", W_OK, 0) != 0)
        throw_refused("cannot write " + path, "name a file in a directory that you may write to");
    return target;
}

bool is_standard_output(const std::string& path) {
    return path.empty() || path == standard_output;
}

/// Puts a file with that text in the target's place and gives it, open for more.
Fd begin_file(const Target& target, const std::string& path, std::string_view text) {
    TemporaryFile temporary(target.dir, target.name, path);
    Fd file = open_at(target.dir, temporary.name().c_str(), O_WRONLY | O_CREAT | O_EXCL, target.mode);
    if (!file) throw_system("cannot create " + path);
    write_fd(file.get(), text, path);
    temporary.rename();
    return file;
}

}  // namespace

void write_output(const std::string& path, std::string_view bytes) {
    if (is_standard_output(path)) return write_stdout(bytes);
    const Target target = target_of(path);
    if (target.is_regular)
        replace_file_at(target.dir, target.name, path, bytes, target.mode);
    else
        write_fd(open_file(path, O_WRONLY).get(), bytes, path);
}

OutputStream::OutputStream(const std::string& path) : path_(is_standard_output(path) ? "" : path) {
    if (!path_.empty() && !target_of(path_).is_regular) file_ = open_file(path_, O_WRONLY);
}

void OutputStream::write(std::string_view text) {
    if (path_.empty()) return write_stdout(text);
    if (file_)
        write_fd(file_.get(), text, path_);
    else
        file_ = begin_file(target_of(path_), path_, text);
}

void write_foreign_lines(std::string_view text) {
    if (::isatty(STDOUT_FILENO))
        write_stdout(printable_lines(text));
    else
        write_stdout(text);
}

void keep_from_terminal(const std::string& path, const std::string& what) {
    if (is_standard_output(path) && ::isatty(STDOUT_FILENO))
        throw_usage(what + " is nothing for a terminal: name an output file, or redirect standard output");
}

std::vector<Option> ShowOptions::table() {
    return {
        {"color", 0, &color, "colours: auto (on a terminal), always or never", "WHEN"},
        {"no-pager", 0, &no_pager, "on a terminal: do not show long reports through a pager"},
    };
}

void ShowOptions::check() const {
    if (color != "auto" && color != "always" && color != "never")
        throw_usage("--color=" + color + ": must be auto, always or never");
}

pp::TextStyle text_style(const ShowOptions& options, const std::string& path) {
    const bool is_shown = path.empty() && is_terminal(STDOUT_FILENO);
    const char* const no_color = std::getenv("NO_COLOR");
    pp::TextStyle style;
    if (is_shown) style.width = terminal_width(STDOUT_FILENO);
    style.has_color =
        options.color == "always" || (options.color == "auto" && is_shown && !(no_color && *no_color));
    return style;
}

void show_output(const ShowOptions& options, const std::string& path, std::string_view text) {
    if (path.empty() && !options.no_pager && is_terminal(STDOUT_FILENO))
        show_through_pager(text);
    else
        write_output(path, text);
}

}  // namespace op::tool
