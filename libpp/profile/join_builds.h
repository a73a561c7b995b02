// SPDX-License-Identifier: GPL-2.0-or-later
// Joins the rows of several files of one path (doc/adr/0016-identity-of-images.md). Names have been looked up
// in each file before: nothing is looked up here.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "libop/session/session_info.h"
#include "libpp/profile/profile.h"
#include "libpp/profile/sample_set.h"

namespace op::pp {

/// The name of the image that has the rows of an image.
using JoinedName = std::function<ImageName(const ImageName&)>;

/// Sets Profile::joined: images of one joined name are one image of that name, and their functions of one
/// name are one row, as are those of run-time code that is joined, and artificial symbols of one name in one
/// image. Functions that have an address instead of a name are not joined: at one address two images have
/// different functions.
void join_rows(Profile& profile, const JoinedName& joined_name);
/// The totals with the samples of images of one joined name together, in the order of the first of each.
std::vector<ImageTotal> join_totals(std::span<const ImageTotal> totals, const JoinedName& joined_name);

/// An image by its path.
ImageName named_by_path(const ImageName& image, const SessionInfo& info);

/// Joins the files of one path, with the path as the image's name.
void join_builds(Profile& profile, const SessionInfo& info);

/// The totals with the samples of all files of one path at the path, in the order of the first file of each.
std::vector<ImageTotal> join_builds(std::span<const ImageTotal> totals, const SessionInfo& info);

/// A remark that names the paths of which several of these images are files, if there are any.
std::vector<std::string> join_remarks(std::span<const ImageFiles> images, const SessionInfo& info);

}  // namespace op::pp
