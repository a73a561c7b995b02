// SPDX-License-Identifier: GPL-2.0-or-later
// Programs that were installed, or built, together find each other.
#include "utils/optop/programs.h"

#include <unistd.h>

#include <filesystem>
#include <system_error>

namespace op::tool {

std::string program_beside(const std::string& name) {
    std::error_code error;
    const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
    std::string beside = (self.parent_path() / name).string();
    return !error && ::access(beside.c_str(), X_OK) == 0 ? beside : name;
}

}  // namespace op::tool
