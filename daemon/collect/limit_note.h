// SPDX-License-Identifier: GPL-2.0-or-later
// What used up the room for images and sample files, for a person who has to end that.
#pragma once

#include <string>
#include <vector>

namespace op::collect {

/// "limits on images: 38112 of 40003 sample files are of programs in /tmp/build": the program, else the
/// directory of programs or of images, that most of the session's sample files (paths below it) are of; empty
/// without one, or where the files are too few to have filled anything.
std::string what_fills(const std::vector<std::string>& paths);

}  // namespace op::collect
