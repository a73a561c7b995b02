// SPDX-License-Identifier: GPL-2.0-or-later
// Compressed files as others make them.
#pragma once

#include <gtest/gtest.h>
#include <lzma.h>
#include <zstd.h>

#include <string>
#include <string_view>

namespace op::test {

inline std::string xz(std::string_view text) {
    std::string packed(lzma_stream_buffer_bound(text.size()), '\0');
    size_t size = 0;
    EXPECT_EQ(
        lzma_easy_buffer_encode(1, LZMA_CHECK_CRC32, nullptr, reinterpret_cast<const uint8_t*>(text.data()),
                                text.size(), reinterpret_cast<uint8_t*>(packed.data()), &size, packed.size()),
        LZMA_OK);
    packed.resize(size);
    return packed;
}

inline std::string zstd(std::string_view text) {
    std::string packed(ZSTD_compressBound(text.size()), '\0');
    packed.resize(ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), 1));
    return packed;
}

}  // namespace op::test
