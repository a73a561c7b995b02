// SPDX-License-Identifier: GPL-2.0-or-later
// Separate debug files, and source lines through libdw. One of the two doors to elfutils.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libop/address.h"
#include "libop/diagnostics.h"
#include "libpp/object_file.h"

namespace op::pp {

/// Where the debug file of that build-id (lower-case hex, more than two digits) lies below a root directory.
std::string debug_file_path(const std::string& build_id);

/// The debug file of a binary, if one is found below any of `roots` ("" = this machine's): by build-id in
/// /usr/lib/debug/.build-id, else by its debug link and checksum in DIR/.debug, /usr/lib/debug/DIR and DIR,
/// DIR being where the binary lies. A candidate whose build-id or checksum differs is passed over with a
/// note.
std::optional<std::string> find_debug_file(const std::string& binary, const ObjectFile& object,
                                           std::span<const std::string> roots, Diagnostics& notes);

/// Source lines of one file. Not thread-safe.
class LineTable {
public:
    /// `bytes` (an ELF file) must outlive the table. A file without debug information, and a
    /// relocatable one, gives no lines.
    explicit LineTable(std::span<const std::byte> bytes);
    ~LineTable();

    /// True if there is debug information at all.
    bool has_lines() const noexcept;

    struct Line {
        std::string_view file;  ///< valid as long as the table
        uint32_t line;
    };
    /// Where the instruction at a link address comes from.
    std::optional<Line> find(LinkAddress address);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace op::pp
