// SPDX-License-Identifier: GPL-2.0-or-later
// Every length is checked against what is left before it is used.
#include "daemon/import/akaros_trace.h"

#include <algorithm>
#include <array>
#include <optional>

namespace op::collect {
namespace {

using Bytes = std::span<const std::byte>;

/// The little-endian number at the front of `bytes`, which has it.
template <class T>
T load(Bytes bytes) {
    uint64_t value = 0;
    for (size_t i = sizeof(T); i-- > 0;)
        value = value << 8 | std::to_integer<uint64_t>(bytes[i]);
    return static_cast<T>(value);
}

template <class T>
T load(Bytes bytes, size_t at) {
    return load<T>(bytes.subspan(at));
}

constexpr size_t word = 8;

// ---- words

/// Programs' addresses end there; none lies between them and the kernel's.
constexpr uint64_t user_end = 0x0000800000000000;
constexpr size_t most_words = 16;

/// The number of addresses, if a trace begins with that word.
std::optional<size_t> depth_of(uint64_t head) {
    constexpr uint64_t fixed_bits = 0xffffffff'0000ff00, mark = 0xee010000'00000000;
    const size_t n = head & 0xff;
    if ((head & fixed_bits) != mark || n == 0 || n > most_words) return std::nullopt;
    return n;
}

/// True for the first word of an entry of another kind, an address, and its second, a time with low bits 0.
bool is_alien(uint64_t address, uint64_t time) {
    return (address >= akaros_kernel || address < user_end) && time % 16 == 0;
}

// ---- records

constexpr uint64_t kernel_trace = 1, user_trace = 2, new_mapping = 3, new_process = 4;
constexpr uint64_t most_record = uint64_t{32} << 20;
/// Of a path with its NUL, as the kernel has it.
constexpr size_t most_path = 4096;
/// Later kernels may have more types, but not many.
constexpr uint64_t most_types = 64;
/// No kernel wrote more than 16, which here is no reason to drop one.
constexpr size_t most_depth = 256;

/// A record's head and body.
struct Frame {
    uint64_t type;
    Bytes body;
    size_t next;  ///< where the next one begins
};

std::optional<uint64_t> read_leb128(Bytes bytes, size_t& at) {
    uint64_t value = 0;
    for (unsigned shift = 0; at < bytes.size() && shift < 70; shift += 7) {
        const auto byte = std::to_integer<uint64_t>(bytes[at++]);
        if (shift == 63 && byte > 1) return std::nullopt;
        value |= (byte & 0x7f) << shift;
        if (byte < 0x80) return value;
    }
    return std::nullopt;
}

std::optional<Frame> frame_at(Bytes bytes, size_t at) {
    const auto type = read_leb128(bytes, at);
    const auto size = type ? read_leb128(bytes, at) : std::nullopt;
    if (!size || *size > most_record || *size > bytes.size() - at) return std::nullopt;
    return Frame{*type, bytes.subspan(at, *size), at + *size};
}

/// Where a trace has its parts; the addresses come last.
struct TraceLayout {
    bool has_info, has_pid;

    size_t time() const { return has_info ? 8 : 0; }
    size_t pid() const { return time() + 8; }
    size_t cpu() const { return pid() + (has_pid ? 4 : 0); }
    size_t depth() const { return cpu() + 2; }
    size_t addresses() const { return depth() + 2; }

