// SPDX-License-Identifier: GPL-2.0-or-later
// Where a command's result goes: standard output or a file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "libop/base/fd.h"
#include "libpp/report/writer.h"
#include "utils/shared/options.h"

namespace op::tool {

/// The path that means standard output, as it is.
inline constexpr const char* standard_output = "-";

/// Writes all bytes to `path`, or to stdout if it is empty or "-". A regular file is replaced as a whole: if
/// anything fails its old content stands. A device or pipe is written to directly. Throws a system error.
void write_output(const std::string& path, std::string_view bytes);

/// Text that comes piece by piece over a long time, for a file or stdout; each piece is there at once.
class OutputStream {
public:
    /// Opens a device or pipe. A regular file is made, or replaced, when the first piece comes, so that there
    /// is none without. Empty or "-": stdout. Throws a system error, also if the file could not be made.
    explicit OutputStream(const std::string& path);
    /// Throws a system error.
    void write(std::string_view text);

private:
    std::string path_;  ///< empty = stdout
    Fd file_;           ///< none = not begun
};

/// Throws a usage error if `path` leads to a terminal, where bytes that are no text do harm. `what` they are
/// begins the message.
void keep_from_terminal(const std::string& path, const std::string& what);

/// Options on what is shown to people.
struct ShowOptions {
    std::string color = "auto";
    bool no_pager = false;

    /// Rows for CommandSyntax; they point into this object.
    std::vector<Option> table();
    /// Throws a usage error on an unknown value.
    void check() const;
};

/// How text goes to `path`, or to stdout if it is empty: with the width of the terminal if it goes to one;
/// with colours if that was asked for or, by default, on a terminal unless NO_COLOR is set (no-color.org).
pp::TextStyle text_style(const ShowOptions& options, const std::string& path);

/// As write_output(); on a terminal through the pager, unless that is not wanted.
void show_output(const ShowOptions& options, const std::string& path, std::string_view text);

}  // namespace op::tool
