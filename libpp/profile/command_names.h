// SPDX-License-Identifier: GPL-2.0-or-later
// Names of threads for columns, and remarks on programs that ran under other names than their files', as the
// interpreters of scripts do.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "libop/session/recorded_names.h"
#include "libpp/profile/arrange.h"

namespace op::pp {

/// Gives each column of one thread, or one process, its recorded name.
void name_threads(std::span<ProfileClass> classes, const RecordedNames& names);

/// "dash ran as build.sh (94 % of its samples), postinst (6 %)": a remark for each application in `images`
/// that had at least a twentieth of the session's samples under names that its file does not have; the
/// applications of most samples first, five at most. Shares are of all its samples in the session. Of each
/// five names at most are listed, those of less than 1 % are not; the rest and what the session left out are
/// "others".
std::vector<std::string> command_remarks(std::span<const ImageFiles> images, const RecordedNames& names);

}  // namespace op::pp
