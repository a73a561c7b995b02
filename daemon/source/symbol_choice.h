// SPDX-License-Identifier: GPL-2.0-or-later
// Chooses the lines of /proc/kallsyms that a session needs: 1 in 100 of a kernel's symbols has samples.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/source/kernel_pages.h"

namespace op::collect {

/// Takes text symbols line by line. Of the kernel itself it keeps those that touch a page, and after each of
/// them the next one, where it ends. Modules it keeps whole or not at all.
class SymbolChoice {
public:
    /// `pages` must outlive it. `modules`: names of those that are kept.
    SymbolChoice(const KernelPages& pages, std::vector<std::string> modules)
        : pages_(pages), modules_(std::move(modules)) {}

    /// Appends to `out` what is kept of the lines so far.
    void take(std::string_view line, uint64_t address, std::string& out);
    /// The same of the last lines.
    void finish(std::string& out);
    /// False if the kernel's symbols were not sorted by address: then what was kept is worth nothing.
    bool is_sorted() const noexcept { return is_sorted_; }

private:
    bool is_kept_module(std::string_view line) const;
    bool touches_until(uint64_t next);
    void end_group(uint64_t next, std::string& out);

    const KernelPages& pages_;
    std::vector<std::string> modules_;
    std::string group_;  ///< lines of one address
    uint64_t address_ = 0;
    uint64_t last_page_ = UINT64_MAX;  ///< of symbols within one
    bool is_last_touched_ = false;
    bool ends_another_ = false;  ///< the symbol before the group is kept
    bool is_sorted_ = true;
};

}  // namespace op::collect
