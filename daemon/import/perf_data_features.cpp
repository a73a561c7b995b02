// SPDX-License-Identifier: GPL-2.0-or-later
// Parsing of feature sections.
#include "daemon/import/perf_data_features.h"

#include <algorithm>
#include <string_view>

#include "daemon/import/field_reader.h"
#include "libop/base/text.h"

namespace op::collect {
namespace {

constexpr size_t longest_text = 4096;  // kept of a string
constexpr size_t build_id_bytes = 20;

/// u32 length, so many bytes with the NUL and padding.
std::string read_string(FieldReader& in) {
    const uint64_t length = in.u32();
    return std::string(FieldReader::text(in.take(length)).substr(0, longest_text));
}

std::string read_command(FieldReader& in) {
    std::string command;
    for (uint32_t words = in.u32(); words > 0 && command.size() < longest_text; --words) {
        const std::string word = read_string(in);
        command += (command.empty() ? word : " " + word);
    }
    return command;
}

/// The attribute that an event description belongs to: by its ids, else by its place.
PerfDataAttr* attr_of(PerfDataAttrs& attrs, const std::vector<uint64_t>& ids, uint32_t place) {
    for (const uint64_t id : ids) {
        const auto it = attrs.by_id.find(id);
        if (it != attrs.by_id.end() && it->second < attrs.attrs.size()) return &attrs.attrs[it->second];
    }
    return ids.empty() && place < attrs.attrs.size() ? &attrs.attrs[place] : nullptr;
}

/// u32 events, u32 attr size, then of each: attr, u32 ids, string name, ids.
void read_event_names(FieldReader& in, PerfDataAttrs& attrs) {
    const uint32_t count = in.u32();
    const uint64_t attr_size = in.u32();
    for (uint32_t i = 0; i < count; ++i) {
        in.skip(attr_size);
        const uint32_t ids = in.u32();
        const std::string name = read_string(in);
        std::vector<uint64_t> first;
        for (uint32_t n = 0; n < ids; ++n)
            if (const uint64_t id = in.u64(); first.empty()) first.push_back(id);
        if (PerfDataAttr* const attr = attr_of(attrs, first, i)) attr->name = name;
    }
}

void read_pmus(FieldReader& in, PerfDataFeatures& features) {
    for (uint32_t n = in.u32(); n > 0 && features.pmus.size() < PerfDataFeatures::most_pmus; --n) {
        const uint32_t type = in.u32();
        features.pmus[type] = read_string(in);
    }
}

/// Records: u32 type, u16 misc, u16 size, body.
void read_build_ids(FieldReader& in, bool is_big_endian, PerfDataFeatures& features) {
    constexpr uint64_t header = 8;
    while (in.remaining() >= header) {
        in.skip(4);
        const uint16_t misc = in.u16();
        const uint64_t size = in.u16();
        if (size < header) throw_input("an entry without a size");
        features.add_build_id(in.take(size - header), misc, is_big_endian);
    }
}

void read_clock(FieldReader& in, PerfDataFeatures& features) {
    if (in.u32() != 1) return;  // another version
    features.clockid = in.u32();
    features.wall_clock = in.u64();
    features.sample_clock = in.u64();
}

}  // namespace

std::span<const std::byte> trimmed_build_id(std::span<const std::byte> bytes, size_t length) {
    constexpr size_t usual = 16;  // of a shorter one: MD5 or a UUID
    length = std::min({length, bytes.size(), build_id_bytes});
    bytes = bytes.first(length);
    const auto is_zero = [](std::byte b) { return b == std::byte{0}; };
    if (std::ranges::all_of(bytes, is_zero)) return {};
    if (length == build_id_bytes && std::ranges::all_of(bytes.subspan(usual), is_zero))
        return bytes.first(usual);
    return bytes;
}

// s32 pid, 20 bytes of the id, u8 its length if misc has bit 15, 3 bytes, path.
void PerfDataFeatures::add_build_id(std::span<const std::byte> body, uint16_t misc, bool is_big_endian) {
    constexpr uint16_t has_size = 1U << 15;
    FieldReader in(body, is_big_endian);
    in.skip(4);
    const auto bytes = in.take(build_id_bytes);
    const auto rest = in.take(4);
    const size_t length = misc & has_size ? std::to_integer<size_t>(rest[0]) : build_id_bytes;
    const auto id = trimmed_build_id(bytes, length);
    const std::string path(FieldReader::text(in.take(in.remaining())));
    if (id.empty() || path.empty() || path.size() > longest_text || build_ids.size() >= most_build_ids)
        return;
    build_ids.try_emplace(path, reinterpret_cast<const char*>(id.data()), id.size());
}

void PerfDataFeatures::read(uint32_t number, std::span<const std::byte> section, bool is_big_endian,
                            PerfDataAttrs& attrs) {
    FieldReader in(section, is_big_endian);
    switch (static_cast<PerfDataFeature>(number)) {
        case PerfDataFeature::build_id:
            return read_build_ids(in, is_big_endian, *this);
        case PerfDataFeature::hostname:
            hostname = read_string(in);
            return;
        case PerfDataFeature::os_release:
            os_release = read_string(in);
            return;
        case PerfDataFeature::version:
            version = read_string(in);
            return;
        case PerfDataFeature::arch:
            arch = read_string(in);
            return;
        case PerfDataFeature::cpu_desc:
            cpu_desc = read_string(in);
            return;
        case PerfDataFeature::cpu_id:
            cpu_id = read_string(in);
            return;
        case PerfDataFeature::command_line:
            command = read_command(in);
            return;
        case PerfDataFeature::event_desc:
            return read_event_names(in, attrs);
        case PerfDataFeature::pmu_mappings:
            return read_pmus(in, *this);
        case PerfDataFeature::sample_time:
            first_sample = in.u64();
            last_sample = in.u64();
            return;
        case PerfDataFeature::dir_format:
            is_directory = true;
            return;
        case PerfDataFeature::clock_data:
            return read_clock(in, *this);
    }
}

}  // namespace op::collect
