// SPDX-License-Identifier: GPL-2.0-or-later
// Follows the stack pointer along the ways to where a frame is made or the function returns.
#include "daemon/unwind/frame_state.h"

#include <cstdint>
#include <optional>
#include <vector>

#include "daemon/unwind/function_entry.h"
#include "daemon/unwind/x86_code.h"

namespace op::collect {

namespace {

using Kind = X86Instruction::Kind;

constexpr int most_instructions = 256;
constexpr size_t most_ways = 8;
constexpr std::byte push_rbp{0x55};
constexpr int32_t word_size = 8, largest_frame = 1 << 16;

/// One way through the code.
struct Way {
    size_t at;
    int32_t sp = 0;                     ///< how far the stack pointer has moved
    std::optional<int32_t> fp_at = {};  ///< where the caller's rbp is, from the stack pointer at the start
    bool is_fp_pushed = false;          ///< by the last instruction
    bool is_fp_written = false;         ///< it is no longer the caller's, unless it is read back
};

class FrameState {
public:
    FrameState(std::span<const std::byte> code, size_t at) : code_(code) {
        ways_.push_back({at});
        is_fp_pushed_ = at > 0 && code_[at - 1] == push_rbp;
    }

    UnwindRule find() {
        for (int i = 0; i < most_instructions && !ways_.empty(); ++i) {
            const std::span<const std::byte> rest = code_.subspan(ways_.back().at);
            if (read_entry(rest).frame == FunctionEntry::Frame::of_size) return entered();
            const X86Instruction next = read_x86(rest);
            if (next.kind == Kind::drop_frame) return {};
            if (next.kind == Kind::set_frame && i == 0 && is_fp_pushed_) return rule(word_size, 0);
            if (next.kind == Kind::set_frame && ways_.back().is_fp_pushed) return made();
            if (next.kind == Kind::ret) return returned();
            if (!follow(next)) ways_.pop_back();
        }
        return {};
    }

private:
    bool follow(const X86Instruction& next);
    bool move_sp(int32_t by);
    bool go(int64_t distance);
    UnwindRule made() const;
    UnwindRule returned() const;
    UnwindRule entered() const;
    static UnwindRule rule(int32_t to_return, std::optional<int32_t> fp_at);

    std::span<const std::byte> code_;
    bool is_fp_pushed_ = false;  ///< by the instruction before the start
    std::vector<Way> ways_;      ///< the last one is followed, the others if it leads nowhere
};

bool FrameState::move_sp(int32_t by) {
    Way& way = ways_.back();
    way.sp += by;
    return way.sp > -largest_frame && way.sp < largest_frame;
}

/// Backwards is fine: the number of steps is bounded.
bool FrameState::go(int64_t distance) {
    Way& way = ways_.back();
    way.at += static_cast<size_t>(distance);
    return way.at < code_.size();
}

/// False if the way ends there.
bool FrameState::follow(const X86Instruction& next) {
    Way& way = ways_.back();
    way.is_fp_pushed = next.kind == Kind::push && next.is_of_fp;
    switch (next.kind) {
        case Kind::plain:
        case Kind::set_frame:  // of a frame that is there already
            way.is_fp_written |= next.is_of_fp;
            return go(next.length);
        case Kind::push:
            return move_sp(-word_size) && go(next.length);
        case Kind::pop:
            if (next.is_of_fp) {
                way.fp_at = way.sp >= 0 ? std::optional(way.sp) : std::nullopt;
                way.is_fp_written = false;
            }
            return move_sp(word_size) && go(next.length);
        case Kind::add_sp:
            return move_sp(next.amount) && go(next.length);
        case Kind::jump:
            return go(int64_t{next.length} + next.amount);
        case Kind::branch: {
            Way other = way;
            other.at += static_cast<size_t>(int64_t{next.length} + next.amount);
            const bool is_kept = other.at < code_.size() && ways_.size() < most_ways;
            if (!go(next.length)) return false;
            if (is_kept) ways_.insert(ways_.end() - 1, other);
            return true;
        }
        default:
            return false;
    }
}

/// `to_return`: from the stack pointer to the return address.
UnwindRule FrameState::rule(int32_t to_return, std::optional<int32_t> fp_at) {
    if (to_return < 0 || to_return > largest_frame) return {};
    UnwindRule found{
        .cfa = CfaFrom::sp, .ra = SavedAt::cfa, .cfa_offset = to_return + word_size, .ra_offset = -word_size};
    if (fp_at) {
        found.fp = SavedAt::sp;
        found.fp_offset = *fp_at;
    }
    return found;
}

/// The way has just pushed the caller's frame pointer, below the return address.
UnwindRule FrameState::made() const {
    const Way& way = ways_.back();
    return way.is_fp_written || way.fp_at ? UnwindRule{} : rule(way.sp + word_size, {});
}

UnwindRule FrameState::returned() const {
    const Way& way = ways_.back();
    return way.is_fp_written ? UnwindRule{} : rule(way.sp, way.fp_at);
}

/// The way leads to where a function begins.
UnwindRule FrameState::entered() const {
    const Way& way = ways_.back();
    return way.is_fp_written || way.fp_at ? UnwindRule{} : rule(way.sp, {});
}

}  // namespace

UnwindRule rule_without_frame(std::span<const std::byte> code, size_t at) {
    return at < code.size() ? FrameState(code, at).find() : UnwindRule{};
}

}  // namespace op::collect
