// SPDX-License-Identifier: GPL-2.0-or-later
// One sample file that is read again and again. Does not know what its counts mean.
#pragma once

#include <optional>
#include <string>

#include "libop/base/diagnostics.h"
#include "libop/base/fd.h"
#include "libop/session/sample_file.h"

namespace op::tool {

/// What reading a file again found.
enum class FileNews : uint8_t { same, changed, gone };

/// A file of a session directory. Neither its modification time nor its length changes when a count in its
/// mapping does: the bytes that hold counts are compared with those of the last time.
class FollowedFile {
public:
    /// The file at `path` below a directory; `label` is its name in messages.
    FollowedFile(std::string path, std::string label) : path_(std::move(path)), label_(std::move(label)) {}

    /// Reads the file below `dir`. `changed`: content() is what it has now. `gone`: no such file is there any
    /// more. `stays_open`: the file is kept open until it is read again, which saves the way to it. `buffer`
    /// is memory to read into, for one file after the other. Throws as parse_sample_file, or a system error.
    FileNews read(const Fd& dir, bool stays_open, std::string& buffer, Diagnostics& notes);
    /// The content, to be taken after read() returned `changed`.
    SampleFileContent take_content() { return std::move(content_); }

    const std::string& path() const noexcept { return path_; }

private:
    bool open(const Fd& dir);
    bool is_as_before() const;

    std::string path_, label_;
    Fd file_;
    std::string seen_;  ///< the first bytes: header and used slots
    SampleFileContent content_;
};

}  // namespace op::tool
