// SPDX-License-Identifier: GPL-2.0-or-later
// Reads call frame information: DWARF 5, section 6.4, and "Exception Frames" of the Linux Standard Base.
// Foreign bytes: whatever they hold, reading ends and takes no more memory than a small multiple of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "daemon/unwind/unwind_rule.h"
#include "libop/base/address.h"
#include "libop/base/bytes.h"

namespace op::collect {

/// A section of call frame information of a 64-bit file in host byte order.
struct FrameSection {
    std::span<const std::byte> bytes;
    LinkAddress address = {};     ///< of its first byte
    bool is_debug_frame = false;  ///< .debug_frame, else .eh_frame
};

/// The code that one frame description entry (FDE) is about.
struct FdeExtent {
    LinkAddress start, end;  ///< half-open
    size_t at = 0;           ///< where in the section the entry begins
};

/// A rule that is valid from an address on.
struct UnwindRow {
    LinkAddress start;
    UnwindRule rule;
};

/// Reads one section. Not thread-safe.
class CfiReader {
public:
    /// The section's bytes must outlive the reader.
    CfiReader(const FrameSection& section, const UnwindMachine& machine)
        : section_(section), machine_(machine) {}

    /// All entries in the section's order. A damaged entry is left out; what follows a damaged length, too.
    std::vector<FdeExtent> entries();
    /// Appends the rows of the entry, of growing addresses within its extent, no two alike in a row. If its
    /// instructions are damaged or not known, the rest of its extent is `unsupported`.
    void append_rows(const FdeExtent& entry, std::vector<UnwindRow>& rows);

private:
    struct Cie {
        bool is_valid = false;
        bool has_augmentation_data = false;
        bool is_signal_frame = false;
        uint8_t encoding = 0;  ///< of addresses in its FDEs
        uint64_t code_align = 1;
        int64_t data_align = 1;
        std::span<const std::byte> instructions;
    };
    struct Fde {
        const Cie* cie;
        LinkAddress start, end;
        std::span<const std::byte> instructions;
    };
    struct Entry;

    const Cie& cie_at(size_t at);
    Cie read_cie(size_t at) const;
    void read_augmentation(std::string_view letters, ByteReader data, Cie& cie) const;
    bool read_entry(size_t at, Entry& entry) const;
    Fde read_fde(const Entry& entry);

    FrameSection section_;
    UnwindMachine machine_;
    std::unordered_map<size_t, Cie> cies_;  ///< by position
};

}  // namespace op::collect
