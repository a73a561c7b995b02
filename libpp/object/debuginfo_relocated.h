// SPDX-License-Identifier: GPL-2.0-or-later
// Debug information of a relocatable file (a kernel module), whose addresses and references are not filled in
// yet. Behind the door to elfutils.
#pragma once

#include <elfutils/libdw.h>

#include <cstddef>
#include <memory>
#include <span>

namespace op::pp {

/// A copy of a relocatable file with its relocations applied by libdwfl, with its sections at the addresses
/// of relocatable_layout().
class RelocatedDebugInfo {
public:
    /// `bytes` are needed only during the call.
    explicit RelocatedDebugInfo(std::span<const std::byte> bytes);
    ~RelocatedDebugInfo();

    /// Owned by this object; null if there is no debug information, or it cannot be relocated.
    Dwarf* dwarf() const noexcept;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace op::pp
