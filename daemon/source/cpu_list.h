// SPDX-License-Identifier: GPL-2.0-or-later
// Lists of CPUs as the kernel and people write them: "0-2,5".
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace op::collect {

/// The numbers in such a list, in ascending order, each once; none if `text` is not such a list.
std::optional<std::vector<uint32_t>> parse_cpu_list(std::string_view text);
/// The CPUs that are online, in ascending order.
std::vector<uint32_t> online_cpus();

}  // namespace op::collect
