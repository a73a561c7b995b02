// SPDX-License-Identifier: GPL-2.0-or-later
#include "libop/base/package_note.h"

#include <elf.h>
#include <fcntl.h>
#include <gtest/gtest.h>

#include <cstring>

#include "libop/base/build_id.h"
#include "libop/base/elf_notes.h"
#include "tests/unit/temp_dir.h"

using namespace std::literals;

namespace op {
namespace {

constexpr uint32_t package_type = 0xcafe1a7e;

std::string note(std::string_view owner, uint32_t type, std::string_view content) {
    const uint32_t head[] = {static_cast<uint32_t>(owner.size()), static_cast<uint32_t>(content.size()),
                             type};
    std::string bytes(reinterpret_cast<const char*>(head), sizeof head);
    for (const std::string_view part : {owner, content}) {
        bytes += part;
        bytes.resize((bytes.size() + 3) & ~size_t{3});
    }
    return bytes;
}

std::string package_note(std::string_view json) {
    return note("FDO\0"sv, package_type, std::string(json) + '\0');
}

/// A file of a header and one segment of notes.
template <class Header, class Segment>
std::string elf_file(int file_class, std::string_view notes) {
    Header head{};
    std::memcpy(head.e_ident, ELFMAG, SELFMAG);
    head.e_ident[EI_CLASS] = static_cast<unsigned char>(file_class);
    head.e_ident[EI_DATA] = __BYTE_ORDER == __LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB;
    head.e_phoff = sizeof head;
    head.e_phentsize = sizeof(Segment);
    head.e_phnum = 1;
    Segment segment{};
    segment.p_type = PT_NOTE;
    segment.p_offset = sizeof head + sizeof segment;
    segment.p_filesz = notes.size();
    std::string file(reinterpret_cast<const char*>(&head), sizeof head);
    file.append(reinterpret_cast<const char*>(&segment), sizeof segment);
    return file + std::string(notes);
}

std::string elf64(std::string_view notes) {
    return elf_file<Elf64_Ehdr, Elf64_Phdr>(ELFCLASS64, notes);
}

std::optional<Package> package_of(std::string_view notes) {
    return package_of_elf(as_bytes(elf64(notes)));
}

std::optional<Package> package_of_json(std::string_view json) {
    return package_of(package_note(json));
}

/// The example of the format's documentation.
const std::string example =
    R"({"type":"rpm","os":"fedora","osVersion":"33","name":"coreutils","version": "4711.0815.fc13.arm32",)"
    R"("architecture":"arm32","osCpe": "cpe:/o:fedoraproject:fedora:33",)"
    R"("debugInfoUrl": "https://debuginfod.fedoraproject.org/"})";

}  // namespace

TEST(PackageNote, gives_name_and_version) {
    const Package package{"coreutils", "4711.0815.fc13.arm32"};
    EXPECT_EQ(package_of_json(example), package);
    const std::string small = elf_file<Elf32_Ehdr, Elf32_Phdr>(ELFCLASS32, package_note(example));
    EXPECT_EQ(package_of_elf(as_bytes(small)), package);
    EXPECT_EQ(package_of_json(R"({"name":"x"})"), (Package{"x", ""}));
}

TEST(PackageNote, is_found_behind_other_notes) {
    const std::string others = note("GNU\0"sv, NT_GNU_BUILD_ID, "\xab\xcd") +
                               note("FDO\0"sv, 0x407c0c0a, R"({"name":"dlopen"})") +
                               note("GNU\0"sv, package_type, R"({"name":"gnu"})");
    const std::string file = elf64(others + package_note(example));
    EXPECT_EQ(package_of_elf(as_bytes(file))->name, "coreutils");
    EXPECT_EQ(build_id_of_elf(as_bytes(file)), "abcd");
    EXPECT_FALSE(package_of(others));
}

TEST(PackageNote, needs_no_nul_at_its_end) {
    EXPECT_EQ(package_of(note("FDO\0"sv, package_type, R"({"name":"abcd"})")), (Package{"abcd", ""}));
    EXPECT_EQ(package_of_json("{\"name\":\"a\"}\0\0garbage"sv), (Package{"a", ""}));
}

TEST(PackageNote, that_is_damaged_gives_none) {
    for (const std::string_view json :
         {""sv, "\0"sv, "{"sv, "[]"sv, "7"sv, "{}"sv, R"({"name":7})"sv, R"({"name":""})"sv,
          R"({"name":{"name":"x"}})"sv, R"({"version":"1"})"sv, R"({"name":"x"} x)"sv,
          "{\"name\":\"\xff\"}"sv, R"({"name":"\ud800"})"sv, R"({"name":1e999})"sv})
        EXPECT_FALSE(package_of_json(json)) << json;
    const std::string file = elf64(package_note(example));
    for (size_t n = 0; n < file.size(); ++n) {
        const auto package = package_of_elf(as_bytes(file).first(n));
        EXPECT_EQ(package ? package->name : "coreutils", "coreutils") << n;
    }
}

TEST(PackageNote, that_a_terminal_may_obey_gives_none) {
    for (const std::string_view text : {R"(\u001b[2J)", R"(a\nb)", R"(\u0000)", R"(\u202e)", "\x7f"}) {
        EXPECT_FALSE(package_of_json("{\"name\":\"" + std::string(text) + "\"}")) << text;
        EXPECT_FALSE(package_of_json(R"({"name":"x","version":")" + std::string(text) + "\"}")) << text;
    }
}

TEST(PackageNote, that_is_too_large_gives_none) {
    const std::string longest(most_package_bytes, 'x');
    EXPECT_EQ(package_of_json("{\"name\":\"" + longest + "\"}")->name, longest);
    EXPECT_FALSE(package_of_json("{\"name\":\"" + longest + "x\"}"));
    EXPECT_FALSE(package_of_json("{\"name\":\"x\",\"version\":\"" + longest + "x\"}"));
    EXPECT_FALSE(
        package_of_json(R"({"name":"x","more":)" + std::string(2000, '[') + std::string(2000, ']') + "}"));
    std::string many = R"({"name":"x","more":[0)";
    for (int i = 0; i < 1000; ++i)
        many += ",0";
    EXPECT_FALSE(package_of_json(many + "]}"));
    EXPECT_FALSE(package_of_json("{\"name\":\"x\"}" + std::string(notes_limit, ' ')));
}

TEST(PackageNote, is_read_from_open_files) {
    const test::TempDir dir;
    const Fd file = open_file(dir.write("x", elf64(package_note(example))), O_RDONLY);
    EXPECT_EQ(package_of_fd(file)->name, "coreutils");
    EXPECT_FALSE(package_of_fd(open_file(dir.write("y", "#!/bin/sh\n"), O_RDONLY)));
}

}  // namespace op
