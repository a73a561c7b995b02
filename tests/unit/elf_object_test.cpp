// SPDX-License-Identifier: GPL-2.0-or-later
#include "libop/base/elf_object.h"

#include <elf.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>

#include "libop/base/build_id.h"
#include "libop/base/error.h"
#include "libop/base/fd.h"
#include "tests/unit/fixtures.h"
#include "tests/unit/temp_dir.h"

namespace op::pp {
namespace {

constexpr const char* split_id = "abcdef0123456789abcdef0123456789abcdef01";

struct Opened {
    explicit Opened(const std::string& path) : file(path), object(open_elf(file.bytes(), path)) {}
    MappedFile file;
    std::unique_ptr<ObjectFile> object;
};

std::vector<std::string_view> names(const std::vector<RawSymbol>& symbols) {
    std::vector<std::string_view> names;
    for (const RawSymbol& s : symbols)
        names.push_back(s.name);
    std::ranges::sort(names);
    return names;
}

}  // namespace

TEST(ElfObject, code_symbols_are_read_and_nothing_else) {
    const Opened demo(test::fixture("root/usr/bin/demo"));
    EXPECT_EQ(names(demo.object->symbols(false)),
              (std::vector<std::string_view>{"_ZN4demo4workEi", "_ZNSt6vectorIiSaIiEE9push_backEOi", "_start",
                                             "helper", "main"}));
    EXPECT_TRUE(demo.object->symbols(true).empty()) << "there is no .dynsym";
    const auto all = demo.object->symbols(false);
    const auto main = std::ranges::find(all, "main", &RawSymbol::name);
    EXPECT_EQ(main->address.value(), 0x4000c0u);
    EXPECT_TRUE(main->global);
    EXPECT_FALSE(std::ranges::find(all, "helper", &RawSymbol::name)->global);
    EXPECT_TRUE(std::ranges::find(all, "_ZNSt6vectorIiSaIiEE9push_backEOi", &RawSymbol::name)->weak);
}

TEST(ElfObject, a_stripped_binary_names_its_debug_file) {
    const Opened split(test::fixture("root/usr/bin/split"));
    EXPECT_EQ(split.object->build_id(), split_id);
    const auto link = split.object->debug_link();
    ASSERT_TRUE(link);
    EXPECT_EQ(link->name, "split.debug");
    EXPECT_NE(link->crc, 0u);
    EXPECT_TRUE(split.object->symbols(false).empty());
}

TEST(ElfObject, bytes_that_are_no_elf_file_are_refused) {
    const std::string text = "#!/bin/sh\n";
    EXPECT_THROW(open_elf(as_bytes(text), "x"), Error);
    EXPECT_THROW(open_elf({}, "x"), Error);
}

TEST(ElfObject, a_file_cut_off_anywhere_is_refused_or_read_in_part) {
    const MappedFile file(test::fixture("root/usr/bin/demo"));
    for (size_t n = 0; n < file.bytes().size(); n += 7) {
        const std::vector<std::byte> cut(file.bytes().begin(), file.bytes().begin() + n);
        try {
            const auto object = open_elf(cut, "cut");
            EXPECT_LE(object->symbols(false).size(), 5u);
            EXPECT_EQ(object->build_id(), "");
        } catch (const Error& e) {
            EXPECT_EQ(e.kind(), ErrorKind::input);
        }
    }
}

TEST(ElfObject, the_other_byte_order_is_read) {
    // An ELF32 big-endian file of a header and one loaded segment.
    std::vector<std::byte> bytes(52 + 32);
    const auto put = [&](size_t at, std::initializer_list<int> values) {
        for (const int v : values)
            bytes[at++] = std::byte(v);
    };
    put(0, {0x7f, 'E', 'L', 'F', ELFCLASS32, ELFDATA2MSB, 1});
    put(16, {0, 2, 0, EM_PPC, 0, 0, 0, 1});            // type, machine, version
    put(28, {0, 0, 0, 52});                            // program headers
    put(40, {0, 52, 0, 32, 0, 1, 0, 40, 0, 0, 0, 0});  // sizes and counts
    put(52, {0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0});     // PT_LOAD, offset 0, address 0x10000
    put(52 + 16, {0, 0, 0, 84, 0, 0, 0, 84});          // sizes
    const auto object = open_elf(bytes, "big");
    ASSERT_EQ(object->sections().size(), 1u) << "the segment replaces the missing sections";
    EXPECT_EQ(object->sections()[0].address.value(), 0x10000u);
    EXPECT_EQ(object->sections()[0].bytes.size(), 84u);
}

TEST(BuildId, is_read_from_files_and_from_notes) {
    EXPECT_EQ(build_id_of_file(test::fixture("root/usr/bin/split")), split_id);
    EXPECT_EQ(build_id_of_file(test::fixture("root/usr/bin/demo")), "");
    EXPECT_EQ(build_id_of_file("/no/such/file"), "");
    const uint32_t notes[] = {4, 2, 99, 0x00554e47, 0,
                              4, 2, 3,  0x00554e47, 0xcdab};  // one of another type first
    EXPECT_EQ(build_id_of_notes(std::as_bytes(std::span(notes))), "abcd");
}

TEST(BuildId, the_other_byte_order_is_read) {
    const uint32_t notes[] = {0x04000000, 0x02000000, 0x03000000, 0x00554e47, 0xcdab};
    EXPECT_EQ(build_id_of_notes(std::as_bytes(std::span(notes)), true), "abcd");
    EXPECT_EQ(build_id_of_notes(std::as_bytes(std::span(notes)), false), "");
}

TEST(BuildId, a_file_of_many_overlapping_notes_is_not_searched_to_its_end) {
    // 200 headers, each of which names the same notes: 64 KiB without an id, then one.
    Elf64_Ehdr head{};
    std::memcpy(head.e_ident, ELFMAG, SELFMAG);
    head.e_ident[EI_CLASS] = ELFCLASS64;
    head.e_ident[EI_DATA] = __BYTE_ORDER == __LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB;
    head.e_ident[EI_VERSION] = head.e_version = EV_CURRENT;
    head.e_phoff = sizeof head;
    head.e_ehsize = sizeof head;
    head.e_phentsize = sizeof(Elf64_Phdr);
    head.e_phnum = 200;
    Elf64_Phdr segment{};
    segment.p_type = PT_NOTE;
    segment.p_offset = sizeof head + 200 * sizeof segment;
    segment.p_filesz = 64 * 1024 + 20;
    const uint32_t other[] = {4, 0, 99, 0x00554e47}, wanted[] = {4, 2, 3, 0x00554e47, 0xcdab};
    std::string file(reinterpret_cast<char*>(&head), sizeof head);
    for (int i = 0; i < 200; ++i)
        file.append(reinterpret_cast<char*>(&segment), sizeof segment);
    for (int i = 0; i < 4096; ++i)
        file.append(reinterpret_cast<const char*>(other), sizeof other);
    file.append(reinterpret_cast<const char*>(wanted), sizeof wanted);
    EXPECT_EQ(build_id_of_elf(as_bytes(file)), "");
    EXPECT_EQ(open_elf(as_bytes(file), "notes")->build_id(), "");
    const test::TempDir dir;
    EXPECT_EQ(build_id_of_file(dir.write("notes", file)), "");
}

TEST(BuildId, reading_a_pipe_does_not_block) {
    const test::TempDir dir;
    ASSERT_EQ(::mkfifo((dir / "fifo").c_str(), 0600), 0);
    EXPECT_EQ(build_id_of_file(dir / "fifo"), "");
    EXPECT_EQ(build_id_of_file(dir.path()), "");
    EXPECT_EQ(build_id_of_file("/dev/zero"), "");
}

TEST(BuildId, notes_that_lie_about_their_sizes_give_none) {
    for (const uint32_t lie : {0x7fffffffu, 0xffffffffu, 0xfffffffdu, 65u}) {
        const uint32_t owner[] = {lie, 2, 3, 0x00554e47, 0xcdab}, id[] = {4, lie, 3, 0x00554e47, 0xcdab};
        EXPECT_EQ(build_id_of_notes(std::as_bytes(std::span(owner))), "");
        EXPECT_EQ(build_id_of_notes(std::as_bytes(std::span(id))), "");
    }
}

}  // namespace op::pp
