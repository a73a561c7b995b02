// SPDX-License-Identifier: GPL-2.0-or-later
// Recognises a kernel image by the symbols that its linker script puts around the code.
#include "daemon/source/vmlinux.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "libop/base/build_id.h"
#include "libop/base/elf_object.h"
#include "libop/base/error.h"
#include "libop/base/fd.h"
#include "libop/base/kernel_file.h"
#include "libop/base/path.h"

namespace op::collect {

namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
    throw_usage(path + ": not an uncompressed kernel image with symbols (" + why +
                "); a vmlinuz will not do");
}

/// From _text, else _stext, to _etext, else the end of .text.
KernelRange code_of(const ObjectFile& object, const std::string& path) {
    const Section* const text = find_section(object.sections(), ".text");
    if (!text) refuse(path, "it has no section .text");
    uint64_t start = 0, stext = 0, end = text->address.value() + text->size;
    for (const RawSymbol& symbol : object.symbols(false)) {
        if (symbol.name == "_text") start = symbol.address.value();
        if (symbol.name == "_stext") stext = symbol.address.value();
        if (symbol.name == "_etext") end = symbol.address.value();
    }
    if (start == 0) start = stext;
    if (start == 0) refuse(path, "it has neither symbol _text nor _stext");
    return {start, end};
}

}  // namespace

NamedKernel read_vmlinux(const std::string& path, const std::string& running_build_id, Diagnostics& notes) {
    NamedKernel kernel{real_path(path), {}};
    const MappedFile file(kernel.path);
    constexpr std::string_view magic = "\177ELF";
    if (file.bytes().size() < magic.size() ||
        std::memcmp(file.bytes().data(), magic.data(), magic.size()) != 0)
        refuse(path, "it is no ELF file");
    const auto object = open_elf(file.bytes(), path);
    const KernelRange code = code_of(*object, path);
    const std::string id = object->build_id();
    if (!id.empty() && !running_build_id.empty() && id != running_build_id) {
        notes.warn(path + " is not the image of the running kernel (its build-id is " + id + ", not " +
                   running_build_id + "): kernel symbols will be wrong");
    } else if (code.start < code.end) {
        kernel.range = code;
    }
    return kernel;
}

std::string running_kernel_build_id() {
    const std::string notes = read_kernel_file("/sys/kernel/notes");
    return build_id_of_notes(as_bytes(notes));
}

}  // namespace op::collect
