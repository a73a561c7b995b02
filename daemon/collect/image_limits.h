// SPDX-License-Identifier: GPL-2.0-or-later
// What images may cost a session. Whoever runs programs chooses their number, paths and code, so each cost
// has an end. There are two shares: what strangers use up is not missing for the host's own programs.
#pragma once

#include <cstddef>
#include <cstdint>

#include "libop/session/sample_file.h"

namespace op::collect {

/// Of one session. The defaults are for recording; tests choose others.
struct ImageLimits {
    /// Each component of a path becomes a directory, twice or three times. The deepest paths that build tools
    /// and containers make have about 40 components.
    size_t components = 64;
    size_t path = 1024;  ///< bytes; with three images a sample file's path stays below PATH_MAX
    size_t name = 255;   ///< of one component, bytes: NAME_MAX of most file systems
    /// Bytes of the manifest for the images of one share. Readers refuse a manifest of more than 64 MiB,
    /// which has room for both shares and the names of commands. Enough for 40,000 images.
    uint64_t manifest_bytes = uint64_t{16} << 20;
    /// Bytes on disk of the sample files and directories of one share: twenty times a day of a busy build
    /// server, and at most 524,288 files and directories.
    uint64_t file_bytes = uint64_t{2} << 30;
    /// Bytes read of the files of one share for their checksums: a quarter of a second.
    uint64_t bytes_for_checksums = uint64_t{256} << 20;
};

/// What is left of a limit: of the host's own images, and of those that strangers choose.
struct Shares {
    ByteRoom of_host, of_strangers;

    ByteRoom& of(bool is_of_host) noexcept { return is_of_host ? of_host : of_strangers; }
};

}  // namespace op::collect
