// SPDX-License-Identifier: GPL-2.0-or-later
// Names for a terminal: a name a line. Each takes no more columns than it has, and no two look the same.
#include <cstdint>
#include <cstdlib>
#include <set>

#include "libop/base/text.h"
#include "libpp/report/fit_names.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    constexpr size_t least = 10;  // columns: leaves room for a number
    std::map<std::string, size_t> room_by_name;
    for (std::string_view rest(reinterpret_cast<const char*>(data), size); !rest.empty();)
        room_by_name.emplace(op::take_line(rest), least + size % 50);
    std::set<std::string> distinct;
    const auto shown = op::pp::fit_names(room_by_name);
    for (const auto& [name, text] : shown)
        if (op::pp::columns_of(text) > room_by_name.at(name) || !distinct.insert(text).second) std::abort();
    if (shown.size() != room_by_name.size()) std::abort();
    return 0;
}
