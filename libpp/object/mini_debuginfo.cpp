// SPDX-License-Identifier: GPL-2.0-or-later
// Unpacking the ELF file in .gnu_debugdata. What that carries in turn is not looked for.
#include "libpp/object/mini_debuginfo.h"

#include <span>

#include "libop/base/elf_object.h"
#include "libop/base/unpack.h"

namespace op::pp {

namespace {

/// That of the largest programs has a few MiB.
constexpr size_t longest = 64 << 20;

}  // namespace

MiniDebugInfo::MiniDebugInfo(const ObjectFile& file, std::string_view label) {
    const Section* const packed = find_section(file.sections(), ".gnu_debugdata");
    if (!packed || packed->bytes.empty()) return;
    const std::string what = std::string(label) + ": .gnu_debugdata";
    const auto bytes = packed->bytes;
    bytes_ = unxz({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, what, longest);
    object_ = open_elf(std::as_bytes(std::span(bytes_)), what);
}

std::vector<RawSymbol> MiniDebugInfo::symbols() const {
    return object_ ? object_->symbols(false) : std::vector<RawSymbol>{};
}

}  // namespace op::pp
