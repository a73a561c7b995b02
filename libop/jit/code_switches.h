// SPDX-License-Identifier: GPL-2.0-or-later
// Which switches make a runtime name its code, and keep frame pointers in it.
#pragma once

#include <string_view>

namespace op {

/// The advice for a program by its file name; empty if none is known.
std::string_view code_switch(std::string_view program);

/// The advice for whole call stacks through its code; empty if none is known.
std::string_view frame_pointer_switch(std::string_view program);

}  // namespace op
