// SPDX-License-Identifier: GPL-2.0-or-later
// What a run that is added to a session does otherwise than the runs before it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "daemon/collect/collector.h"
#include "libop/session/sample_path.h"
#include "libop/session/session_info.h"

namespace op::collect {

/// A sentence's end for each difference, which the session's path begins: other events, counts or unit masks,
/// another separation, other modes, another kind of processor. Sample files of different runs are mixed up by
/// none of them; reports may have to be told what to show. `held` are the names of the session's sample
/// files, `earlier` is its manifest, if it has one.
std::vector<std::string> append_differences(std::span<const SampleName> held,
                                            const std::optional<SessionInfo>& earlier, const SessionInfo& run,
                                            const CollectorOptions& options);

}  // namespace op::collect
