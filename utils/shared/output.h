// SPDX-License-Identifier: GPL-2.0-or-later
// Writes a command's result to standard output or a file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "libop/base/fd.h"
#include "libpp/report/writer.h"
#include "utils/shared/options.h"

namespace op::tool {

/// The path that names standard output.
inline constexpr const char* standard_output = "-";

/// Writes all bytes to `path`, or to stdout if it is empty or "-". A regular file is replaced as a whole: it
/// keeps its old content if anything fails, and its mode and owner. A device or pipe is written directly. The
/// last part of the path may be a symbolic link of root's or the effective user's own; that of another user
/// is refused with an input error. Throws a system error.
void write_output(const std::string& path, std::string_view bytes);

/// Writes text that comes piece by piece over a long time to a file or stdout, without buffering.
class OutputStream {
public:
    /// Opens a device or pipe; an empty path or "-" is stdout. A regular file is created or replaced only
    /// when the first piece is written. Throws a system error, also if the file could not be created then.
    explicit OutputStream(const std::string& path);
    /// Throws a system error.
    void write(std::string_view text);

private:
    std::string path_;  ///< empty = stdout
    Fd file_;           ///< none = not begun
};

/// Writes lines that hold foreign text as it is, such as source files, to stdout; to a terminal without what
/// it may obey (see printable_lines()). Throws a system error.
void write_foreign_lines(std::string_view text);

/// Throws a usage error if `path` is a terminal, where binary data does harm. The message begins with `what`,
/// the kind of data.
void keep_from_terminal(const std::string& path, const std::string& what);

/// Options for output that people read.
struct ShowOptions {
    std::string color = "auto";
    bool no_pager = false;

    /// Rows for CommandSyntax; they point into this object.
    std::vector<Option> table();
    /// Throws a usage error on an unknown value.
    void check() const;
};

/// The layout of text for `path`, or for stdout if it is empty: the width of the terminal, if it is one, and
/// colours if requested or, by default, on a terminal unless NO_COLOR is set (no-color.org).
pp::TextStyle text_style(const ShowOptions& options, const std::string& path);

/// Like write_output(), but through the pager on a terminal, unless --no-pager was given.
void show_output(const ShowOptions& options, const std::string& path, std::string_view text);

}  // namespace op::tool