    bool fits(Bytes body) const {
        if (body.size() < addresses() + word) return false;
        const size_t n = load<uint16_t>(body, depth());
        return n <= most_depth && body.size() == addresses() + n * word;
    }
};

TraceLayout trace_layout(AkarosLayout layout, uint64_t type) {
    return {layout != AkarosLayout::v1, type == user_trace || layout == AkarosLayout::v3};
}

/// What comes before the path, of records that have one.
size_t path_offset(uint64_t type) {
    return type == new_mapping ? 36 : 12;
}

bool is_trace(uint64_t type) {
    return type == kernel_trace || type == user_trace;
}

bool is_known(uint64_t type) {
    return is_trace(type) || type == new_mapping || type == new_process;
}

/// A NUL at the end and nowhere else.
bool ends_in_path(Bytes bytes) {
    return bytes.size() <= most_path && bytes.back() == std::byte{0} &&
           std::ranges::find(bytes, std::byte{0}) == bytes.end() - 1;
}

/// A record of a known kind with a size that fits what is in it.
bool is_sound(const Frame& frame, AkarosLayout layout) {
    if (is_trace(frame.type)) return trace_layout(layout, frame.type).fits(frame.body);
    return is_known(frame.type) && frame.body.size() > path_offset(frame.type) &&
           ends_in_path(frame.body.subspan(path_offset(frame.type)));
}

/// A record of a kind that is not known. One of a damaged type would be followed by anything.
bool is_alien_record(Bytes bytes, const Frame& frame) {
    if (is_known(frame.type) || frame.type >= most_types) return false;
    const auto following = frame_at(bytes, frame.next);
    return frame.next == bytes.size() || (following && following->type < most_types);
}

std::string_view path_of(const Frame& frame) {
    const Bytes path = frame.body.subspan(path_offset(frame.type));
    return {reinterpret_cast<const char*>(path.data()), path.size() - 1};
}

void read_trace(const Frame& frame, AkarosLayout layout, AkarosEntry& entry) {
    const TraceLayout at = trace_layout(layout, frame.type);
    entry = {frame.type == user_trace ? AkarosEntry::Kind::user_trace : AkarosEntry::Kind::kernel_trace,
             load<uint64_t>(frame.body, at.time())};
    if (at.has_info) entry.info = load<uint64_t>(frame.body);
    if (at.has_pid) entry.pid = load<uint32_t>(frame.body, at.pid());
    entry.cpu = load<uint16_t>(frame.body, at.cpu());
    entry.addresses = frame.body.subspan(at.addresses());
}

void read_mapping(const Frame& frame, AkarosEntry& entry) {
    entry = {AkarosEntry::Kind::mapping, load<uint64_t>(frame.body)};
    entry.start = load<uint64_t>(frame.body, 8);
    entry.length = load<uint64_t>(frame.body, 16);
    entry.offset = load<uint64_t>(frame.body, 24);
    entry.pid = load<uint32_t>(frame.body, 32);
    entry.path = path_of(frame);
}

void read_process(const Frame& frame, AkarosEntry& entry) {
    entry = {AkarosEntry::Kind::process, load<uint64_t>(frame.body)};
    entry.pid = load<uint32_t>(frame.body, 8);
    entry.path = path_of(frame);
}

/// Of a sound record.
void read_known(const Frame& frame, AkarosLayout layout, AkarosEntry& entry) {
    if (frame.type == new_mapping) return read_mapping(frame, entry);
    if (frame.type == new_process) return read_process(frame, entry);
    read_trace(frame, layout, entry);
}

// ---- which layout

/// So much of a file is looked at.
constexpr size_t most_looked_at = size_t{1} << 20;

constexpr std::array record_layouts{AkarosLayout::v1, AkarosLayout::v2, AkarosLayout::v3};

/// The layout of records that fits most traces. The kernel's decide, as programs' are alike in v2 and v3.
AkarosLayout record_layout(Bytes bytes) {
    std::array<size_t, record_layouts.size()> votes{};
    bool has_source = false;
    for (size_t at = 0, next = 0; at < bytes.size(); at = next) {
        const auto frame = frame_at(bytes, at);
        next = frame ? frame->next : at + 1;
        if (!frame || !is_trace(frame->type)) continue;
        for (size_t i = 0; i < votes.size(); ++i)
            votes[i] += trace_layout(record_layouts[i], frame->type).fits(frame->body);
        if (frame->body.size() < 8) continue;
        const uint64_t source = load<uint64_t>(frame->body) >> 60;
        has_source |= source == 1 || source == 2;  // a timer or a counter, in v2
    }
    const size_t best = static_cast<size_t>(std::ranges::max_element(votes) - votes.begin());
    const bool is_either = record_layouts[best] == AkarosLayout::v2 && votes[best] == votes[best + 1];
    return is_either && !has_source ? AkarosLayout::v3 : record_layouts[best];
}

/// The bytes of the entries that make sense.
size_t sensible_bytes(Bytes bytes, AkarosLayout layout) {
    const AkarosTrace trace(bytes, layout);
    size_t sum = 0;
    AkarosEntry entry;
    for (size_t at = 0, from = 0;; from = at) {
        const AkarosPart part = trace.read(at, entry);
        if (part == AkarosPart::end) return sum;
        if (part == AkarosPart::entry) sum += at - from;
    }
}

AkarosLayout layout_of(Bytes bytes) {
    const Bytes first = bytes.first(std::min(bytes.size(), most_looked_at));
    const AkarosLayout records = record_layout(first);
    const bool is_words = sensible_bytes(first, AkarosLayout::words) > sensible_bytes(first, records);
    return is_words ? AkarosLayout::words : records;
}

}  // namespace

uint64_t AkarosEntry::address(size_t i) const noexcept {
    return load<uint64_t>(addresses, i * word);
}

AkarosTrace::AkarosTrace(std::span<const std::byte> bytes) : AkarosTrace(bytes, layout_of(bytes)) {}

AkarosPart AkarosTrace::read(size_t& at, AkarosEntry& entry) const {
    if (at >= bytes_.size()) return AkarosPart::end;
    return layout_ == AkarosLayout::words ? read_words(at, entry) : read_record(at, entry);
}

AkarosPart AkarosTrace::read_words(size_t& at, AkarosEntry& entry) const {
    const size_t left = bytes_.size() - at;
    const uint64_t head = left < 2 * word ? 0 : load<uint64_t>(bytes_, at);
    if (const auto n = depth_of(head); n && (*n + 2) * word <= left) {
        const uint64_t pc = load<uint64_t>(bytes_, at + 2 * word);
        const bool is_kernel = pc >= akaros_kernel;
        entry = {is_kernel ? AkarosEntry::Kind::kernel_trace : AkarosEntry::Kind::user_trace,
                 load<uint64_t>(bytes_, at + word)};
        entry.cpu = static_cast<uint16_t>(head >> 16);
        entry.addresses = bytes_.subspan(at + 2 * word, *n * word);
        at += (*n + 2) * word;
        return AkarosPart::entry;
    }
    if (left >= 2 * word && is_alien(head, load<uint64_t>(bytes_, at + word))) {
        at += 2 * word;
        return AkarosPart::alien;
    }
    at = after_damaged_words(at);
    return AkarosPart::damaged;
}

/// Where the next trace begins: a word at any distance that is a multiple of 8.
size_t AkarosTrace::after_damaged_words(size_t at) const {
    for (at += word; at < bytes_.size() && bytes_.size() - at >= word; at += word)
        if (depth_of(load<uint64_t>(bytes_, at))) return at;
    return bytes_.size();
}

AkarosPart AkarosTrace::read_record(size_t& at, AkarosEntry& entry) const {
    const auto frame = frame_at(bytes_, at);
    const bool is_alien = frame && is_alien_record(bytes_, *frame);
    if (!frame || (!is_alien && !is_sound(*frame, layout_))) {
        at = after_damaged_records(at);
        return AkarosPart::damaged;
    }
    at = frame->next;
    if (is_alien) return AkarosPart::alien;
    read_known(*frame, layout_, entry);
    return AkarosPart::entry;
}

bool AkarosTrace::begins_record(size_t at) const {
    const auto frame = frame_at(bytes_, at);
    return frame && is_sound(*frame, layout_);
}

/// Where two records follow each other, or the last one begins. The size in the damaged one is not
/// trusted.
size_t AkarosTrace::after_damaged_records(size_t at) const {
    for (++at; at < bytes_.size(); ++at) {
        const auto first = frame_at(bytes_, at);
        if (!first || !is_sound(*first, layout_)) continue;
        if (first->next == bytes_.size() || begins_record(first->next)) return at;
    }
    return bytes_.size();
}

}  // namespace op::collect
