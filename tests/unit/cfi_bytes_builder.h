// SPDX-License-Identifier: GPL-2.0-or-later
// Writes call frame information for tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

namespace op::test {

/// A section of .eh_frame for x86-64: FDEs have absolute addresses of 8 bytes.
class CfiBuilder {
public:
    /// Adds a common entry with these instructions behind `CFA = rsp + 8, return address at CFA - 8`. Returns
    /// its position. `letters` follow the z of the augmentation.
    size_t cie(const std::vector<int>& instructions = {}, std::string_view letters = "R") {
        const size_t at = begin();
        u32(0);
        u8(1);
        u8('z');
        for (const char letter : letters)
            u8(static_cast<uint8_t>(letter));
        u8(0);
        u8(1);     // code alignment
        u8(0x78);  // data alignment: -8
        u8(16);    // return address
        size_t data = 0;
        for (const char letter : letters)
            data += letter == 'R';
        u8(static_cast<uint8_t>(data));
        for (size_t i = 0; i < data; ++i)
            u8(0);  // absolute
        put({0x0c, 7, 8, 0x90, 1});
        put(instructions);
        end(at);
        return at;
    }
    void fde(size_t cie, uint64_t start, uint64_t size, const std::vector<int>& instructions) {
        const size_t at = begin();
        u32(static_cast<uint32_t>(bytes_.size() - cie));
        u64(start);
        u64(size);
        u8(0);
        put(instructions);
        end(at);
    }
    void terminator() { u32(0); }
    std::vector<std::byte>& bytes() { return bytes_; }

private:
    void u8(uint8_t value) { bytes_.push_back(std::byte{value}); }
    void u32(uint32_t value) {
        for (int i = 0; i < 4; ++i)
            u8(static_cast<uint8_t>(value >> 8 * i));
    }
    void u64(uint64_t value) {
        for (int i = 0; i < 8; ++i)
            u8(static_cast<uint8_t>(value >> 8 * i));
    }
    void put(const std::vector<int>& bytes) {
        for (const int each : bytes)
            u8(static_cast<uint8_t>(each));
    }
    size_t begin() {
        u32(0);
        return bytes_.size() - 4;
    }
    /// Fills in the length, which the builder rounds up with nops.
    void end(size_t at) {
        while (bytes_.size() % 4 != 0)
            u8(0);
        const auto length = static_cast<uint32_t>(bytes_.size() - at - 4);
        for (int i = 0; i < 4; ++i)
            bytes_[at + static_cast<size_t>(i)] = std::byte{static_cast<uint8_t>(length >> 8 * i)};
    }

    std::vector<std::byte> bytes_;
};

}  // namespace op::test
