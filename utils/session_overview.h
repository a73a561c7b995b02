// SPDX-License-Identifier: GPL-2.0-or-later
// What is known of the sessions of a report, beside their samples.
#pragma once

#include "libpp/profile/profile_spec.h"
#include "utils/opreport_options.h"
#include "utils/outside.h"
#include "utils/shared/tool.h"

namespace op::tool {

/// Prints, of the profile that is selected or of both, each with its own notes: for each session where it
/// lies, where, when and how it was recorded, and the account of its samples; then the head of a report on
/// what is selected of them. Takes the tool's notes. Reads the samples and their symbols.
void print_sessions(const ReportCommandOptions& o, const pp::ProfileWords& words, const Outside& outside,
                    Tool& tool);

}  // namespace op::tool
