// SPDX-License-Identifier: GPL-2.0-or-later
// Seam 2: the interface of object files for the symbol layer. Does not open files: callers pass the bytes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libop/base/address.h"

namespace op {

/// The address that the first code of a relocatable file (a kernel module) gets, see relocatable_layout().
/// Not 0, which the debug information of dropped functions uses; no linked kernel starts there.
inline constexpr uint64_t relocatable_base = 1 << 21;

/// A section that is part of the running image. Views are valid as long as the object file.
struct Section {
    std::string_view name;
    LinkAddress address;
    uint64_t file_offset = 0;
    uint64_t size = 0;                 ///< bytes
    bool code = false;                 ///< holds instructions
    bool in_file = true;               ///< false: takes no room in the file (.bss)
    std::span<const std::byte> bytes;  ///< empty if damaged or not in the file
};

/// The first section of that name; null if no section has it. Valid as long as `sections`.
inline const Section* find_section(std::span<const Section> sections, std::string_view name) {
    const auto at = std::ranges::find(sections, name, &Section::name);
    return at == sections.end() ? nullptr : &*at;
}

/// A symbol as the file has it.
struct RawSymbol {
    LinkAddress address;
    uint64_t size = 0;      ///< bytes; 0 = unknown
    std::string_view name;  ///< mangled; valid as long as the object file
    bool global = false;
    bool weak = false;
};

/// How a separate debug file is named (.gnu_debuglink).
struct DebugLink {
    std::string name;  ///< base name
    uint32_t crc = 0;  ///< CRC-32 of the debug file
};

/// One object file.
class ObjectFile {
public:
    virtual ~ObjectFile() = default;
    /// With .gnu_debuglink and .gnu_debugdata, which are not loaded. Of a file without section headers: its
    /// loaded segments, nameless, and the unwind table.
    virtual std::span<const Section> sections() const = 0;
    /// The symbols of .symtab or, with `dynamic`, of .dynsym; unsorted. Functions and unclassified symbols
    /// that lie in code sections; empty if there is no such table.
    virtual std::vector<RawSymbol> symbols(bool dynamic) const = 0;
    /// Lower-case hex; empty if the file has no build-id.
    virtual std::string build_id() const = 0;
    virtual std::optional<DebugLink> debug_link() const = 0;
    /// True if the file itself holds debug information.
    virtual bool has_debug_info() const = 0;
};

}  // namespace op
