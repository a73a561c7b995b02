// SPDX-License-Identifier: GPL-2.0-or-later
// Names of things become their numbers.
#include "fleet/numbers.h"

#include <algorithm>

#include "fleet/sha256.h"
#include "libop/base/text.h"

namespace op::fleet {

std::string name_of(std::initializer_list<std::string_view> parts) {
    return joined(parts, std::string_view("\0", 1), [](std::string_view part) { return std::string(part); });
}

NumberedImage number_image(const ImageName& name, const SessionInfo& info) {
    if (name.kind == ImageName::Kind::anon)
        return {id64(name_of({"anon", name.name})), {"", name.name, "anon"}};
    const RecordedImage recorded = info.recorded(name.name, 0);
    const bool is_kernel = name.kind == ImageName::Kind::kernel;
    SliceImage row{recorded.several_builds ? "" : recorded.build_id, info.path(name.name),
                   is_kernel ? "kernel" : "file"};
    if (!row.build_id.empty()) return {id64(row.build_id), std::move(row)};
    // Without a build-id, modules of different kernels are different.
    const std::string extra = is_kernel ? info.kernel_release : std::to_string(recorded.size);
    return {id64(name_of({name.name, std::to_string(recorded.mtime), extra})), std::move(row)};
}

RecordedEvent recorded_event(const SessionInfo& info, std::string_view name, uint64_t count,
                             uint64_t unit_mask) {
    const auto recorded = std::ranges::find_if(info.events, [&](const RecordedEvent& each) {
        return each.name == name && each.count == count && each.unit_mask == unit_mask;
    });
    if (recorded != info.events.end()) return *recorded;
    RecordedEvent event;
    event.name = name;
    event.count = count;
    event.unit_mask = unit_mask;
    return event;
}

uint64_t event_number(const RecordedEvent& event) {
    return id64(name_of({"event", event.name, std::to_string(event.count), std::to_string(event.unit_mask),
                         event.kernel ? "1" : "0", event.user ? "1" : "0"}));
}

uint64_t host_number(std::string_view hostname) {
    return id64(name_of({"host", hostname}));
}

}  // namespace op::fleet
