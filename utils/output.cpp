// SPDX-License-Identifier: GPL-2.0-or-later
// Where a command's result goes.
#include "utils/output.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "libop/error.h"
#include "libop/fd.h"
#include "utils/pager.h"
#include "utils/terminal.h"
#include "utils/tool.h"

namespace op::tool {

namespace {

/// Replaces a regular file, or makes it; through a symbolic link, its target. Keeps the mode of what was
/// there.
void replace_file(const std::string& path, mode_t mode, std::string_view bytes) {
    std::error_code error;
    auto target = std::filesystem::weakly_canonical(path, error);
    if (error) target = path;
    const std::string directory = target.parent_path().empty() ? "." : target.parent_path().string();
    const Fd dir(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!dir) throw_system("cannot write " + path);
    replace_file_at(dir, target.filename(), path, bytes, mode);
}

}  // namespace

void write_output(const std::string& path, std::string_view bytes) {
    if (path.empty() || path == standard_output) return write_stdout(bytes);
    struct stat status {};
    const bool exists = ::stat(path.c_str(), &status) == 0;
    if (exists && S_ISDIR(status.st_mode)) throw_system("cannot write " + path, EISDIR);
    if (exists && ::access(path.c_str(), W_OK) != 0) throw_system("cannot write " + path);
    if (exists && !S_ISREG(status.st_mode))
        write_fd(open_file(path, O_WRONLY).get(), bytes, path);
    else
        replace_file(path, exists ? status.st_mode & 07777 : 0666, bytes);
}

OutputStream::OutputStream(const std::string& path) : path_(path) {
    if (path_.empty() || path_ == standard_output) return;
    file_ = open_file(path_, O_WRONLY | O_CREAT, 0666);
}

void OutputStream::write(std::string_view text) {
    if (!file_) return write_stdout(text);
    struct stat status {};
    const bool is_regular = ::fstat(file_.get(), &status) == 0 && S_ISREG(status.st_mode);
    if (!is_cleared_ && is_regular && ::ftruncate(file_.get(), 0) != 0) throw_system("cannot write " + path_);
    is_cleared_ = true;
    write_fd(file_.get(), text, path_);
}

void keep_from_terminal(const std::string& path, const std::string& what) {
    if ((path.empty() || path == standard_output) && ::isatty(STDOUT_FILENO))
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
