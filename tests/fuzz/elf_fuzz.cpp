// SPDX-License-Identifier: GPL-2.0-or-later
// Fuzz target: any bytes are an ELF file or an input error; ranges never overlap; lines may be asked for
// anywhere; stubs lie in sections of code; what stripping leaves is read; a package has a short name that can
// be printed.
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include "libop/base/build_id.h"
#include "libop/base/elf_object.h"
#include "libop/base/error.h"
#include "libop/base/package_note.h"
#include "libop/base/text.h"
#include "libpp/object/debuginfo_lines.h"
#include "libpp/object/go_functions.h"
#include "libpp/object/mini_debuginfo.h"
#include "libpp/object/plt_stubs.h"
#include "libpp/object/section_finder.h"
#include "libpp/object/symbol_ranges.h"

namespace {

void require(bool claim) {
    if (!claim) std::abort();
}

void read_package(std::span<const std::byte> bytes) {
    const auto package = op::package_of_elf(bytes);
    if (!package) return;
    require(!package->name.empty());
    for (const std::string& text : {package->name, package->version})
        require(text.size() <= op::most_package_bytes && op::printable(text) == text);
}

void read_symbols(const op::ObjectFile& object, op::pp::LineTable& lines) {
    for (const bool dynamic : {false, true}) {
        const auto ranges = op::pp::make_ranges(object.sections(), object.symbols(dynamic),
                                                op::pp::unwind_function_starts(object.sections()));
        uint64_t end = 0;
        for (const auto& range : ranges) {
            require(range.length > 0 && range.start >= end);
            end = range.start + range.length;
            lines.find(range.address);
        }
    }
}

void read_stubs(const op::ObjectFile& object, const op::pp::Machine& machine) {
    const op::pp::SectionFinder sections(object.sections());
    for (const bool dynamic : {false, true}) {
        const op::pp::PltStubs stubs(machine, object.sections(), object.symbols(dynamic));
        for (const op::RawSymbol& stub : stubs.symbols())
            require(sections.find(stub.address) && (stub.name.empty() || stub.name.ends_with("@plt")));
    }
}

void read_what_is_left(const op::ObjectFile& object) {
    auto functions = op::pp::go_functions(object.sections());
    const op::pp::MiniDebugInfo mini(object, "input");
    const auto more = mini.symbols();
    functions.insert(functions.end(), more.begin(), more.end());
    op::pp::make_ranges(object.sections(), std::move(functions), {});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    // A copy of the exact size, so that a sanitizer sees every byte read beyond it.
    const std::vector<std::byte> bytes(reinterpret_cast<const std::byte*>(data),
                                       reinterpret_cast<const std::byte*>(data) + size);
    op::build_id_of_elf(bytes);
    op::build_id_of_notes(bytes);
    read_package(bytes);
    try {
        const auto object = op::open_elf(bytes, "input");
        object->build_id();
        object->debug_link();
        op::pp::LineTable lines(bytes);
        read_symbols(*object, lines);
        read_stubs(*object, op::pp::machine_of(bytes).value());
        read_what_is_left(*object);
    } catch (const op::Error& error) {
        require(error.kind() == op::ErrorKind::input);
    }
    return 0;
}
