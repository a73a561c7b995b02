// SPDX-License-Identifier: GPL-2.0-or-later
// The machine itself or a made-up one.
#include "libop/base/machine_root.h"

#include <cstdlib>

namespace op {

std::optional<std::string> made_up_machine() {
    const char* const directory = ::secure_getenv(machine_variable);
    return directory && *directory ? std::optional<std::string>(directory) : std::nullopt;
}

std::string machine_path(const std::string& path) {
    return made_up_machine().value_or("") + path;
}

}  // namespace op
