// SPDX-License-Identifier: GPL-2.0-or-later
// The content of a binary, whether its file is compressed or not.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "libop/base/fd.h"

namespace op::pp {

/// Valid as long as the object lives.
class ImageBytes {
public:
    /// Maps the file; one that is called .gz, .xz or .zst, as kernel modules may be, is unpacked. Throws a
    /// system or input error.
    explicit ImageBytes(const std::string& path);

    std::span<const std::byte> bytes() const noexcept;

private:
    MappedFile file_;
    std::string unpacked_;  ///< empty if the file is not compressed
};

}  // namespace op::pp
