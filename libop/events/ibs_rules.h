// SPDX-License-Identifier: GPL-2.0-or-later
// The rules of AMD's instruction-based sampling (IBS) for events that are requested together. Does not know
// the content of a sample; daemon/source/ibs_decode does.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "libop/events/event_catalogue.h"

namespace op {

/// The low bits of a count that the samplers ignore (AMD64 APM 2, "IBS Fetch Control Register",
/// IbsFetchMaxCnt: bits 19:4 of the count; IBS_OP_CTL has the same). The kernel refuses counts with such
/// bits.
inline constexpr uint64_t ibs_count_step = 16;

/// The greatest count of a sampler, "ibs_fetch" or "ibs_op", on that CPU type.
uint64_t greatest_ibs_count(std::string_view cpu_type, std::string_view facility) noexcept;

/// Checks the events that are derived from a sampler's samples: counts that it takes, and one count and one
/// unit mask for all of them. Events without a count (0) take part only in the latter. Throws a usage error.
void check_ibs_events(std::string_view cpu_type, std::span<const ResolvedEvent> events);

}  // namespace op
