// SPDX-License-Identifier: GPL-2.0-or-later
// Directories and files whose content opcontrol acts on: nobody else may be able to write there.
#pragma once

#include <string>

#include "libop/base/fd.h"

namespace op::tool {

/// Throws an input error if the open directory or file belongs to somebody other than root and the running
/// user, or if its group or others may write to it.
void require_trusted(const Fd& fd, const std::string& label);

/// Opens directory `name` of `parent` and checks both as above; does not follow a link for `name`. If the
/// directory is missing, creates it (0755) with `make`, else returns an empty Fd. Throws a system error.
Fd open_trusted_directory(const std::string& parent, const std::string& name, bool make);

}  // namespace op::tool
