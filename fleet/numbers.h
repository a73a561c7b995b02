// SPDX-License-Identifier: GPL-2.0-or-later
// The numbers by which the fleet's tables name the events and images of a session. They follow from its
// manifest and the names of its sample files, so that whoever has these can match rows with files.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "libop/session/sample_path.h"
#include "libop/session/session_info.h"

namespace op::fleet {

/// A row of `images`.
struct SliceImage {
    std::string build_id, path, kind;
};

struct NumberedImage {
    uint64_t number = 0;
    SliceImage row;
};

/// Parts of a name with a NUL between them: no part but the last may hold one.
std::string name_of(std::initializer_list<std::string_view> parts);

/// An image of a session. Those of one build-id have one number, and so has all anonymous memory of one
/// label.
NumberedImage number_image(const ImageName& name, const SessionInfo& info);

/// The event of that name, count and unit mask as the manifest has it, else with the defaults.
RecordedEvent recorded_event(const SessionInfo& info, std::string_view name, uint64_t count,
                             uint64_t unit_mask);

/// The number of an event by all that was asked for.
uint64_t event_number(const RecordedEvent& event);

/// The number of a host by its name.
uint64_t host_number(std::string_view hostname);

}  // namespace op::fleet
