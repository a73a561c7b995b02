// SPDX-License-Identifier: GPL-2.0-or-later
// Counts of events that were counted part of the time only, scaled to all of it.
#pragma once

#include <span>

#include "libop/session/counted_time.h"
#include "libop/session/sample_file.h"
#include "libop/session/sample_path.h"
#include "libop/session/session_info.h"

namespace op::pp {

/// How long the event of a sample file was counted, by the session's account of its events: those of that
/// name, count and unit mask, added up. Events that differ in their modes only share files, so that their
/// samples can only be scaled together.
CountedTime counted_time(std::span<const RecordedEvent> events, const SampleName& file);

/// True if counts of that time are to be scaled, and can be.
bool is_scalable(const CountedTime& time);

/// Scales the counts by enabled / running, to whole samples. What rounding takes from or gives to an entry
/// goes on to the one with the next key, so that every sum over a range of keys is within one sample of what
/// it should be, and the total is its own scaled value, rounded. Then the entries are sorted by key; none is
/// 0 that was not. Numbers saturate. Does nothing unless is_scalable().
void scale_counts(SampleFileContent& content, const CountedTime& time);

}  // namespace op::pp
