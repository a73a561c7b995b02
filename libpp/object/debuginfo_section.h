// SPDX-License-Identifier: GPL-2.0-or-later
// The content of a section of debug information, and whether it can be unpacked.
#pragma once

#include <libelf.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace op::pp {

/// The content, unpacked, of the first section of that name that has content; empty if no section has, or it
/// cannot be unpacked. Valid as long as `elf`.
std::span<const std::byte> section_content(Elf* elf, std::string_view wanted);

/// Bytes that the compressed sections of a file of `file_size` bytes may take unpacked: 64 times the file, at
/// most 8 GiB. Compilers' sections shrink to a third or so; zlib can shrink to a thousandth, zstd to less.
uint64_t unpacked_limit(uint64_t file_size) noexcept;

/// Why no section of a file is to be unpacked: they would take more than unpacked_limit(). Empty if they do
/// not; then the headers of its sections are writable, for libelf unpacks in place. To be called before libdw
/// opens the file, which unpacks all of them. The bytes of a mapped file must be mapped privately.
std::string unpacking_fault(Elf* elf);

}  // namespace op::pp
