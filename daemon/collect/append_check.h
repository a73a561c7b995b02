// SPDX-License-Identifier: GPL-2.0-or-later
// Differences between a run that is added to a session and the earlier runs of the session.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "daemon/collect/collector.h"
#include "libop/session/sample_path.h"
#include "libop/session/session_info.h"

namespace op::collect {

/// One phrase for each difference, to be printed after the session's path: other events, counts or unit
/// masks, another separation, other modes, call stacks in some runs only, another CPU type. No difference
/// mixes up the sample files of the runs, but a report may need options that choose between them. `held`
/// contains the names of the session's sample files, `earlier` its manifest, if it has one.
std::vector<std::string> append_differences(std::span<const SampleName> held,
                                            const std::optional<SessionInfo>& earlier, const SessionInfo& run,
                                            const CollectorOptions& options);

}  // namespace op::collect
