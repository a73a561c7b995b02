// SPDX-License-Identifier: GPL-2.0-or-later
// The kernel's own symbols, stored by one run of root's for the next ones until the machine starts again.
// doc/FORMATS.md, "Cache of kernel symbols", has the format, doc/adr/0023 the reasons. Modules and BPF
// programs, which come and go, are not in it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "daemon/source/kernel_map.h"
#include "libop/base/fd.h"

namespace op::collect {

/// What the cache has of a kernel.
struct CachedKallsyms {
    Fd file;  ///< a first line of its own, then lines like those of /proc/kallsyms
    KernelRange code, exec_code;
};

/// One file in a directory to which root alone has access. On a failure symbols are not found, or not stored,
/// without an error. Not thread-safe.
class KallsymsCache {
public:
    /// None unless this process is root's and the kernel's start has an identity.
    static std::optional<KallsymsCache> of_this_boot();
    /// The directory `oprofile` in `parent`, which must be trusted as well. `boot` identifies the start of
    /// the kernel; it is without spaces.
    KallsymsCache(std::string parent, std::string boot)
        : parent_(std::move(parent)), boot_(std::move(boot)) {}

    /// The stored symbols, if they are of this boot, the file is whole, and `kallsyms`, which is like
    /// /proc/kallsyms, now shows this process the same addresses in its first lines.
    std::optional<CachedKallsyms> open(const Fd& kallsyms) const;
    /// Stores the kernel's own symbols from a copy of /proc/kallsyms, and the ranges that were found in them.
    void store(const Fd& copy, const KernelRange& code, const KernelRange& exec_code) const;

private:
    Fd directory(bool make) const;
    std::string first_line(uint64_t size, const KernelRange& code, const KernelRange& exec_code) const;

    std::string parent_, boot_;
};

}  // namespace op::collect
