// SPDX-License-Identifier: GPL-2.0-or-later
// Binaries that a session keeps, because their files will be gone when a report is made: deleted or replaced
// while they ran, or of another root. Layout: doc/FORMATS.md, "Kept binaries".
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "libop/base/access_policy.h"
#include "libop/base/fd.h"

namespace op {

/// The directory in samples/<session>; its files are named by build-id.
inline constexpr const char* kept_images_dir = "images";
/// At most so many bytes of one binary, and of all of a session. Strangers choose what runs.
inline constexpr uint64_t kept_image_limit = uint64_t{16} << 20, kept_images_limit = uint64_t{256} << 20;

/// What SessionInfo::images has the vDSO as that the session keeps.
inline constexpr const char* kept_vdso_name = "[vdso]";

/// Copies the binary `file` with that build-id (lower-case hex) below `session`, whose path is `label`.
/// What is made gets the modes and group of `policy`. Returns its bytes; 0 if the session has it already,
/// none if it is larger than `limit` or empty. Does not wait for the disk. Throws a system error; then
/// nothing is left of the copy.
std::optional<uint64_t> keep_image(const Fd& session, const std::string& label, const std::string& build_id,
                                   const Fd& file, uint64_t limit, const AccessPolicy& policy = {});

/// The bytes of all binaries that `session`, whose path is `label`, has. Throws a system error.
uint64_t kept_image_bytes(const Fd& session, const std::string& label);

/// The path of a kept binary; none if the session does not have it. `build_id` may be any text.
std::optional<std::string> find_kept_image(const std::string& session_path, const std::string& build_id);

}  // namespace op
