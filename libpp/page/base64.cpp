// SPDX-License-Identifier: GPL-2.0-or-later
// Base64.
#include "libpp/page/base64.h"

#include <cstdint>

namespace op::pp {

std::string base64(std::string_view bytes) {
    constexpr const char* digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (size_t i = 0; i < bytes.size(); i += 3) {
        uint32_t bits = 0;
        for (size_t j = i; j < i + 3; ++j)
            bits = bits << 8 | (j < bytes.size() ? static_cast<unsigned char>(bytes[j]) : 0);
        const size_t taken = bytes.size() - i;
        text += digits[bits >> 18];
        text += digits[bits >> 12 & 63];
        text += taken > 1 ? digits[bits >> 6 & 63] : '=';
        text += taken > 2 ? digits[bits & 63] : '=';
    }
    return text;
}

}  // namespace op::pp
