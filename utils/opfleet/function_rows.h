// SPDX-License-Identifier: GPL-2.0-or-later
// What top and diff have in common: options, heads, and names of functions.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fleet/function_counts.h"
#include "fleet/slice_account.h"
#include "utils/opfleet/answer.h"
#include "utils/opfleet/connection.h"
#include "utils/opfleet/selection_options.h"

namespace op::tool {

/// The options of a verb whose rows are functions.
struct FunctionOptions {
    ConnectionOptions connection;
    SelectionOptions selection;
    AnswerOptions answer;
    std::optional<uint64_t> limit;  ///< none = 50; 0 = all

    /// Its rows point into this object; `synopsis` is a literal.
    CommandSyntax syntax(const char* synopsis);
    /// Functions to list; 0 = all.
    uint64_t most() const noexcept { return limit.value_or(50); }
};

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
