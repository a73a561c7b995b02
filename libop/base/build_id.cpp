// SPDX-License-Identifier: GPL-2.0-or-later
// The note of the build-id.
#include "libop/base/build_id.h"

#include <elf.h>

#include "libop/base/elf_notes.h"
#include "libop/base/error.h"
#include "libop/base/text.h"

namespace op {
namespace {

constexpr NoteKind build_id_note = {"GNU", NT_GNU_BUILD_ID, 64};

}  // namespace

std::string build_id_of_notes(std::span<const std::byte> notes, bool swapped) {
    return hex(find_note(notes, build_id_note, swapped));
}

std::string build_id_of_elf(std::span<const std::byte> file) {
    return hex(find_note_in_elf(file, build_id_note));
}

std::string build_id_of_fd(const Fd& file) {
    return hex(find_note_in_fd(file, build_id_note));
}

std::string build_id_of_file(const std::string& path) try {
    return build_id_of_fd(open_regular(path));
} catch (const Error&) {
    return {};
}

}  // namespace op
