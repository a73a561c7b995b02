// SPDX-License-Identifier: GPL-2.0-or-later
// What takes the place of libop/events/pfm_events.cpp where there is no libpfm4.
#include "libop/base/error.h"
#include "libop/events/pfm_events.h"

namespace op {

bool has_pfm() noexcept {
    return false;
}

bool pfm_is_present(const std::string&) {
    return false;
}

std::vector<EventDescription> pfm_events(const std::string&) {
    return {};
}

EventEncoding pfm_encoding(const std::string&, const std::string& event, const std::string&) {
    throw_usage("event '" + event + "': this program was built without libpfm4");
}

}  // namespace op
