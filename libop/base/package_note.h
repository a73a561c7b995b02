// SPDX-License-Identifier: GPL-2.0-or-later
// The package that an ELF file names as its own: the JSON of the note of owner "FDO", type 0xcafe1a7e,
// in .note.package (https://systemd.io/ELF_PACKAGE_METADATA/). Reads name and version, nothing else.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "libop/base/fd.h"

namespace op {

/// A package of a distribution.
struct Package {
    std::string name;     ///< never empty
    std::string version;  ///< empty = not known

    bool operator==(const Package&) const = default;
};

/// Longer names and versions are not believed.
inline constexpr size_t most_package_bytes = 256;

/// The package if both texts are short and can be printed, and there is a name; else none.
std::optional<Package> checked_package(std::string name, std::string version);

/// The package of an ELF file of this machine's byte order. None if the first notes_limit bytes of its first
/// segments of notes (elf_notes.h) hold no such note, or if the note is damaged.
std::optional<Package> package_of_elf(std::span<const std::byte> file);
/// The same for an open file, whose offset stays as it is. The file may change or shrink during the call.
std::optional<Package> package_of_fd(const Fd& file);

}  // namespace op
