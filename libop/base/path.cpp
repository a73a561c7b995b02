// SPDX-License-Identifier: GPL-2.0-or-later
// Paths that do not depend on the working directory.
#include "libop/base/path.h"

#include <cstdlib>
#include <filesystem>
#include <memory>

#include "libop/base/error.h"

namespace op {

std::string absolute_path(const std::string& path) {
    std::error_code error;
    const auto absolute = std::filesystem::absolute(path, error);
    if (error) throw_system("the working directory is unknown", error.value());
    return absolute.lexically_normal();
}

std::string real_path(const std::string& path) {
    const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr), std::free);
    if (!real) throw_system("cannot open " + path);
    return real.get();
}

}  // namespace op
