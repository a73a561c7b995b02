// SPDX-License-Identifier: GPL-2.0-or-later
// CRC-32 by zlib.
#include "libop/base/checksum.h"

#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <vector>

namespace op {

uint32_t checksum(std::span<const std::byte> bytes, uint32_t before) {
    uLong crc = before;
    for (size_t at = 0; at < bytes.size();) {
        const size_t n = std::min<size_t>(bytes.size() - at, 1u << 30);
        crc = ::crc32(crc, reinterpret_cast<const Bytef*>(bytes.data() + at), static_cast<uInt>(n));
        at += n;
    }
    return static_cast<uint32_t>(crc);
}

namespace {

/// The checksum of what was read before and of these bytes of a file, as far as it has them; none if it
/// cannot be read.
std::optional<uint32_t> add_range(uint32_t sum, const Fd& file, uint64_t at, uint64_t end) {
    std::vector<std::byte> piece(std::min<uint64_t>(end - at, 256 << 10));
    while (at < end) {
        const size_t wanted = std::min<uint64_t>(end - at, piece.size());
        const ssize_t n = ::pread(file.get(), piece.data(), wanted, static_cast<off_t>(at));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return std::nullopt;
        if (n == 0) break;
        sum = checksum(std::span(piece).first(static_cast<size_t>(n)), sum);
        at += static_cast<uint64_t>(n);
    }
    return sum;
}

}  // namespace

std::optional<uint32_t> file_checksum(const Fd& file, uint64_t size, uint64_t most) {
    if (size <= most) return add_range(0, file, 0, size);
    const auto start = add_range(0, file, 0, most / 2);
    return start ? add_range(*start, file, size - most / 2, size) : std::nullopt;
}

}  // namespace op
