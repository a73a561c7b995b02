// SPDX-License-Identifier: GPL-2.0-or-later
// Scales the counts of events that were counted for a part of the time to all of it.
#pragma once

#include <span>

#include "libop/session/counted_time.h"
#include "libop/session/sample_file.h"
#include "libop/session/sample_path.h"
#include "libop/session/session_info.h"

namespace op::pp {

/// How long the event of a sample file was counted: the times of the session's events of that name, count
/// and unit mask, added up. Events that differ only in their modes share files, so their samples can only be
/// scaled together.
CountedTime counted_time(std::span<const RecordedEvent> events, const SampleName& file);

/// True if counts of that time need scaling and can be scaled.
bool is_scalable(const CountedTime& time);

/// Scales the counts by enabled / running, to whole samples. The rounding error of an entry is carried to the
/// entry with the next key, so that the sum over any range of keys is exact within one sample, and the total
/// is the scaled total, rounded. The entries are sorted by key afterwards; no count becomes 0. Numbers
/// saturate. Does nothing unless is_scalable().
void scale_counts(SampleFileContent& content, const CountedTime& time);

}  // namespace op::pp
