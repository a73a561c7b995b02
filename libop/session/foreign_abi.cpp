// SPDX-License-Identifier: GPL-2.0-or-later
// Reading sample files of other machines.
#include "libop/session/foreign_abi.h"

#include <bit>
#include <cstring>
#include <optional>

#include "libop/base/error.h"
#include "libop/base/text.h"
#include "libop/session/sample_file_layout.h"

namespace op {

namespace {

constexpr const char* needed[] = {
    "little_endian",
    "sizeof_odb_key_t",
    "sizeof_odb_value_t",
    "sizeof_odb_node_t",
    "sizeof_odb_descr_t",
    "sizeof_struct_opd_header",
    "offsetof_node_key",
    "offsetof_node_value",
    "offsetof_descr_size",
    "offsetof_descr_current_size",
    "offsetof_header_magic",
    "offsetof_header_version",
    "offsetof_header_cpu_type",
    "offsetof_header_ctr_event",
    "offsetof_header_ctr_um",
    "offsetof_header_ctr_count",
    "offsetof_header_is_kernel",
    "offsetof_header_cpu_speed",
    "offsetof_header_mtime",
    "offsetof_header_cg_to_is_kernel",
    "offsetof_header_anon_start",
    "offsetof_header_cg_to_anon_start",
};
/// No structure of a sample file is larger: the largest known has 88 bytes.
constexpr uint64_t largest = 4096;

double to_double(uint64_t bits) {
    return std::bit_cast<double>(bits);
}

}  // namespace

ForeignAbi::ForeignAbi(std::string_view text, const std::string& label) {
    for (size_t line = 1; !text.empty(); ++line) {
        std::string_view rest = take_line(text);
        const std::string_view name = take_word(rest);
        if (name.empty()) continue;
        const auto value = parse_number(take_word(rest));
        if (!value || *value > largest)
            throw_input(label + ":" + std::to_string(line) + ": not a line \"name number\"");
        values_[std::string(name)] = *value;
    }
    for (const char* name : needed)
        if (!values_.contains(name))
            throw_input(label + ": no description of an ABI: " + name + " is missing");
    for (const char* name : {"sizeof_odb_key_t", "sizeof_odb_value_t"})
        if (at(name) != 4 && at(name) != 8) throw_input(label + ": " + name + " is neither 4 nor 8");
    if (at("sizeof_odb_node_t") == 0) throw_input(label + ": sizeof_odb_node_t is 0");
}

uint64_t ForeignAbi::at(const std::string& name) const {
    return values_.at(name);
}

uint64_t ForeignAbi::integer(std::span<const std::byte> bytes, uint64_t offset, uint64_t size) const {
    if (offset > bytes.size() || size > bytes.size() - offset) throw_input("cut off");
    const bool is_little = at("little_endian") != 0;
    uint64_t value = 0;
    for (uint64_t i = 0; i < size; ++i)
        value = value << 8 | std::to_integer<uint64_t>(bytes[offset + (is_little ? size - 1 - i : i)]);
    return value;
}

uint64_t ForeignAbi::header_field(std::span<const std::byte> head, const std::string& name, uint64_t size,
                                  const std::string& label) const {
    const uint64_t offset = at("offsetof_header_" + name);
    if (offset > head.size() || size > head.size() - offset)
        throw_input(label + ": the ABI's description has field " + name + " outside of the header");
    return integer(head, offset, size);
}

SampleHeader ForeignAbi::parse_header(std::span<const std::byte> head, const std::string& label) const {
    const auto field = [&](const char* name) {
        return static_cast<uint32_t>(header_field(head, name, 4, label));
    };
    const auto wide_field = [&](const char* name) { return header_field(head, name, 8, label); };
    SampleHeader header;
    header.cpu_type = field("cpu_type");
    header.event_code = field("ctr_event");
    header.unit_mask = field("ctr_um");
    header.count = field("ctr_count");
    header.is_kernel = field("is_kernel") != 0;
    header.cpu_speed_mhz = to_double(wide_field("cpu_speed"));
    header.mtime = wide_field("mtime");
    header.cg_to_is_kernel = field("cg_to_is_kernel") != 0;
    header.anon_start = wide_field("anon_start");
    header.cg_to_anon_start = wide_field("cg_to_anon_start");
    return header;
}

void ForeignAbi::parse_entries(std::span<const std::byte> bytes, uint64_t nodes_at, const std::string& label,
                               Diagnostics& notes, SampleFileContent& content) const {
    const uint64_t used =
        integer(bytes.first(nodes_at), at("sizeof_struct_opd_header") + at("offsetof_descr_current_size"), 4);
    const uint64_t node_size = at("sizeof_odb_node_t"), room = (bytes.size() - nodes_at) / node_size;
    if (used > room)
        notes.warn(label + ": cut off: " + std::to_string(room) + " of its " + std::to_string(used) +
                   " entries are there");
    for (uint64_t i = 1; i < std::min(used, room); ++i) {
        const auto node = bytes.subspan(nodes_at + i * node_size, node_size);
        const SampleEntry entry{integer(node, at("offsetof_node_key"), at("sizeof_odb_key_t")),
                                integer(node, at("offsetof_node_value"), at("sizeof_odb_value_t"))};
        if (entry.count == 0) continue;
        content.entries.push_back(entry);
        content.total += entry.count;
    }
}

SampleFileContent ForeignAbi::parse(std::span<const std::byte> bytes, const std::string& label,
                                    Diagnostics& notes) const {
    const uint64_t header_size = at("sizeof_struct_opd_header"),
                   nodes_at = header_size + at("sizeof_odb_descr_t");
    const uint64_t magic_at = at("offsetof_header_magic");
    if (bytes.size() < nodes_at || magic_at + sample_magic.size() > bytes.size() ||
        std::memcmp(bytes.data() + magic_at, sample_magic.data(), sample_magic.size()) != 0)
        throw_input(label + ": not a sample file");
    const auto head = bytes.first(header_size);
    SampleFileContent content;
    content.version = static_cast<uint32_t>(header_field(head, "version", 4, label));
    if (content.version != 0x12 && content.version != 0x13)
        throw_input(label + ": version 0x" + hex(content.version) +
                    " is neither 0x12 nor 0x13; does the ABI's description belong to this file?");
    content.header = parse_header(head, label);
    parse_entries(bytes, nodes_at, label, notes, content);
    return content;
}

}  // namespace op
