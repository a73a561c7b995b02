// SPDX-License-Identifier: GPL-2.0-or-later
// Decompression of files such as kernel modules. The one door to liblzma and libzstd.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace op {

/// The content of an .xz file; concatenated streams are joined. Throws an input error naming `label` if the
/// data is damaged, the result exceeds `limit` bytes, or decompression needs more than 256 MiB of memory.
std::string unxz(std::string_view bytes, std::string_view label, size_t limit = 256 << 20);

/// The content of a .zst file; concatenated frames are joined. Throws like unxz.
std::string unzstd(std::string_view bytes, std::string_view label, size_t limit = 256 << 20);
/// Bytes that append_unzstd() needs behind the content, too.
inline constexpr size_t unpack_room = 1 << 18;

/// The same behind a text. It does not move if its capacity has room for the content and unpack_room.
std::string append_unzstd(std::string text, std::string_view bytes, std::string_view label, size_t limit);

/// The kind of compression of an ELF section that zstd compressed (gABI 4.3, "Compression Header"):
/// ELFCOMPRESS_ZSTD, which elf.h lacks in glibc 2.36.
inline constexpr uint32_t zstd_section = 2;

/// A zstd stream that arrives in pieces, each flushed at its end. Needs 128 MiB of memory at most.
class ZstdStream {
public:
    ZstdStream();
    ~ZstdStream();
    ZstdStream(ZstdStream&&) noexcept;
    ZstdStream& operator=(ZstdStream&&) noexcept;

    /// Appends what the next piece of the stream has in it. Throws an input error if the piece is damaged or
    /// has more than `limit` bytes in it; nothing can be read behind it then.
    void unpack(std::span<const std::byte> piece, std::vector<std::byte>& out, size_t limit);

private:
    struct Context;
    std::unique_ptr<Context> context_;
};

}  // namespace op
