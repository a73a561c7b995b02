// SPDX-License-Identifier: GPL-2.0-or-later
// Random bits from the kernel.
#include "libop/base/random_id.h"

#include <sys/random.h>

#include <array>
#include <cstddef>

#include "libop/base/error.h"
#include "libop/base/text.h"

namespace op {

std::string random_id() {
    std::array<std::byte, 16> bytes{};
    if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
        throw_system("cannot get random bytes");
    return hex(bytes);
}

}  // namespace op
