// SPDX-License-Identifier: GPL-2.0-or-later
// The content of a binary, from a plain or compressed file.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "libop/base/fd.h"

namespace op::pp {

/// Valid as long as the object lives.
class ImageBytes {
public:
    /// Maps the file. A file named .gz, .xz or .zst, such as a kernel module, is decompressed. Throws a
    /// system or input error.
    explicit ImageBytes(const std::string& path);
    /// The same of an open file; `path` is its name, which decides on unpacking.
    ImageBytes(const Fd& file, const std::string& path);

    std::span<const std::byte> bytes() const noexcept;

private:
    MappedFile file_;
    std::string unpacked_;  ///< empty if the file is not compressed
};

}  // namespace op::pp
