// SPDX-License-Identifier: GPL-2.0-or-later
// Makes ELF files in memory. Knows nothing of what their sections hold.
#pragma once

#include <elf.h>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace op::pp {

/// Makes an ELF file of sections, 64 bits wide and of this machine's byte order.
class ElfImageBuilder {
public:
    /// Adds a section; nothing if it is empty.
    void add(std::string_view name, std::string_view bytes);
    void add(std::string_view name, std::span<const std::byte> bytes);
    /// The bytes of the file.
    std::string build() &&;

private:
    std::string names_{'\0'}, content_;
    std::vector<Elf64_Shdr> headers_{Elf64_Shdr{}};
};

}  // namespace op::pp
