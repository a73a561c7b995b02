// SPDX-License-Identifier: GPL-2.0-or-later
// An image as samples refer to it, and where a process has it.
#pragma once

#include <cstdint>

#include "daemon/collect/address_space.h"
#include "libop/base/address.h"
#include "libop/base/intern.h"

namespace op::collect {

/// An image as samples refer to it. Anonymous memory belongs to one process and region, except what the
/// kernel puts into every process: that belongs to process 0 and starts at 0.
struct ImageRef {
    StringId name = StringId::none;  ///< none = no image
    RegionKind kind = RegionKind::file;
    uint32_t tgid = 0;            ///< anon only
    RuntimeAddress start, end{};  ///< anon only, half-open

    bool operator==(const ImageRef&) const = default;
    static ImageRef file(StringId path) { return {path, RegionKind::file, 0, {}, {}}; }
    /// It is beyond the limits: nothing may be stored for it, and it has no text.
    bool is_refused() const noexcept { return name == refused; }

    static constexpr StringId refused{UINT32_MAX};
};

/// A process that has a file mapped, and where, if that is known.
struct MappedAt {
    uint32_t tgid;
    uint64_t start = 0, end = 0;  ///< run-time addresses, half-open
};

}  // namespace op::collect
