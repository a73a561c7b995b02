// SPDX-License-Identifier: GPL-2.0-or-later
// What samples are kept apart by, and its words.
#pragma once

#include <span>
#include <string>

namespace op {

/// What samples are kept apart by, besides the binary they fell into.
struct Separation {
    bool library = false;  ///< by the program that used the library
    bool kernel = false;   ///< by the program that called the kernel; implies library
    bool thread = false;
    bool cpu = false;

    bool operator==(const Separation&) const = default;
};

/// What the words of --separate ask for together; `none` undoes those before it. Throws a usage error for
/// another word.
Separation parse_separation(std::span<const std::string> words);

/// "library,kernel", "none" …: the words again.
std::string to_text(const Separation& separation);

}  // namespace op
