// SPDX-License-Identifier: GPL-2.0-or-later
// Remarks on images that are no files of the host that was profiled: containers' and chroots'.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "libop/session/session_info.h"
#include "libpp/profile/arrange.h"

namespace op::pp {

/// One line for each root with images in `images`, sorted by root: the root and the images of it.
std::vector<std::string> root_remarks(std::span<const ImageFiles> images, const SessionInfo& info);

}  // namespace op::pp
