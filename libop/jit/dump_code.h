// SPDX-License-Identifier: GPL-2.0-or-later
// The functions of a jitdump that contain addresses asked for. An address has its generation in its top byte.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "libop/jit/code_history.h"
#include "libop/jit/jitdump.h"

namespace op {

/// What ran before `time` was placed when a dump had so many records.
struct PlacedUntil {
    uint64_t records = 0, time = 0;
};

/// Not thread-safe.
class DumpCode {
public:
    /// Functions that may be moved later; their names; lines and bytes of code that are kept.
    static constexpr size_t most_live = size_t{1} << 20, most_text = size_t{48} << 20;

    /// `wanted`: run-time addresses, sorted; must outlive the object. If the samples in generation 0 are not
    /// all of that generation, as their times were not known, an address there at which different functions
    /// lay has no name.
    explicit DumpCode(std::span<const uint64_t> wanted, bool is_timed = false)
        : wanted_(wanted), is_timed_(is_timed), functions_at_(wanted.size(), none) {}

    /// Of code that a record replaced after samples of later times had been placed, samples have no name.
    /// Sorted; must outlive the object. To be called before take().
    void expect_late(std::span<const PlacedUntil> placed) { placed_ = placed; }

    void take(const JitLoad& load);
    void take(const JitMove& move);
    void take(const JitUnload& unload);
    /// Sorted, without overlaps. Nothing may be taken afterwards.
    std::vector<CodeSymbol> finish();
    /// Addresses asked for at which different functions lay.
    uint64_t ambiguous() const noexcept;

private:
    static constexpr uint32_t none = UINT32_MAX, several = UINT32_MAX - 1;
    struct Live {
        uint64_t size;
        std::string name;
    };

    struct New {
        uint64_t address, size;
        std::string_view name;
        const JitLoad* load;  ///< null if it was moved there
    };

    bool is_late(uint64_t time);
    void contest(std::span<const CodeRange> replaced);
    void add(const New& code, unsigned generation);
    void add_at(const New& code, unsigned generation);
    uint32_t function_of(const New& code, unsigned generation);
    bool has_room(size_t bytes) noexcept;
    CodeSymbol part_of(CodeSymbol& function, uint64_t start, uint64_t end);

    std::span<const uint64_t> wanted_;
    bool is_timed_;
    CodeHistory history_;
    std::span<const PlacedUntil> placed_;  ///< those whose records have not come yet
    uint64_t placed_until_ = 0, records_ = 0;
    std::vector<uint32_t>
        functions_at_;  ///< for each address asked for: index of functions_, none or several
    std::vector<CodeSymbol> functions_;
    std::map<uint64_t, Live> live_;  ///< by address
    size_t text_ = 0;
};

}  // namespace op
