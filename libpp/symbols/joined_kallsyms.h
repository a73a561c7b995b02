// SPDX-License-Identifier: GPL-2.0-or-later
// One text of kernel symbols from those of several sessions, each of which may have only what it met.
#pragma once

#include <string>
#include <vector>

#include "libop/session/session_info.h"

namespace op::pp {

struct SessionKallsyms {
    std::string text;  ///< see SessionReader::kallsyms()
    SessionInfo info;
};

/// All lines, with addresses as in the boot of `joined`. Lines of a kernel or module of another build than
/// there are left out.
std::string join_kallsyms(std::vector<SessionKallsyms> sessions, const SessionInfo& joined);

}  // namespace op::pp
