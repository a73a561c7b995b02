// SPDX-License-Identifier: GPL-2.0-or-later
// The text by which notes and lists name a recorded event.
#include "libop/session/event_label.h"

#include "libop/base/text.h"

namespace op {

std::string event_label(std::string_view name, uint64_t count) {
    return std::string(name) + ":" + std::to_string(count);
}

std::string event_label(std::string_view name, uint64_t count, uint64_t unit_mask) {
    return event_label(name, count) + (unit_mask == 0 ? "" : ":0x" + hex(unit_mask));
}

}  // namespace op
