// SPDX-License-Identifier: GPL-2.0-or-later
// The note is JSON, a NUL, and what fills it up.
#include "libop/base/package_note.h"

#include <string_view>
#include <vector>

#include "libop/base/elf_notes.h"
#include "libop/base/error.h"
#include "libop/base/json.h"
#include "libop/base/text.h"

namespace op {
namespace {

constexpr NoteKind package_note = {"FDO", 0xcafe1a7e, notes_limit};
/// The format has a dozen keys with texts.
constexpr size_t most_values = 256;

std::string text_of(const Json& json, std::string_view key) {
    const Json* const value = json.find(key);
    const std::string* const text = value ? value->if_string() : nullptr;
    return text ? *text : "";
}

std::optional<Package> package_of_note(const std::vector<std::byte>& note) {
    std::string_view text(reinterpret_cast<const char*>(note.data()), note.size());
    text = text.substr(0, text.find('\0'));
    if (text.empty()) return std::nullopt;
    try {
        const Json json = parse_json(text, ".note.package", "note", {.values = most_values});
        return checked_package(text_of(json, "name"), text_of(json, "version"));
    } catch (const Error&) {
        return std::nullopt;
    }
}

bool is_plain(std::string_view text) {
    return text.size() <= most_package_bytes && printable(text) == text;
}

}  // namespace

std::optional<Package> checked_package(std::string name, std::string version) {
    if (name.empty() || !is_plain(name) || !is_plain(version)) return std::nullopt;
    return Package{std::move(name), std::move(version)};
}

std::optional<Package> package_of_elf(std::span<const std::byte> file) {
    return package_of_note(find_note_in_elf(file, package_note));
}

std::optional<Package> package_of_fd(const Fd& file) {
    return package_of_note(find_note_in_fd(file, package_note));
}

}  // namespace op
