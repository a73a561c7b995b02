// SPDX-License-Identifier: GPL-2.0-or-later
// The jitdumps that a recording of another profiler names: a process maps a page of its own, so that its
// recorder meets the path.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "libop/base/file_identity.h"
#include "libop/base/text.h"

namespace op {

/// The number in a path ".../jit-N.dump": of the process, as it sees itself. None for other paths.
inline std::optional<uint64_t> jitdump_number(std::string_view path) {
    constexpr std::string_view start = "jit-", end = ".dump";
    std::string_view name = base_name(path);
    if (name.size() <= start.size() + end.size() || !name.starts_with(start) || !name.ends_with(end))
        return std::nullopt;
    name.remove_prefix(start.size());
    name.remove_suffix(end.size());
    return parse_number(name);
}

struct RecordedDump {
    std::string path;   ///< as the process had it
    FileIdentity file;  ///< as the mapping has it

    bool operator==(const RecordedDump&) const = default;
};

}  // namespace op
