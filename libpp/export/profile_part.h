// SPDX-License-Identifier: GPL-2.0-or-later
// Profiles by application and process, for formats that hold one of them in a file.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "libpp/profile/profile.h"

namespace op::pp {

/// An application; in a profile separated by process or thread, one process or thread of it.
struct ProfilePart {
    uint32_t app;  ///< index into Profile::images
    std::optional<uint32_t> tgid, tid;
    std::vector<uint32_t> columns;  ///< indexes into Profile::columns
};

/// All parts that have samples or calls, by name of the application, then tgid and tid. Every sample is in
/// one.
std::vector<ProfilePart> profile_parts(const Profile& profile);

/// The samples of a part, and the calls from its application, with its columns only.
Profile profile_of(const Profile& profile, const ProfilePart& part);

}  // namespace op::pp
