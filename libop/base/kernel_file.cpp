// SPDX-License-Identifier: GPL-2.0-or-later
// Reading without a fault.
#include "libop/base/kernel_file.h"

#include <algorithm>

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

}  // namespace op
