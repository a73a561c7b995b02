// SPDX-License-Identifier: GPL-2.0-or-later
// Paths that do not depend on the working directory.
#include "libop/base/path.h"

#include <cstdlib>
#include <filesystem>
#include <memory>

#include "libop/base/error.h"

namespace op {

namespace {

std::string absolute_path(const std::string& path, std::error_code& error) {
    return std::filesystem::absolute(path, error).lexically_normal();
}

}  // namespace

std::string absolute_path(const std::string& path) {
    std::error_code error;
    std::string absolute = absolute_path(path, error);
    if (error) throw_system("the working directory is unknown", error.value());
    return absolute;
}

std::optional<std::string> find_absolute_path(const std::string& path) {
    std::error_code error;
    std::string absolute = absolute_path(path, error);
    return error ? std::nullopt : std::optional(std::move(absolute));
}

std::string real_path(const std::string& path) {
    const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr), std::free);
    if (!real) throw_system("cannot open " + path);
    return real.get();
}

}  // namespace op
