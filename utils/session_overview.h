// SPDX-License-Identifier: GPL-2.0-or-later
// What is known of the sessions of a report, beside their samples.
#pragma once

#include <string>

#include "libpp/report/report.h"
#include "utils/load_profile.h"

namespace op::tool {

/// For each session where it lies, where, when and how it was recorded, and the account of its samples; then
/// the head of a report on what is selected of them, with all notes. Takes the notes from `notes`. Reads the
/// samples and their symbols.
std::string session_overview(LoadedProfile& loaded, const pp::ReportOptions& options, Diagnostics& notes);

}  // namespace op::tool
