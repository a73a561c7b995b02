// SPDX-License-Identifier: GPL-2.0-or-later
// The text by which notes and lists name a recorded event.
#include "libop/session/event_label.h"

#include "libop/base/text.h"

namespace op {

std::string event_label(std::string_view name, uint64_t count) {
    return std::string(name) + ":" + std::to_string(count);
}

std::string mask_label(uint64_t unit_mask) {
    return ":0x" + hex(unit_mask, 2);
}

std::string event_label(std::string_view name, uint64_t count, uint64_t unit_mask) {
    const std::string counted = count == 0 ? std::string(name) : event_label(name, count);
    return counted + (unit_mask == 0 ? "" : mask_label(unit_mask));
}

}  // namespace op
