// SPDX-License-Identifier: GPL-2.0-or-later
// Where a command's result goes.
#include "utils/shared/output.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <optional>

#include "libop/base/access_policy.h"
#include "libop/base/error.h"
#include "libop/base/fd.h"
#include "libop/base/text.h"
#include "utils/shared/pager.h"
#include "utils/shared/terminal.h"
#include "utils/shared/tool.h"

namespace op::tool {

namespace {

constexpr int most_links = 40;  // as the kernel follows

/// A file that may or may not be there.
struct Target {
    Fd dir;
    std::string name;
    bool is_regular = true;   ///< or not there
    struct stat status = {};  ///< of what is there; st_nlink is 0 if there is nothing
};

/// Opens the directory of `file`, relative to `from` if that is open. Throws an error that names `path`.
Fd open_directory_of(const std::filesystem::path& file, const Fd& from, const std::string& path) {
    const std::string directory = file.parent_path().empty() ? "." : file.parent_path().string();
    const int base = from ? from.get() : AT_FDCWD;
    Fd dir(::openat(base, directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!dir && errno == ENOENT)
        throw Error(ErrorKind::system,
                    "cannot write " + path + ": there is no directory " + directory + "; make it first",
                    ENOENT);
    if (!dir || ::faccessat(dir.get(), ".", W_OK, 0) != 0)
        throw_refused("cannot write " + path, "name a file in a directory that you may write to");
    return dir;
}

/// Where the symbolic link `name` in `dir` leads; none if it is no link. Throws a refusal if the link
/// belongs to a stranger, who would choose the file that is replaced.
std::optional<std::filesystem::path> link_target(const Fd& dir, const std::string& name,
                                                 const std::string& path) {
    struct stat status {};
    if (::fstatat(dir.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISLNK(status.st_mode))
        return std::nullopt;
    if (!is_trusted_owner(status.st_uid))
        throw Error(ErrorKind::input,
                    "cannot write " + path + ": it is a symbolic link of another user; name another file");
    char target[PATH_MAX + 1] = {};
    if (::readlinkat(dir.get(), name.c_str(), target, PATH_MAX) < 0) throw_system("cannot write " + path);
    return target;
}

/// The directory and the name that `path` leads to, through symbolic links of trusted owners.
void find_place(const std::string& path, Target& target) {
    std::filesystem::path file = path;
    for (int links = 0; links <= most_links; ++links) {
        target.dir = open_directory_of(file, target.dir, path);
        target.name = file.filename();
        const auto next = link_target(target.dir, target.name, path);
        if (!next) return;
        file = *next;
    }
    throw_system("cannot write " + path, ELOOP);
}

/// What `path` leads to. Throws an error if it cannot be written to.
Target target_of(const std::string& path) {
    Target target;
    const bool exists = ::stat(path.c_str(), &target.status) == 0;
    if (exists && S_ISDIR(target.status.st_mode)) throw_system("cannot write " + path, EISDIR);
    if (exists && ::access(path.c_str(), W_OK) != 0) throw_system("cannot write " + path);
    target.is_regular = !exists || S_ISREG(target.status.st_mode);
    if (target.is_regular) find_place(path, target);
    return target;
}

mode_t mode_of(const Target& target) {
    return target.status.st_nlink != 0 ? target.status.st_mode & 07777 : 0666;
}

/// Gives a file that replaces the target the target's owner and group, as far as this user may.
void keep_owner(const Target& target, const Fd& made) {
    if (target.status.st_nlink == 0 || ::geteuid() != 0) return;
    if (::fchown(made.get(), target.status.st_uid, target.status.st_gid) == 0)
        ::fchmod(made.get(), mode_of(target));  // a change of owner clears bits of the mode
}

bool is_standard_output(const std::string& path) {
    return path.empty() || path == standard_output;
}

/// Puts a file with that text in the target's place and gives it, open for more.
Fd begin_file(const Target& target, const std::string& path, std::string_view text) {
    TemporaryFile temporary(target.dir, target.name, path);
    Fd file = open_at(target.dir, temporary.name().c_str(), O_WRONLY | O_CREAT | O_EXCL, mode_of(target));
    if (!file) throw_system("cannot create " + path);
    keep_owner(target, file);
    write_fd(file.get(), text, path);
    temporary.rename();
    return file;
}

}  // namespace

void write_output(const std::string& path, std::string_view bytes) {
    if (is_standard_output(path)) return write_stdout(bytes);
    const Target target = target_of(path);
    if (target.is_regular)
        replace_file_at(target.dir, target.name, path, bytes, mode_of(target),
                        [&](const Fd& made) { keep_owner(target, made); });
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
