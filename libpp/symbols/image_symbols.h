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
#include "libpp/object/image_bytes.h"
#include "libpp/symbols/symbolizer.h"

namespace op::pp {

/// The symbol table that names come from.
enum class SymbolTable : uint8_t {
    full,  ///< .symtab, the file's or its debug file's, or one that names all functions of a stripped file
    exported,  ///< .dynsym: of a library what others may call, of a program next to nothing
    none,
};

/// A single artificial symbol of that name that covers the whole image.
std::unique_ptr<ImageSymbols> whole_image(std::string name);

/// Opens the file of a module; null if no file fits.
using OpenFile = std::function<std::unique_ptr<ImageSymbols>()>;

/// The symbols given, sorted by start; the text behind their names must outlive the object. Lines, inlined
/// functions and code are those of the symbols of the same name in the file that `open` opens, which is
/// called once, when the first of them is needed; without it there are none.
std::unique_ptr<ImageSymbols> listed_symbols(std::vector<ImageSymbol> symbols, OpenFile open = nullptr);

/// An ELF file whose symbols are not read yet.
struct OpenedElf {
    std::string path;
    std::unique_ptr<ImageBytes> bytes;
    std::unique_ptr<ObjectFile> object;  ///< of `bytes`
};

/// Opens the file at `path`. A compressed module (.gz, .xz, .zst) is unpacked. Throws a system or input
/// error.
OpenedElf open_elf_file(const std::string& path);

/// An ELF file's symbols; `symbols` is null if the file has none.
struct ElfSymbols {
    std::unique_ptr<ImageSymbols> symbols;
    SymbolTable table = SymbolTable::none;
};

/// The origin of an image's offsets.
enum class Origin : uint8_t {
    file,    ///< the file's first byte
    text,    ///< the address of .text: modules, and the kernel where vmlinux was given to the profiler
    kernel,  ///< the address of _text, else _stext, else .text: where the kernel begins in kallsyms
};

/// The debug file of a binary without debug information, if the source has it. A file with another build-id
/// is skipped with a note.
std::optional<std::string> fetch_debug_file(const ObjectFile& object, BuildIdSource& source,
                                            Diagnostics& notes);

/// The places to search for debug files.
struct DebugFilePlaces {
    std::vector<std::string> roots;        ///< see find_debug_file()
    BuildIdSource* by_build_id = nullptr;  ///< asked last, if the file itself has no debug information
};

/// Reads a file's symbols: .symtab and that of its debug file, which is looked for, else .dynsym, the
/// functions of MiniDebugInfo and of Go, and the starts of functions in the unwind tables. Throws a system or
/// input error.
ElfSymbols read_elf_symbols(OpenedElf file, Origin origin, const DebugFilePlaces& places, Diagnostics& notes);

/// How an image's file differs from what was profiled.
enum class FileChange : uint8_t {
    none,            ///< none is known
    other_build,     ///< both build-ids are known and differ
    several_builds,  ///< samples of several builds are in one sample file
    elsewhere,       ///< the path led to another file on the recording host, and a build-id is unknown
    other_content,   ///< a build-id is unknown, and the contents or sizes differ
    other_time,      ///< a build-id is unknown and the modification times differ
};

/// The description of a file with FileChange::several_builds, after its path.
inline constexpr const char* several_builds_text =
    "was profiled in several builds, whose samples are counted together";

/// Compares the file at `path` with build-id `build_id` ("" = none) with the recorded one. Without build-ids
/// the content decides if it is known: up to checksum_bytes of the file are read.
FileChange file_change(const std::string& path, const std::string& build_id, const RecordedImage& recorded);

/// A line on that change; empty for `none`.
std::string replacement_note(const std::string& path, FileChange change);

}  // namespace op::pp
