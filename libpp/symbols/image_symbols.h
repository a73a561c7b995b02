// SPDX-License-Identifier: GPL-2.0-or-later
// The kinds of ImageSymbols: of an ELF file, of a list, and of an image without symbols.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "libop/base/diagnostics.h"
#include "libop/base/object_file.h"
#include "libop/session/session_info.h"
#include "libpp/symbols/symbolizer.h"

namespace op::pp {

/// Which symbol table names come from.
enum class SymbolTable : uint8_t {
    full,      ///< .symtab, the file's or its debug file's
    exported,  ///< .dynsym: of a library what others may call, of a program next to nothing
    none,
};

/// One artificial symbol of that name which covers everything.
std::unique_ptr<ImageSymbols> whole_image(std::string name);

/// Opens the file of a module; null if no file fits.
using OpenFile = std::function<std::unique_ptr<ImageSymbols>()>;

/// The symbols given, sorted by start; the text behind their names must outlive the object. Lines, inlined
/// functions and code are those of the symbols of the same name in the file that `open` opens, which is
/// called once, when the first of them is needed; without it there are none.
std::unique_ptr<ImageSymbols> listed_symbols(std::vector<ImageSymbol> symbols, OpenFile open = nullptr);

/// An ELF file's symbols with the file's build-id ("" = none). `symbols` is null if the file has none at all.
struct ElfSymbols {
    std::unique_ptr<ImageSymbols> symbols;
    std::string build_id;
    SymbolTable table = SymbolTable::none;
};

/// What an image's offsets count from.
enum class Origin : uint8_t {
    file,    ///< the file's first byte
    text,    ///< the address of .text: modules, and the kernel where vmlinux was given to the profiler
    kernel,  ///< the address of _text, else _stext, else .text: where the kernel begins in kallsyms
};

/// The debug file of a binary without debug information of its own, if the source has it; one that is not of
/// that build-id is passed over with a note.
std::optional<std::string> fetch_debug_file(const ObjectFile& object, BuildIdSource& source,
                                            Diagnostics& notes);

/// Where debug files are looked for.
struct DebugFilePlaces {
    std::vector<std::string> roots;        ///< see find_debug_file()
    BuildIdSource* by_build_id = nullptr;  ///< asked last, if the file itself has no debug information
};

/// Reads the file at `path`: .symtab and that of its debug file, else .dynsym and the starts of functions in
/// the unwind tables. A compressed module (.gz, .xz, .zst) is unpacked first. Throws a system or input error.
ElfSymbols open_elf_symbols(const std::string& path, Origin origin, const DebugFilePlaces& places,
                            Diagnostics& notes);

/// The note on the file at `path`, whose build-id is `build_id`, if it is not the one that was
/// recorded (by build-ids if both are known, else by the modification time), or not the only one; empty if it
/// seems to be.
std::string replacement_note(const std::string& path, const std::string& build_id,
                             const RecordedImage& recorded);

}  // namespace op::pp
