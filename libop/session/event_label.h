// SPDX-License-Identifier: GPL-2.0-or-later
// The text by which notes and lists name a recorded event.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace op {

/// "NAME:COUNT".
std::string event_label(std::string_view name, uint64_t count);
/// "NAME:COUNT", and ":0xMASK" where the unit mask is not 0.
std::string event_label(std::string_view name, uint64_t count, uint64_t unit_mask);

}  // namespace op
