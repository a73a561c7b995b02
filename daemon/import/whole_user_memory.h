// SPDX-License-Identifier: GPL-2.0-or-later
// The image of recordings that do not say which process ran, or what it had mapped.
#pragma once

#include <cstdint>
#include <string_view>

#include "libop/stream/record.h"

namespace op::collect {

/// The number that such recordings' only process gets.
inline constexpr uint32_t only_process = 1;
/// The label of its memory, which is no file's.
inline constexpr std::string_view user_image = "[user]";
/// Its command name.
inline constexpr std::string_view user_program = "user";

/// All addresses that programs have: offsets are run-time addresses.
inline Mapping whole_user_memory() {
    constexpr uint64_t length = uint64_t{1} << 47;
    return {0, only_process, {}, length, 0, false, user_image, {}};
}

}  // namespace op::collect
