// SPDX-License-Identifier: GPL-2.0-or-later
// The kernel's symbols, read once: the kernel takes a third of a microsecond to write one, and there are
// 100,000. A copy lies in memory that has no name and is not mapped.
#pragma once

#include <optional>
#include <string>

#include "daemon/source/kallsyms_cache.h"
#include "daemon/source/kernel_map.h"
#include "daemon/source/kernel_pages.h"
#include "libop/base/fd.h"

namespace op::collect {

/// Not thread-safe.
class KallsymsCopy {
public:
    KallsymsCopy() = default;
    /// `kallsyms` = the file, open: it shows addresses to whom it did when it was opened. Must outlive the
    /// object.
    explicit KallsymsCopy(const Fd& kallsyms) : given_(&kallsyms) {}

    /// From now on read() finds ranges alone and keeps no copy.
    void keep_ranges_only() noexcept { has_copy_ = false; }

    /// From now on the first read() takes the kernel's own symbols from the cache, or stores them there. With
    /// none nothing changes.
    void use_cache(std::optional<KallsymsCache> cache) { cache_ = std::move(cache); }

    /// Reads /proc/kallsyms and keeps it. Returns where the kernel's code lies; none if its symbols are
    /// hidden or missing.
    std::optional<KernelRange> read();

    /// See ExecCodeScan; empty before read(), and where it did not find that. The reference stays valid.
    const KernelRange& exec_code() const noexcept { return exec_code_; }

    /// The text symbols, gzip-compressed, for a session: all, or with `pages` those of these pages and the
    /// ones next to them. Empty if they are hidden or missing. Reads them again if they were not read, or if
    /// there are pages of modules and these have changed.
    std::string snapshot(const KernelPages* pages);

private:
    Fd open() const;
    bool read_cache(const Fd& kallsyms);
    std::optional<KernelRange> read_all(const Fd& kallsyms);
    bool is_stale(const KernelPages* pages) const;

    const Fd* given_ = nullptr;
    std::optional<KallsymsCache> cache_;
    Fd copy_;
    bool has_copy_ = true;
    bool is_cached_ = false;  ///< the copy is the cache's: modules are not in it
    KernelRange range_{}, exec_code_{};
    std::string modules_;  ///< text of /proc/modules as of then
};

/// The text symbols of an open file like /proc/kallsyms, gzip-compressed, for a session. Empty if it has none
/// with an address.
std::string packed_functions(const Fd& kallsyms);

}  // namespace op::collect
