// SPDX-License-Identifier: GPL-2.0-or-later
// A profile in parts that a server with limits accepts: each of one application.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "libpp/profile/profile.h"

namespace op::fleet {

/// Gets a part and its application, an index into Profile::images, or pp::no_application. Returns false if
/// the part is too large once it is encoded; it then gets the halves of it.
using TakePart = std::function<bool(uint32_t app, const pp::Profile& part)>;

/// Calls `take` for parts that together have every sample of the profile once: its stacks if there are any,
/// else its flat samples. Each part has at most `most_rows` of them (at least 1), of one application. Parts
/// share the profile's symbols and have no arcs. Throws an input error if one row alone is too large.
void for_each_part(const pp::Profile& profile, size_t most_rows, const TakePart& take);

}  // namespace op::fleet
