// SPDX-License-Identifier: GPL-2.0-or-later
// Escaping of bytes in text.
#include "libop/base/percent.h"

#include <algorithm>

#include "libop/base/text.h"

namespace op {

std::string percent_escaped(std::string_view bytes) {
    std::string out;
    while (!bytes.empty()) {
        const auto first = static_cast<unsigned char>(bytes.front());
        const bool is_plain = first != '%' && first >= 0x20 && first != 0x7f;
        const size_t length = is_plain ? utf8_length(bytes) : 0;
        if (length == 0) out += '%' + hex(first, 2);
        out += bytes.substr(0, length);
        bytes.remove_prefix(std::max<size_t>(length, 1));
    }
    return out;
}

std::string percent_unescaped(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        const auto value =
            text.front() == '%' && text.size() >= 3 ? parse_number(text.substr(1, 2), 16) : std::nullopt;
        out += value ? static_cast<char>(*value) : text.front();
        text.remove_prefix(value ? 3 : 1);
    }
    return out;
}

}  // namespace op
