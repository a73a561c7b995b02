// SPDX-License-Identifier: GPL-2.0-or-later
// Sample files of other machines, read with the byte order and layout given in their session's `abi` file.
// Format: doc/FORMATS.md, "abi".
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "libop/session/sample_file.h"

namespace op {

/// The content of an `abi` file: names with numbers.
class ForeignAbi {
public:
    /// Parses the text of an abi file: "name value" lines in any order. Throws an input error naming `label`
    /// for any other line, and if a value needed to read sample files is missing or impossible.
    ForeignAbi(std::string_view text, const std::string& label);

    bool operator==(const ForeignAbi&) const = default;

    /// Parses the bytes of a sample file of that machine, version 0x12 or 0x13. Throws an input error naming
    /// `label` for other bytes. A truncated file is a warning; the entries before the cut are returned.
    SampleFileContent parse(std::span<const std::byte> bytes, const std::string& label,
                            Diagnostics& notes) const;

private:
    uint64_t at(const std::string& name) const;
    uint64_t integer(std::span<const std::byte> bytes, uint64_t offset, uint64_t size) const;
    uint64_t header_field(std::span<const std::byte> head, const std::string& name, uint64_t size,
                          const std::string& label) const;
    SampleHeader parse_header(std::span<const std::byte> head, const std::string& label) const;
    void parse_entries(std::span<const std::byte> bytes, uint64_t nodes_at, const std::string& label,
                       Diagnostics& notes, SampleFileContent& content) const;

    std::map<std::string, uint64_t> values_;
};

}  // namespace op
