// SPDX-License-Identifier: GPL-2.0-or-later
// Samples as text reports and Markdown show them: counts, or the time that a clock's samples are worth.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "libpp/report/report.h"

namespace op::pp {

/// What a sample of the column is worth, in milliseconds; 0 = its event is no clock.
double sample_milliseconds(const ReportHead& head, size_t column);

/// The decimals with which such a time is shown, so that a sample is not 0: none if it is a whole number.
int millisecond_digits(double each);

/// The count of a column: "1290", or where the head shows time, milliseconds.
std::string count_text(const ReportHead& head, size_t column, uint64_t count);

/// The title of such a column: "samples" or "ms".
std::string count_title(const ReportHead& head);

}  // namespace op::pp
