// SPDX-License-Identifier: GPL-2.0-or-later
// Reading event_mappings.
#include "libop/events/event_mapping.h"

#include "libop/base/fd.h"
#include "libop/base/tagged_lines.h"
#include "libop/base/text.h"

namespace op {

namespace {

/// Registers have 64 bits, codes 32.
uint64_t parse_register(std::string_view text, const FileLine& place) {
    if (text.starts_with("0x") || text.starts_with("0X"))
        if (const auto value = parse_number(text.substr(2), 16)) return *value;
    place.fail("'" + std::string(text) + "' is no hexadecimal number of 64 bits, 0xNN");
}

}  // namespace

std::map<uint32_t, EventMapping> parse_event_mappings(std::string_view text, const std::string& label) {
    std::map<uint32_t, EventMapping> mappings;
    FileLine place{label, 0};
    each_line(text, place, [&](std::string_view line) {
        Tags tags(line, place, false);
        const uint32_t code = parse_hex(tags.take("event"), place);
        EventMapping mapping;
        mapping.mmcr0 = parse_register(tags.take("mmcr0"), place);
        mapping.mmcr1 = parse_register(tags.take("mmcr1"), place);
        mapping.mmcra = parse_register(tags.take("mmcra"), place);
        tags.expect_no_more();
        if (!mappings.emplace(code, mapping).second)
            place.fail("event 0x" + hex(code) + " has a mapping already");
    });
    return mappings;
}

std::map<uint32_t, EventMapping> load_event_mappings(const std::string& events_dir, const std::string& type) {
    const std::string path = events_dir + "/" + type + "/event_mappings";
    const auto text = read_file_if_any(path);
    return text ? parse_event_mappings(*text, path) : std::map<uint32_t, EventMapping>{};
}

std::string to_text(const EventMapping& mapping) {
    return "mmcr0:0x" + hex(mapping.mmcr0) + " mmcr1:0x" + hex(mapping.mmcr1) + " mmcra:0x" +
           hex(mapping.mmcra);
}

}  // namespace op
