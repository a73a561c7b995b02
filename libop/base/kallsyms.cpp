// SPDX-License-Identifier: GPL-2.0-or-later
// Parsing kallsyms lines.
#include "libop/base/kallsyms.h"

#include "libop/base/text.h"

namespace op {

std::optional<KallsymsLine> parse_kallsyms_line(std::string_view line) {
    const auto address = parse_number(take_word(line), 16);
    const auto type = take_word(line), name = take_word(line);
    auto module = take_word(line);
    if (!address || *address == 0 || type.size() != 1 || name.empty()) return std::nullopt;
    if (module.size() > 2 && module.front() == '[') module = module.substr(1, module.size() - 2);
    return KallsymsLine{*address, type[0], name, module};
}

}  // namespace op
