// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/collect/sample_names.h"

#include <optional>

namespace op::collect {
namespace {

std::optional<uint32_t> number(uint32_t value) {
    return value == ClassKey::all ? std::nullopt : std::optional(value);
}

}  // namespace

ImageName image_name(const ImageRef& image, const StringTable& names) {
    ImageName name;
    name.name = names.text(image.name);
    if (image.kind == RegionKind::anon) {
        name.kind = ImageName::Kind::anon;
        name.tgid = image.tgid;
        name.start = image.start.value();
        name.end = image.end.value() - 1;
    } else if (image.kind == RegionKind::kernel && name.name.find('/') == std::string::npos) {
        name.kind = ImageName::Kind::kernel;
    }
    return name;
}

SampleClass class_name(const ClassKey& key, const SessionInfo& info) {
    const RecordedEvent& event = info.events.at(key.event);
    return {event.name, event.count, event.unit_mask, number(key.tgid), number(key.tid), number(key.cpu)};
}

}  // namespace op::collect
