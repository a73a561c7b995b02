// SPDX-License-Identifier: GPL-2.0-or-later
// Where the running kernel and its modules lie: /proc/kallsyms, /proc/modules, vmlinux, notes in /sys.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libop/base/diagnostics.h"

namespace op::collect {

class KallsymsCopy;
class RecordList;

/// A range of kernel addresses.
struct KernelRange {
    uint64_t start, end;  ///< half-open run-time addresses

    bool operator==(const KernelRange&) const = default;
};

/// Finds the kernel's code in the lines of /proc/kallsyms: from _text (else _stext) to _etext.
class KernelRangeScan {
public:
    /// Takes a line; false when no more lines are needed.
    bool take(std::string_view line);
    /// None if the symbols were missing or hidden (all addresses zero).
    std::optional<KernelRange> range() const;

private:
    uint64_t text_ = 0, stext_ = 0, etext_ = 0;
};

/// Finds the function in which the kernel frees the memory of a program that called exec, for one that it
/// starts (begin_new_exec, since Linux 5.8), in text like /proc/kallsyms.
class ExecCodeScan {
public:
    /// Takes the next part, of whole lines.
    void take(std::string_view lines);
    /// Half-open; empty if it was not found.
    const KernelRange& range() const noexcept { return range_; }

private:
    void end_at(std::string_view next_line);

    KernelRange range_{};
    uint64_t start_ = 0;  ///< found, but not its end
};

/// The kernel image that the user named; an empty path if the user named none.
struct NamedKernel {
    std::string path;
    std::optional<KernelRange> range =
        {};  ///< where its code was linked to run, if it may be the running kernel's
    std::optional<KernelRange> asked = {};  ///< the user's range of the kernel's code
};

/// The kernel's image and its range. The name is that of `named`, or kallsyms_image if `named` has no path.
/// The range is `known` (from the user or kallsyms), else the range that `named` was linked to. None if there
/// is neither range.
struct KernelPlace {
    std::string_view name;  ///< valid as long as `named`
    KernelRange range;

    static std::optional<KernelPlace> of(const std::optional<KernelRange>& known, const NamedKernel& named);
};

/// A line of /proc/modules.
struct ModuleLine {
    std::string_view name;
    uint64_t start, length;  ///< bytes

    bool operator==(const ModuleLine&) const = default;
};
/// The modules in the text of /proc/modules whose address is known.
std::vector<ModuleLine> parse_modules(std::string_view text);

/// Parses "START,END", hexadecimal with or without 0x, END not included. Throws a usage error.
KernelRange parse_kernel_range(std::string_view text);

/// Adds Mapping records for the kernel and its modules. The upper half of the address space is no-vmlinux;
/// the known images are mapped over it. Notes, with the name of the sysctl, that addresses are hidden. Reads
/// the kernel's symbols into `kept`, unless that is null.
void add_kernel_records(const NamedKernel& vmlinux, RecordList& out, Diagnostics& notes,
                        KallsymsCopy* kept = nullptr);
/// Adds Mapping records for the modules alone.
void add_module_records(RecordList& out);

}  // namespace op::collect
