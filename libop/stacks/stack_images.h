// SPDX-License-Identifier: GPL-2.0-or-later
// The images of a set of stacks: a text file whose line N names image number N. Lines are appended only.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "libop/base/access_policy.h"
#include "libop/base/fd.h"
#include "libop/session/sample_path.h"

namespace op {

/// The file is not longer.
inline constexpr size_t stack_images_limit = size_t{64} << 20;

/// The first StackFrame::most_images images of the file's text, by number; number 0 is not used. A name is
/// empty where this version does not know the line. A last line without newline is not there yet.
std::vector<ImageName> parse_stack_images(std::string_view text);

/// The file open for appending. One writer at a time. Not thread-safe.
class StackImages {
public:
    /// Opens the file in `dir`, made if it is missing, and takes an unfinished last line off. Throws a system
    /// error, or an input error if the policy refuses the file or it is too long; both name `label`.
    StackImages(const Fd& dir, const std::string& label, const AccessPolicy& policy);

    /// The number of an image, new or known; 0 if there are `most`, if the file cannot be written, or if the
    /// name cannot be spelled (see mangle).
    uint32_t number_of(const ImageName& image, uint32_t most);
    /// Appends lines that name nothing until there are that many; false if that failed.
    bool pad_to(uint32_t count);
    uint32_t count() const noexcept { return count_; }

private:
    bool append(std::string_view lines);

    Fd file_;
    uint64_t length_ = 0;
    uint32_t count_ = 0;
    std::unordered_map<std::string, uint32_t> numbers_;  ///< by line
};

}  // namespace op
