// SPDX-License-Identifier: GPL-2.0-or-later
// The kernel's symbols, read once: the kernel takes a third of a microsecond to write one, and there are
// 100,000. A copy lies in memory that has no name and is not mapped.
#pragma once

#include <optional>
#include <string>

#include "daemon/source/kernel_map.h"
#include "daemon/source/kernel_pages.h"
#include "libop/base/fd.h"

namespace op::collect {

/// Not thread-safe.
class KallsymsCopy {
public:
    /// Reads /proc/kallsyms and keeps it. Returns where the kernel's code lies; none if its symbols are
    /// hidden or missing.
    std::optional<KernelRange> read();

    /// The text symbols, gzip-compressed, for a session: all, or with `pages` those of these pages and the
    /// ones next to them. Empty if they are hidden or missing. Reads them again if they were not read, or if
    /// there are pages of modules and these have changed.
    std::string snapshot(const KernelPages* pages);

private:
    bool is_stale(const KernelPages* pages) const;
    Fd open() const;

    Fd copy_;
    KernelRange range_{};
    std::string modules_;  ///< text of /proc/modules as of then
};

}  // namespace op::collect
