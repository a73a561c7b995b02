// SPDX-License-Identifier: GPL-2.0-or-later
// Reading LEB128 numbers and encoded pointers.
#include "daemon/unwind/cfi_bytes.h"

namespace op::collect {

namespace {

constexpr uint8_t form_mask = 0x0f, relation_mask = 0x70, indirect = 0x80;
constexpr uint8_t relative_to_field = 0x10;

/// The value by its form alone: absptr, uleb128, udata2/4/8, sleb128, sdata2/4/8.
uint64_t read_form(ByteReader& in, uint8_t form) {
    switch (form) {
        case 0x0:
        case 0x4:
        case 0xc:
            return in.get<uint64_t>();
        case 0x1:
            return read_uleb(in);
        case 0x2:
            return in.get<uint16_t>();
        case 0x3:
            return in.get<uint32_t>();
        case 0x9:
            return static_cast<uint64_t>(read_sleb(in));
        case 0xa:
            return static_cast<uint64_t>(in.get<int16_t>());
        case 0xb:
            return static_cast<uint64_t>(in.get<int32_t>());
        default:
            throw_input("call frame information: pointer encoding " + std::to_string(form));
    }
}

}  // namespace

uint64_t read_uleb(ByteReader& in) {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        const auto byte = in.get<uint8_t>();
        value |= static_cast<uint64_t>(byte & 0x7f) << shift;
        if (byte < 0x80) return value;
    }
    throw_input("call frame information: a number is too long");
}

int64_t read_sleb(ByteReader& in) {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64;) {
        const auto byte = in.get<uint8_t>();
        value |= static_cast<uint64_t>(byte & 0x7f) << shift;
        shift += 7;
        if (byte >= 0x80) continue;
        if ((byte & 0x40) && shift < 64) value |= ~uint64_t{0} << shift;
        return static_cast<int64_t>(value);
    }
    throw_input("call frame information: a number is too long");
}

uint64_t read_encoded(ByteReader& in, uint8_t encoding, uint64_t here) {
    const uint64_t value = read_form(in, encoding & form_mask);
    if (encoding & indirect) throw_input("call frame information: an indirect address of code");
    switch (encoding & relation_mask) {
        case 0:
            return value;
        case relative_to_field:
            return value + here;
        default:
            throw_input("call frame information: pointer encoding " + std::to_string(encoding));
    }
}

void skip_encoded(ByteReader& in, uint8_t encoding) {
    constexpr uint8_t omitted = 0xff;
    if (encoding != omitted) read_form(in, encoding & form_mask);
}

}  // namespace op::collect
