// SPDX-License-Identifier: GPL-2.0-or-later
// Executes call frame instructions (DWARF 5, section 6.4.2) and notes the rows that they make, with the rules
// of those registers alone that a walk needs.
#pragma once

#include <cstdint>
#include <vector>

#include "daemon/unwind/cfi_reader.h"
#include "daemon/unwind/unwind_rule.h"
#include "libop/base/bytes.h"

namespace op::collect {

/// The instructions of one entry, after those of its common part. Not thread-safe.
class CfiProgram {
public:
    /// Rows are appended to `rows`, which must outlive the object.
    CfiProgram(const UnwindMachine& machine, std::vector<UnwindRow>& rows) : machine_(machine), rows_(rows) {}

    /// The extent that rows are made for.
    void begin(LinkAddress start, LinkAddress end);
    void set_alignment(uint64_t code, int64_t data, bool is_signal_frame);
    /// Executes instructions, the first of which is at `address`, until they leave the extent. Throws an
    /// input error on one that is damaged or not known.
    void run(ByteReader in, uint8_t encoding, LinkAddress address);
    /// The rules are now those that the entry begins with.
    void keep_as_initial() { initial_ = state_; }
    /// Notes the last row.
    void finish() { note_row(); }
    /// Notes that the rest of the extent is not supported.
    void give_up();

private:
    /// Rules as they are while instructions run.
    struct State {
        uint64_t cfa_register = no_register;
        int64_t cfa_offset = 0, cfa_addend = 0;
        bool cfa_is_memory = false, cfa_is_plt = false;
        SavedAt fp = SavedAt::same, ra = SavedAt::same;
        int64_t fp_offset = 0, ra_offset = 0;
        bool fp_is_odd = false, ra_is_odd = false;  ///< kept in a way that a walk cannot follow
    };
    static constexpr uint64_t no_register = ~uint64_t{0};
    static constexpr size_t most_states = 64;  ///< remembered at once

    void run_one(ByteReader& in, uint8_t opcode, uint8_t encoding, LinkAddress address);
    void advance(uint64_t delta);
    void advance_to(uint64_t address);
    void set_saved(uint64_t reg, SavedAt where, int64_t offset, bool is_odd = false);
    void set_same_as_initial(uint64_t reg);
    void set_cfa(uint64_t reg, int64_t offset);
    void set_cfa_expression(std::span<const std::byte> expression);
    void set_expression(uint64_t reg, std::span<const std::byte> expression);
    void set_register(uint64_t reg, uint64_t other);
    void remember();
    void restore();
    int64_t factored(uint64_t n) const {
        return static_cast<int64_t>(n * static_cast<uint64_t>(data_align_));
    }
    int64_t factored(int64_t n) const { return factored(static_cast<uint64_t>(n)); }
    CfaFrom cfa_from() const;
    UnwindRule rule() const;
    void note_row();

    UnwindMachine machine_;
    std::vector<UnwindRow>& rows_;
    LinkAddress at_, end_;
    size_t first_row_ = 0;
    uint64_t code_align_ = 1;
    int64_t data_align_ = 1;
    bool is_signal_frame_ = false;
    State state_, initial_;
    std::vector<State> remembered_;
};

}  // namespace op::collect
