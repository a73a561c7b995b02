// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/unwind/function_entry.h"

#include <algorithm>
#include <cstring>
#include <initializer_list>

namespace op::collect {

namespace {

using Frame = FunctionEntry::Frame;

constexpr int32_t word_size = 8, largest_frame = 1 << 20;
/// HotSpot's StackShadowPages and a page of the frame: 20 to 50 pages of 4 KiB.
constexpr int32_t least_probe = 4096, largest_probe = 1 << 22;

class EntryReader {
public:
    explicit EntryReader(std::span<const std::byte> code) : code_(code) {}

    FunctionEntry read() {
        if (skip({0xe9})) return closed();
        const bool is_probed = skip({0x89, 0x84, 0x24}) && take_probe();
        if (is_probed || starts_with({0x55})) return pushing(is_probed);
        return subtracting();
    }

private:
    bool starts_with(std::initializer_list<uint8_t> bytes) const {
        return code_.size() - at_ >= bytes.size() &&
               std::ranges::equal(bytes, code_.subspan(at_, bytes.size()), {}, {},
                                  [](std::byte b) { return std::to_integer<uint8_t>(b); });
    }
    bool skip(std::initializer_list<uint8_t> bytes) {
        const bool is_there = starts_with(bytes);
        if (is_there) at_ += bytes.size();
        return is_there;
    }
    /// A constant of four bytes or one; 0 if the code ends before.
    int32_t number(size_t size) {
        if (code_.size() - at_ < size) return 0;
        int32_t wide = 0;
        std::memcpy(&wide, code_.data() + at_, size);
        at_ += size;
        return size == 1 ? static_cast<int8_t>(wide) : wide;
    }
    bool take_probe() {
        const int32_t distance = number(4);
        return distance <= -least_probe && distance >= -largest_probe;
    }
    /// Of the instructions so far.
    FunctionEntry entry(Frame frame, bool pushes_first, size_t first, int32_t size) const {
        if (frame == Frame::of_size && (size < 0 || size > largest_frame || size % word_size != 0)) return {};
        return {frame, pushes_first, static_cast<uint8_t>(first), static_cast<uint8_t>(at_), size};
    }

    FunctionEntry pushing(bool is_probed);
    FunctionEntry subtracting();
    FunctionEntry closed();

    /// sub $N,%rsp of the size that it returns; `otherwise` if it is another instruction.
    int32_t subtracted(int32_t otherwise) {
        if (skip({0x48, 0x83, 0xec})) return number(1);
        return skip({0x48, 0x81, 0xec}) ? number(4) : otherwise;
    }
    /// mov %rbp,N(%rsp) of the size that it returns; -1 if it is another instruction.
    int32_t saved_at() {
        if (skip({0x48, 0x89, 0x2c, 0x24})) return 0;
        if (skip({0x48, 0x89, 0x6c, 0x24})) return number(1);
        return skip({0x48, 0x89, 0xac, 0x24}) ? number(4) : -1;
    }

    std::span<const std::byte> code_;
    size_t at_ = 0;
};

/// [mov %eax,-A(%rsp);] push %rbp; mov %rsp,%rbp, or with the first one: sub $N,%rsp, which is missing if N
/// is 0.
FunctionEntry EntryReader::pushing(bool is_probed) {
    if (!skip({0x55})) return {};
    const size_t pushed = at_;
    if (skip({0x48, 0x89, 0xe5}) || skip({0x48, 0x8b, 0xec}))
        return entry(Frame::by_pointer, true, pushed, 0);
    if (!is_probed) return {};
    return entry(Frame::of_size, true, pushed, subtracted(0));
}

/// sub $N,%rsp; mov %rbp,N-8(%rsp)
FunctionEntry EntryReader::subtracting() {
    if (!skip({0x48, 0x81, 0xec})) return {};
    const int32_t size = number(4) - word_size;
    const size_t made = at_;
    return size >= 0 && saved_at() == size ? entry(Frame::of_size, false, made, size) : FunctionEntry{};
}

/// push and sub of a function that is no longer valid: a jump has the place of the first five bytes before
/// them. It still runs where it was called before.
FunctionEntry EntryReader::closed() {
    constexpr size_t jump_size = 5;
    constexpr uint8_t least = 0xc0;  // third byte of -largest_probe
    if (code_.size() <= jump_size || std::to_integer<uint8_t>(code_[jump_size]) < least) return {};
    at_ = jump_size + 1;
    if (!skip({0xff, 0x55})) return {};
    const size_t pushed = at_;
    return entry(Frame::of_size, true, pushed, subtracted(-1));
}

bool has(std::span<const std::byte> code, std::initializer_list<uint8_t> bytes) {
    return code.size() >= bytes.size() &&
           std::equal(bytes.begin(), bytes.end(), code.begin(),
                      [](uint8_t a, std::byte b) { return a == std::to_integer<uint8_t>(b); });
}

}  // namespace

UnwindRule FunctionEntry::rule(size_t distance) const noexcept {
    if (frame != Frame::of_size) return {};
    const bool is_begun = distance >= first, is_made = distance >= length;
    UnwindRule rule{.cfa = CfaFrom::sp, .ra = SavedAt::cfa, .cfa_offset = word_size, .ra_offset = -word_size};
    if (is_made || (is_begun && !pushes_first))
        rule.cfa_offset = size + 2 * word_size;
    else if (is_begun)
        rule.cfa_offset = 2 * word_size;
    if (is_made || (is_begun && pushes_first)) {
        rule.fp = SavedAt::cfa;
        rule.fp_offset = -2 * word_size;
    }
    return rule;
}

FunctionEntry read_entry(std::span<const std::byte> code) noexcept {
    return EntryReader(code.first(std::min(code.size(), longest_entry))).read();
}

FoundEntry last_entry(std::span<const std::byte> code, size_t last) noexcept {
    for (size_t at = std::min(last + 1, code.size()); at-- > 0;) {
        const auto first = std::to_integer<uint8_t>(code[at]);
        if (first != 0x89 && first != 0x48 && first != 0x55 && first != 0xe9) continue;
        const FunctionEntry entry = read_entry(code.subspan(at));
        if (entry.frame != Frame::none) return {entry, at};
    }
    return {};
}

/// mov -16(%rbp),%rsp; movq $0,-16(%rbp), or mov -16(%rbp),%rcx; lea (%rbp,%rcx,8),%rsp in Java 21 and newer,
/// or call; subq $5,(%rsp); jmp.
bool is_pushed_target(std::span<const std::byte> code) noexcept {
    return has(code, {0x48, 0x8b, 0x65, 0xf0, 0x48, 0xc7, 0x45, 0xf0}) ||
           has(code, {0x48, 0x8b, 0x4d, 0xf0, 0x48, 0x8d, 0x64, 0xcd}) ||
           has(code, {0xe8, 0, 0, 0, 0, 0x48, 0x83, 0x2c, 0x24, 0x05, 0xe9});
}

}  // namespace op::collect
