// SPDX-License-Identifier: GPL-2.0-or-later
// Joins the rows of several files of one path (doc/adr/0016-identity-of-images.md). Names have been looked up
// in each file before: nothing is looked up here.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "libop/session/session_info.h"
#include "libpp/profile/profile.h"
#include "libpp/profile/sample_set.h"

namespace op::pp {

/// Sets Profile::joined: the files of one path are one image with the path as its name, and their functions
/// of one name are one row. Functions that have an address instead of a name are not joined: at one address
/// two files have different functions.
void join_builds(Profile& profile, const SessionInfo& info);

/// The totals with the samples of all files of one path at the path, in the order of the first file of each.
std::vector<ImageTotal> join_builds(std::span<const ImageTotal> totals, const SessionInfo& info);

/// A remark that names the paths of which several of these images are files, if there are any.
std::vector<std::string> join_remarks(std::span<const ImageFiles> images, const SessionInfo& info);

}  // namespace op::pp
