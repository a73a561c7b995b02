// SPDX-License-Identifier: GPL-2.0-or-later
// Attributes and the names of their events.
#include "daemon/import/perf_data_attr.h"

#include <linux/perf_event.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "daemon/import/field_reader.h"
#include "libop/base/error.h"
#include "libop/base/text.h"

namespace op::collect {
namespace {

/// The flags are C bit-fields: in big-endian files they begin at the highest bit.
bool has_flag(uint64_t flags, unsigned bit, bool is_big_endian) {
    return flags >> (is_big_endian ? 63 - bit : bit) & 1;
}

// Bits of the flags.
constexpr unsigned exclude_user = 4, exclude_kernel = 5, freq = 10, sample_id_all = 18, use_clockid = 25,
                   build_id = 34;

constexpr std::array hardware_names{
    "cycles",        "instructions", "cache-references",        "cache-misses",           "branches",
    "branch-misses", "bus-cycles",   "stalled-cycles-frontend", "stalled-cycles-backend", "ref-cycles"};
constexpr std::array software_names{"cpu-clock",        "task-clock",   "page-faults",  "context-switches",
                                    "cpu-migrations",   "minor-faults", "major-faults", "alignment-faults",
                                    "emulation-faults", "dummy",        "bpf-output",   "cgroup-switches"};

/// The name of an event whose file has no names.
std::string generic_name(const PerfDataAttr& attr, const std::map<uint32_t, std::string>& pmus) {
    if (attr.type == PERF_TYPE_HARDWARE && attr.config < hardware_names.size())
        return hardware_names[attr.config];
    if (attr.type == PERF_TYPE_SOFTWARE && attr.config < software_names.size())
        return software_names[attr.config];
    if (attr.type == PERF_TYPE_TRACEPOINT) return "tracepoint-" + std::to_string(attr.config);
    if (attr.type == PERF_TYPE_HW_CACHE) return "cache-" + hex(attr.config);
    if (attr.type == PERF_TYPE_RAW) return "r" + hex(attr.config);
    if (attr.type == PERF_TYPE_BREAKPOINT) return "breakpoint-" + hex(attr.config);
    const auto pmu = pmus.find(attr.type);
    return (pmu == pmus.end() ? "pmu-" + std::to_string(attr.type) : pmu->second) + "-" + hex(attr.config);
}

/// Without what a sample file's name has no place for.
std::string plain(std::string_view name) {
    constexpr size_t most = 100;
    std::string text(name.substr(0, most));
    const auto is_plain = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
               c == '_';
    };
    std::ranges::replace_if(
        text, [&](char c) { return !is_plain(c); }, '_');
    while (text.size() > 1 && text.back() == '_')
        text.pop_back();
    return text.empty() ? "event" : text;
}

/// "cycles:u" -> "cycles"; names with other colons stay.
std::string_view without_modifier(std::string_view name) {
    const size_t colon = name.rfind(':');
    if (colon == name.npos || colon == 0) return name;
    const bool is_modifier = name.substr(colon + 1).find_first_not_of("ukhGHpPISDWeb") == name.npos;
    return is_modifier ? name.substr(0, colon) : name;
}

std::string new_name(const std::string& name, std::set<std::string>& taken) {
    const std::string_view bare = without_modifier(name);
    if (const std::string text = plain(bare); taken.insert(text).second) return text;
    std::string text = plain(name);
    for (int n = 2; !taken.insert(text).second; ++n)
        text = plain(name) + "_" + std::to_string(n);
    return text;
}

}  // namespace

bool PerfDataAttr::is_dummy() const noexcept {
    return type == PERF_TYPE_SOFTWARE && config == PERF_COUNT_SW_DUMMY;
}

PerfDataAttr parse_perf_attr(std::span<const std::byte> bytes, bool is_big_endian) {
    FieldReader in(bytes, is_big_endian);
    PerfDataAttr attr;
    attr.type = in.u32();
    attr.size = in.u32();
    if (attr.size < smallest_perf_attr) throw_input("an event's description has a size of less than 64");
    FieldReader rest(bytes.first(std::min<uint64_t>(bytes.size(), attr.size)), is_big_endian);
    rest.skip(8);
    attr.config = rest.u64();
    attr.period = rest.u64();
    attr.sample_type = rest.u64();
    attr.read_format = rest.u64();
    const uint64_t flags = rest.u64();
    const auto flag = [&](unsigned bit) { return has_flag(flags, bit, is_big_endian); };
    attr.has_user = !flag(exclude_user);
    attr.has_kernel = !flag(exclude_kernel);
    attr.is_freq = flag(freq);
    attr.has_sample_id = flag(sample_id_all);
    attr.uses_clockid = flag(use_clockid);
    attr.has_build_ids = flag(build_id);
    rest.skip(16);  // watermark, breakpoint type, config1
    // Later members are 0 in older files.
    if (rest.remaining() >= 8) rest.skip(8);  // config2
    if (rest.remaining() >= 8) attr.branch_sample_type = rest.u64();
    if (rest.remaining() >= 16) {
        attr.regs_user = rest.u64();
        rest.skip(4);
        attr.clockid = rest.u32();
    }
    return attr;
}

void PerfDataAttrs::add_id(uint64_t id, size_t attr) {
    if (by_id.size() < most_ids) by_id.emplace(id, static_cast<uint16_t>(attr));
}

uint16_t PerfDataAttrs::find(uint64_t id) const noexcept {
    if (id == 0 || attrs.size() == 1) return 0;
    const auto it = by_id.find(id);
    return it == by_id.end() ? unknown : it->second;
}

void PerfDataAttrs::check() const {
    if (attrs.empty()) throw_input("it describes no events");
    const auto is_like_first = [this](const PerfDataAttr& attr) {
        return attr.sample_type == attrs.front().sample_type &&
               attr.has_sample_id == attrs.front().has_sample_id;
    };
    const auto has_identifier = [](const PerfDataAttr& attr) {
        return (attr.sample_type & PERF_SAMPLE_IDENTIFIER) != 0;
    };
    if (!std::ranges::all_of(attrs, is_like_first) && !std::ranges::all_of(attrs, has_identifier))
        throw_input("its events have different samples, and no identifier");
}

PerfDataEvents name_perf_events(const PerfDataAttrs& attrs, const std::map<uint32_t, std::string>& pmus) {
    PerfDataEvents named;
    std::set<std::string> taken;
    for (const PerfDataAttr& attr : attrs.attrs) {
        if (attr.is_dummy()) {
            named.of_attr.push_back(PerfDataAttrs::unknown);
            continue;
        }
        RecordedEvent event;
        event.name = new_name(attr.name.empty() ? generic_name(attr, pmus) : attr.name, taken);
        event.code = static_cast<uint32_t>(attr.config);
        event.count = attr.is_freq ? 0 : attr.period;
        event.kernel = attr.has_kernel;
        event.user = true;  // what skids out of the kernel is a sample, too
        named.of_attr.push_back(static_cast<uint16_t>(named.events.size()));
        named.events.push_back(std::move(event));
    }
    return named;
}

}  // namespace op::collect
