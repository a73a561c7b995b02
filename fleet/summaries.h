// SPDX-License-Identifier: GPL-2.0-or-later
// Days whose samples by function are added up already, in `function_days` (fleet/fleet_days.h makes them).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fleet/selection.h"
#include "fleet/server.h"

namespace op::fleet {

/// Notes in `chosen` which of its days have a complete summary, and no longer all of the rows that their
/// accounts name: retain has dropped them. Throws as Server::query().
void find_summaries(Server& server, Chosen& chosen);

/// Notes in `chosen` the images in which programs or releases were sampled, if it has any: tables are sorted
/// by image, so further questions read the rows of these images only. After find_summaries(). Throws as
/// Server::query().
void find_used_images(Server& server, Chosen& chosen);

/// "(SELECT columns FROM function_days ...)" with the rows of the selection's summarised days, of which there
/// is one at least; each row once, none without samples. `more` is a further condition, "" or " AND ...".
std::string summary_rows(std::string_view columns, const Chosen& chosen, std::string_view more = "");

}  // namespace op::fleet
