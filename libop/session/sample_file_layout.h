// SPDX-License-Identifier: GPL-2.0-or-later
// The bytes of a sample file: header 0x13, descriptor, node array, hash table. Other header layouts, which
// are only read, are in sample_file_reader.cpp. Layout: doc/FORMATS.md.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace op {

inline constexpr std::array<char, 4> sample_magic = {'D', 'A', 'E', '\n'};
inline constexpr uint32_t sample_version = 0x13;
inline constexpr uint32_t first_sample_slots = 128;
/// 671 MB: files of this size can be read back (SessionReader stops at 1 GiB).
inline constexpr uint32_t max_sample_slots = uint32_t{1} << 25;

/// The header of version 0x13 in the layout of 64-bit programs. Their padding is spelled out, so that the
/// layout is the same on every machine.
struct RawSampleHeader {
    std::array<char, 4> magic;
    uint32_t version;
    uint32_t cpu_type;
    uint32_t event_code;
    uint32_t unit_mask;
    uint32_t count;
    uint32_t is_kernel;
    uint32_t hole1;
    double cpu_speed;
    uint64_t mtime;
    uint32_t cg_to_is_kernel;
    uint32_t hole2;
    uint64_t anon_start;
    uint64_t cg_to_anon_start;
};
static_assert(sizeof(RawSampleHeader) == 72);
static_assert(offsetof(RawSampleHeader, is_kernel) == 24);
static_assert(offsetof(RawSampleHeader, cpu_speed) == 32);
static_assert(offsetof(RawSampleHeader, mtime) == 40);
static_assert(offsetof(RawSampleHeader, cg_to_is_kernel) == 48);
static_assert(offsetof(RawSampleHeader, anon_start) == 56);
static_assert(offsetof(RawSampleHeader, cg_to_anon_start) == 64);

/// Follows the header.
struct RawSampleDescriptor {
    uint32_t size;          ///< node slots, a power of two
    uint32_t current_size;  ///< slots in use + 1, for slot 0 is never used
    std::array<uint32_t, 6> zero;
};
static_assert(sizeof(RawSampleDescriptor) == 32);
static_assert(offsetof(RawSampleDescriptor, current_size) == 4);

/// One of the `size` nodes that follow the descriptor.
struct RawSampleNode {
    uint64_t key;
    uint32_t value;  ///< samples
    uint32_t next;   ///< index of the next node of the bucket, 0 = last
};
static_assert(sizeof(RawSampleNode) == 16);
static_assert(offsetof(RawSampleNode, value) == 8);
static_assert(offsetof(RawSampleNode, next) == 12);

inline constexpr size_t sample_nodes_at = sizeof(RawSampleHeader) + sizeof(RawSampleDescriptor);
static_assert(sample_nodes_at == 104);

/// Bytes that a slot takes: its node, and its bucket in the table after the nodes.
inline constexpr size_t sample_slot_bytes = sizeof(RawSampleNode) + sizeof(uint32_t);

/// Length in bytes of a file of version 0x13 with `slots` slots.
constexpr size_t sample_file_length(uint64_t slots) {
    return sample_nodes_at + slots * sample_slot_bytes;
}
static_assert(sample_file_length(first_sample_slots) == 2664);

/// The bucket of a key in a table of `mask` + 1 buckets.
constexpr uint32_t sample_bucket(uint64_t key, uint32_t mask) {
    const auto folded = static_cast<uint32_t>(key >> 32 ^ key);
    return (folded ^ folded >> 8) & mask;
}

}  // namespace op
