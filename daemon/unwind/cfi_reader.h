// SPDX-License-Identifier: GPL-2.0-or-later
// Reads call frame information: DWARF 5, section 6.4, and "Exception Frames" of the Linux Standard Base.
// Foreign bytes: whatever they hold, reading ends after a bounded number of them, and takes no more memory
// than a small multiple of that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "daemon/unwind/frame_bytes.h"
#include "daemon/unwind/unwind_rule.h"
#include "libop/base/address.h"
#include "libop/base/bytes.h"

namespace op::collect {

/// A section of call frame information of a 64-bit file in host byte order.
struct FrameSection {
    FrameBytes bytes;
    LinkAddress address = {};     ///< of its first byte
    bool is_debug_frame = false;  ///< .debug_frame, else .eh_frame
};

/// Where the frame description entry (FDE) about some code is.
struct FdePlace {
    LinkAddress start;  ///< of the code
    uint64_t at = 0;    ///< where in the section the entry begins
};

/// A rule that is valid from an address on.
struct UnwindRow {
    LinkAddress start;
    UnwindRule rule;
};

class CfiProgram;

/// Reads one section. Not thread-safe.
class CfiReader {
public:
    /// Bytes of instructions that one reader executes, those of the common part once for each entry. The rows
    /// of a page of code, which is what a reader is made for, take a tenth of that at most.
    static constexpr uint64_t most_work = uint64_t{1} << 20;
    /// What an entry costs besides its instructions.
    static constexpr uint64_t entry_work = 64;
    /// Common parts that are longer are not read; compilers write some 20 bytes.
    static constexpr uint64_t longest_cie = 4096;

    CfiReader(FrameSection section, const UnwindMachine& machine, uint64_t work = most_work)
        : section_(std::move(section)), machine_(machine), work_(work), work_left_(work) {}

    /// Appends all entries that are about code, in the section's order, as far as the work goes. A damaged
    /// entry is left out; what follows a damaged length, too. Throws a system error.
    void append_entries(std::vector<FdePlace>& all);
    /// Appends the rows of the entry, of growing addresses within its extent and before `stop`, no two alike
    /// in a row. If its instructions are damaged, not known, or more than may be executed, the rest of its
    /// extent is `unsupported`. Returns the end of its extent; the start, and no row, if it is damaged or
    /// begins elsewhere.
    LinkAddress append_rows(const FdePlace& entry, LinkAddress stop, std::vector<UnwindRow>& rows);
    /// What was done until now, in bytes.
    uint64_t work() const noexcept { return work_ - work_left_; }
    /// True if no more is done.
    bool is_spent() const noexcept { return work_left_ == 0; }

private:
    struct Cie {
        bool is_valid = false;
        bool has_augmentation_data = false;
        bool is_signal_frame = false;
        uint8_t encoding = 0;  ///< of addresses in its FDEs
        uint64_t code_align = 1;
        int64_t data_align = 1;
        std::vector<std::byte> instructions;
        LinkAddress address;  ///< of the instructions
    };
    struct Fde {
        const Cie* cie;
        LinkAddress start, end;
        std::span<const std::byte> instructions;  ///< valid until the section is read again
        LinkAddress address;                      ///< of the instructions
        bool is_cut;                              ///< there are more
    };
    struct Entry;

    const Cie& cie_at(uint64_t at);
    Cie read_cie(uint64_t at);
    void read_augmentation(std::string_view letters, ByteReader data, Cie& cie) const;
    bool read_entry(uint64_t at, Entry& entry);
    Fde read_fde(const Entry& entry, uint64_t most);
    void run(const Fde& fde, CfiProgram& program);
    uint64_t charge(uint64_t work) noexcept;

    FrameSection section_;
    UnwindMachine machine_;
    std::unordered_map<uint64_t, Cie> cies_;  ///< by position
    uint64_t work_, work_left_;
};

}  // namespace op::collect
