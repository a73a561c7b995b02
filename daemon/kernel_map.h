// SPDX-License-Identifier: GPL-2.0-or-later
// Where the running kernel and its modules lie: /proc/kallsyms, /proc/modules, vmlinux, notes in /sys.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libop/diagnostics.h"

namespace op::collect {

class RecordList;

/// A range of kernel addresses.
struct KernelRange {
    uint64_t start, end;  ///< half-open run-time addresses

    bool operator==(const KernelRange&) const = default;
};

/// The kernel's code as /proc/kallsyms text has it: from _text (else _stext) to _etext; none if the symbols are
/// missing or hidden (all addresses zero). Reads no further than it must.
std::optional<KernelRange> kernel_range(std::string_view kallsyms);

/// A line of /proc/modules.
struct ModuleLine {
    std::string_view name;
    uint64_t start, length;  ///< bytes

    bool operator==(const ModuleLine&) const = default;
};
/// The modules in the text of /proc/modules whose address is known.
std::vector<ModuleLine> parse_modules(std::string_view text);

/// The text symbols (types t, T, w, W) of a kallsyms text, lines unchanged: what a report needs of it.
std::string text_symbols(std::string_view kallsyms);

/// Adds Mapping records for the kernel and its modules: everything from the middle of the address space on is
/// no-vmlinux, the known images lie on top of it. `vmlinux` (may be empty) is the image the user named; it
/// gives the kernel's name. Notes (each naming the knob) when addresses are hidden.
void add_kernel_records(const std::string& vmlinux, RecordList& out, Diagnostics& notes);
/// The modules alone.
void add_module_records(RecordList& out);

/// The snapshot for the session: text symbols of /proc/kallsyms; empty if they are hidden or missing.
std::string kallsyms_snapshot();

}  // namespace op::collect
