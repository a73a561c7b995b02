// SPDX-License-Identifier: GPL-2.0-or-later
// Reading without a fault.
#include "libop/base/kernel_file.h"

#include <unistd.h>

#include <algorithm>
#include <array>

#include "libop/base/error.h"
#include "libop/base/fd.h"

namespace op {

std::string read_kernel_file(const std::string& path) {
    try {
        return read_file(path);
    } catch (const Error&) {
        return {};
    }
}

std::string read_kernel_line(const std::string& path) {
    std::string text = read_kernel_file(path);
    text.resize(std::min(text.find('\n'), text.size()));
    return text;
}

std::string read_kernel_link(const std::string& path) {
    std::array<char, 4096> text{};
    const ssize_t size = ::readlink(path.c_str(), text.data(), text.size());
    return {text.data(), size > 0 ? static_cast<size_t>(size) : 0};
}

std::string proc_path(uint64_t number, std::string_view file) {
    return "/proc/" + std::to_string(number) + "/" + std::string(file);
}

}  // namespace op
