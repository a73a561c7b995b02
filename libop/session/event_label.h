// SPDX-License-Identifier: GPL-2.0-or-later
// The text by which notes and lists name a recorded event.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace op {

/// "NAME:COUNT".
std::string event_label(std::string_view name, uint64_t count);
/// ":0xMASK", the unit mask with at least two digits as in the heads of reports.
std::string mask_label(uint64_t unit_mask);
/// "NAME:COUNT", and ":0xMASK" where the unit mask is not 0. A count of 0, which is not known, is left out.
std::string event_label(std::string_view name, uint64_t count, uint64_t unit_mask);

}  // namespace op
