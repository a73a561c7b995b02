// SPDX-License-Identifier: GPL-2.0-or-later
// Which addresses of run-time code a session has: in its sample files and its call stacks. Read back when
// names are asked for, so that recording costs nothing and runs that are added to have theirs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "libop/base/diagnostics.h"
#include "libop/session/session.h"

namespace op::collect {

struct CodeHits {
    std::vector<uint64_t> addresses;  ///< run-time addresses, sorted, each once
    std::optional<ImageName>
        application;      ///< of a sample file; none if the process has only frames of stacks
    bool is_cut = false;  ///< there are more addresses than are kept

    static constexpr size_t most_addresses = 1 << 18;
};

/// Those of these processes; one without any is left out. What is being written must have been flushed.
/// Damage is a warning.
std::map<uint32_t, CodeHits> read_code_hits(const SessionWriter& session, const std::set<uint32_t>& tgids,
                                            Diagnostics& notes);

/// The highest generation of each process that has samples or frames in such code. Damage is a warning.
std::map<uint32_t, unsigned> code_generations(const SessionWriter& session, Diagnostics& notes);

/// These processes.
std::set<uint32_t> processes_with_code(const SessionWriter& session, Diagnostics& notes);

}  // namespace op::collect
