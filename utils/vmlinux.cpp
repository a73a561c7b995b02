// SPDX-License-Identifier: GPL-2.0-or-later
// A kernel image is told by the symbols that its linker script puts around the code.
#include "utils/vmlinux.h"

#include <stdlib.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string_view>

#include "libop/base/build_id.h"
#include "libop/base/error.h"
#include "libop/base/fd.h"
#include "libpp/object/elf_object.h"

namespace op::tool {

namespace {

using collect::KernelRange;

std::string absolute(const std::string& path) {
    const std::unique_ptr<char, decltype(&::free)> real(::realpath(path.c_str(), nullptr), ::free);
    if (!real) throw_system("cannot open " + path);
    return real.get();
}

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
    throw_usage(path + ": not an uncompressed kernel image with symbols (" + why +
                "); a vmlinuz will not do");
}

/// From _text, else _stext, to _etext, else the end of .text.
KernelRange code_of(const pp::ObjectFile& object, const std::string& path) {
    const auto text = std::ranges::find(object.sections(), ".text", &pp::Section::name);
    if (text == object.sections().end()) refuse(path, "it has no section .text");
    uint64_t start = 0, stext = 0, end = text->address.value() + text->size;
    for (const pp::RawSymbol& symbol : object.symbols(false)) {
        if (symbol.name == "_text") start = symbol.address.value();
        if (symbol.name == "_stext") stext = symbol.address.value();
        if (symbol.name == "_etext") end = symbol.address.value();
    }
    if (start == 0) start = stext;
    if (start == 0) refuse(path, "it has neither symbol _text nor _stext");
    return {start, end};
}

}  // namespace

collect::NamedKernel read_vmlinux(const std::string& path, const std::string& running_build_id,
                                  Diagnostics& notes) {
    collect::NamedKernel kernel{absolute(path), {}};
    const MappedFile file(kernel.path);
    constexpr std::string_view magic = "\177ELF";
    if (file.bytes().size() < magic.size() ||
        std::memcmp(file.bytes().data(), magic.data(), magic.size()) != 0)
        refuse(path, "it is no ELF file");
    const auto object = pp::open_elf(file.bytes(), path);
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
    try {
        const std::string notes = read_file("/sys/kernel/notes");
        return build_id_of_notes(as_bytes(notes));
    } catch (const Error&) {
        return "";
    }
}

}  // namespace op::tool
