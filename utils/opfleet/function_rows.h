// SPDX-License-Identifier: GPL-2.0-or-later
// What top and diff have in common: heads, and names of functions.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "fleet/function_counts.h"
#include "fleet/slice_account.h"
#include "utils/opfleet/answer.h"

namespace op::tool {

struct FunctionTotals {
    uint64_t samples = 0, nameless = 0;
};
FunctionTotals totals_of(const std::vector<fleet::FunctionCount>& counts);

/// The name for people; "(no symbols)" without one.
std::string function_name(const std::map<uint64_t, std::string>& names, uint64_t func);

/// Adds facts and a line on event, days, hosts and slices.
void add_selection(Answer& answer, const fleet::Chosen& chosen, const fleet::SliceAccount& account);

/// Lines on what is missing of a selection's samples.
std::vector<std::string> missing_remarks(const fleet::Chosen& chosen, const fleet::SliceAccount& account,
                                         const FunctionTotals& totals);

}  // namespace op::tool
