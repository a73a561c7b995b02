// SPDX-License-Identifier: GPL-2.0-or-later
// Reading sample files of all known layouts from bytes. Needs header and nodes only; the hash table is for
// writers.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <optional>

#include "libop/base/bytes.h"
#include "libop/base/counted.h"
#include "libop/base/error.h"
#include "libop/base/text.h"
#include "libop/session/sample_file.h"
#include "libop/session/sample_file_layout.h"
#include "libop/session/sample_file_recover.h"

namespace op {

namespace {

/// Offsets in bytes of what differs between header layouts.
struct HeaderLayout {
    uint32_t version;
    uint32_t length;
    uint32_t cpu_speed, mtime, cg_to_is_kernel, anon_start, cg_to_anon_start;

    constexpr size_t nodes_at() const { return length + sizeof(RawSampleDescriptor); }
};

/// Of one version, the layout of 64-bit programs comes first; i386 aligns 8-byte fields to 4.
constexpr std::array header_layouts = {
    HeaderLayout{0x13, 72, 32, 40, 48, 56, 64},
    HeaderLayout{0x13, 64, 28, 36, 44, 48, 56},
    HeaderLayout{0x12, 88, 32, 40, 48, 64, 72},
    HeaderLayout{0x12, 80, 28, 36, 44, 60, 68},
};
static_assert(header_layouts[0].version == sample_version && header_layouts[0].nodes_at() == sample_nodes_at);

template <class T>
T get(std::span<const std::byte> bytes, size_t at) {
    ByteReader in(bytes, "sample file");
    in.seek(at);
    T value = in.get<T>();
    settle_copies();
    return value;
}

/// The slots of a file, judged by descriptor and length, which ought to agree.
struct Extent {
    uint64_t slots = 0;
    bool is_growing = false;
    std::string fault;  ///< empty = they agree
};

Extent extent_of(const RawSampleDescriptor& descriptor, uint64_t room) {
    const uint64_t size = descriptor.size, needed = size * sample_slot_bytes;
    const uint64_t whole_nodes = room / sizeof(RawSampleNode), by_length = room / sample_slot_bytes;
    if (std::has_single_bit(size) && descriptor.current_size - 1 < size) {
        if (room == needed || room == 2 * needed) return {size, room != needed, ""};
        return {std::min(size, whole_nodes), false, room < needed ? "it is cut off" : "it is too long"};
    }
    const bool is_length_possible = room % sample_slot_bytes == 0 && std::has_single_bit(by_length);
    return {is_length_possible ? by_length : whole_nodes, false, "the sizes it states are impossible"};
}

Extent extent_of(std::span<const std::byte> bytes, const HeaderLayout& layout) {
    return extent_of(get<RawSampleDescriptor>(bytes, layout.length), bytes.size() - layout.nodes_at());
}

/// The layout of that version by which length and descriptor agree, else the usual one; null = no such
/// version.
const HeaderLayout* layout_of(std::span<const std::byte> bytes, uint32_t version) {
    const HeaderLayout* usual = nullptr;
    for (const HeaderLayout& layout : header_layouts) {
        if (layout.version != version) continue;
        if (bytes.size() >= layout.nodes_at() && extent_of(bytes, layout).fault.empty()) return &layout;
        if (!usual) usual = &layout;
    }
    return usual;
}

uint32_t known_version(std::span<const std::byte> bytes, const std::string& label) {
    const size_t n = std::min(bytes.size(), sample_magic.size());
    if (n == 0) throw_input(label + ": not a sample file (it is empty)");
    if (std::memcmp(bytes.data(), sample_magic.data(), n) != 0) throw_input(label + ": not a sample file");
    if (bytes.size() < 8)
        throw_input(label + ": not a sample file (cut off at byte " + std::to_string(bytes.size()) + ")");
    const auto version = get<uint32_t>(bytes, 4);
    if (layout_of(bytes, version)) return version;
    if (layout_of(bytes, __builtin_bswap32(version)))
        throw_input(label + ": sample file of a machine with the other byte order");
    throw_input(label + ": sample file of unknown version 0x" + hex(version) + " (known: 0x12, 0x13)");
}

SampleHeader header_of(std::span<const std::byte> bytes, const HeaderLayout& layout) {
    SampleHeader header;
    header.cpu_type = get<uint32_t>(bytes, 8);
    header.event_code = get<uint32_t>(bytes, 12);
    header.unit_mask = get<uint32_t>(bytes, 16);
    header.count = get<uint32_t>(bytes, 20);
    header.is_kernel = get<uint32_t>(bytes, 24) != 0;
    header.cpu_speed_mhz = get<double>(bytes, layout.cpu_speed);
    header.mtime = get<uint64_t>(bytes, layout.mtime);
    header.cg_to_is_kernel = get<uint32_t>(bytes, layout.cg_to_is_kernel) != 0;
    header.anon_start = get<uint64_t>(bytes, layout.anon_start);
    header.cg_to_anon_start = get<uint64_t>(bytes, layout.cg_to_anon_start);
    return header;
}

/// Appends the entries of slots [1, used) and returns how many slots had no samples.
uint64_t read_entries(std::span<const std::byte> nodes, uint64_t used, SampleFileContent& content) {
    uint64_t empty = 0;
    content.entries.reserve(used);
    for (uint64_t i = 1; i < used; ++i) {
        RawSampleNode node;
        std::memcpy(&node, nodes.data() + i * sizeof node, sizeof node);
        settle_copies();
        if (node.value == 0) {
            ++empty;
            continue;
        }
        content.entries.push_back({node.key, node.value});
        content.total += node.value;
    }
    return empty;
}

}  // namespace

SalvagedSamples salvage_samples(std::span<const std::byte> bytes, std::string_view label) {
    SalvagedSamples found;
    found.content.version = known_version(bytes, std::string(label));
    const HeaderLayout& layout = *layout_of(bytes, found.content.version);
    if (bytes.size() < layout.nodes_at()) {
        found.is_header_cut = true;
        found.fault = "it is cut off within its header";
        return found;
    }
    found.content.header = header_of(bytes, layout);
    const Extent extent = extent_of(bytes, layout);
    found.fault = extent.fault;
    found.is_growing = extent.is_growing;
    const auto descriptor = get<RawSampleDescriptor>(bytes, layout.length);
    const uint64_t used = std::min<uint64_t>(descriptor.current_size, extent.slots);
    const uint64_t empty = read_entries(bytes.subspan(layout.nodes_at()), used, found.content);
    if (empty != 0 && found.fault.empty())
        found.fault = counted(empty, "of its entries is empty", "of its entries are empty");
    return found;
}

SampleFileContent parse_sample_file(std::span<const std::byte> bytes, std::string_view label,
                                    Diagnostics& notes) {
    SalvagedSamples found = salvage_samples(bytes, label);
    const std::string name(label);
    if (found.is_header_cut) throw_input(name + ": not a whole sample file: " + found.fault);
    if (!found.fault.empty())
        notes.warn(name + ": damaged sample file: " + found.fault + "; " +
                   counted(found.content.entries.size(), "entry of it is used", "entries of it are used"));
    return std::move(found.content);
}

}  // namespace op
