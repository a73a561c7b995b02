// SPDX-License-Identifier: GPL-2.0-or-later
// Compressed sections that claim to be large.
#include "libpp/object/debuginfo_section.h"

#include <elf.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <bit>

#include "libop/base/elf_handle.h"
#include "libop/base/fd.h"
#include "libop/base/sanitized.h"
#include "libpp/object/debuginfo_lines.h"
#include "tests/unit/in_child.h"
#include "tests/unit/temp_dir.h"

namespace op::pp {
namespace {

template <class Value>
void append(std::string& to, const Value& value) {
    to.append(reinterpret_cast<const char*>(&value), sizeof value);
}

/// An ELF file of this machine's byte order with a section of debug information, and an empty one, without
/// which libdw does not look at others.
std::string elf_file(const std::string& name, uint64_t flags, const std::string& content) {
    const std::string nul(1, '\0'), names = nul + name + nul + ".debug_abbrev" + nul;
    Elf64_Ehdr head{};
    std::copy_n(ELFMAG, SELFMAG, head.e_ident);
    head.e_ident[EI_CLASS] = ELFCLASS64;
    head.e_ident[EI_DATA] = std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;
    head.e_ident[EI_VERSION] = EV_CURRENT;
    head.e_type = ET_DYN;
    head.e_version = EV_CURRENT;
    head.e_shoff = sizeof head;
    head.e_ehsize = sizeof head;
    head.e_shentsize = sizeof(Elf64_Shdr);
    head.e_shnum = 4;
    head.e_shstrndx = 3;
    const uint64_t after = sizeof head + 4 * sizeof(Elf64_Shdr);
    std::string file;
    append(file, head);
    append(file, Elf64_Shdr{});
    append(file, Elf64_Shdr{1, SHT_PROGBITS, flags, 0, after, content.size(), 0, 0, 8, 0});
    const auto second_name = static_cast<Elf64_Word>(name.size() + 2);
    append(file, Elf64_Shdr{second_name, SHT_PROGBITS, 0, 0, after, 0, 0, 0, 1, 0});
    append(file, Elf64_Shdr{0, SHT_STRTAB, 0, 0, after + content.size(), names.size(), 0, 0, 1, 0});
    return file + content + names;
}

/// The file with a section that claims that size unpacked.
std::string claiming(uint64_t size) {
    std::string content;
    append(content, Elf64_Chdr{ELFCOMPRESS_ZLIB, 0, size, 1});
    return elf_file(".debug_line", SHF_COMPRESSED, content + "12345678");
}

std::string fault_of(std::string file) {
    elf_version(EV_CURRENT);
    const ElfHandle elf(elf_memory(file.data(), file.size()));
    return unpacking_fault(elf.get());
}

}  // namespace

TEST(UnpackingFault, is_of_sections_larger_than_64_times_the_file) {
    const uint64_t limit = unpacked_limit(claiming(0).size());
    EXPECT_EQ(limit, 64 * claiming(0).size());
    EXPECT_EQ(fault_of(claiming(limit)), "");
    EXPECT_NE(fault_of(claiming(limit + 1)), "");
    EXPECT_NE(fault_of(claiming(UINT64_MAX)), "");
}

TEST(UnpackingFault, is_of_sections_that_old_linkers_compressed) {
    const auto file = [](const std::string& size) {
        return elf_file(".zdebug_line", 0, "ZLIB" + size + "1234");
    };
    EXPECT_EQ(fault_of(file(std::string("\0\0\0\0\0\0\1\0", 8))), "");
    EXPECT_NE(fault_of(file(std::string("\0\0\0\1\0\0\0\0", 8))), "");
    EXPECT_NE(fault_of(file(std::string("\xff\xff\xff\xff\xff\xff\xff\xff", 8))), "");
}

TEST(UnpackingFault, is_of_more_than_8_gib_whatever_the_file) {
    EXPECT_EQ(unpacked_limit(uint64_t{1} << 40), uint64_t{8} << 30);
    EXPECT_EQ(unpacked_limit(UINT64_MAX), uint64_t{8} << 30);
}

TEST(LineTable, survives_a_mapped_file_whose_sections_unpack_to_nothing) {
    const test::TempDir dir;
    std::string packed;  // zlib's stream of no bytes
    append(packed, Elf64_Chdr{ELFCOMPRESS_ZLIB, 0, 0, 1});
    packed += std::string("\x78\x9c\x03\0\0\0\0\1", 8);
    const MappedFile file(dir.write("x", elf_file(".debug_info", SHF_COMPRESSED, packed)));
    EXPECT_FALSE(LineTable(file.bytes()).has_lines());
}

TEST(LineTable, survives_any_mapped_section_with_a_name_of_old_linkers) {
    const test::TempDir dir;
    const std::string packed =  // zlib's stream of "ABCD", eight times
        std::string("ZLIB\0\0\0\0\0\0\0\x20", 12) +
        std::string("\x78\x9c\x73\x74\x72\x76\x71\xc4\x83\x01\x89\x20\x08\x51", 14);
    for (const char* const name : {".zdebug_info", ".zgnu_debugaltlink", ".zgnu_debuglink", ".z"}) {
        const MappedFile file(dir.write("x", elf_file(name, 0, packed)));
        EXPECT_FALSE(LineTable(file.bytes()).has_lines()) << name;
    }
}

TEST(UnpackingFault, is_of_any_section_with_a_name_of_old_linkers) {
    EXPECT_NE(fault_of(elf_file(".zgnu_debugaltlink", 0, std::string("ZLIB\0\0\0\1\0\0\0\0", 12))), "");
}

TEST(LineTable, reads_nothing_of_a_file_that_would_unpack_to_too_much) {
    Diagnostics notes;
    const std::string file = claiming(uint64_t{6} << 30);
    const LineTable lines(as_bytes(file), {"/x.debug", "/x", {}, &notes});
    EXPECT_FALSE(lines.has_lines());
    ASSERT_EQ(notes.warnings().size(), 1U);
    EXPECT_TRUE(
        notes.warnings()[0].starts_with("the debug information in /x.debug is not read: its compressed "));
}

TEST(LineTable, notes_that_memory_ran_out_where_libelf_returns_nothing) {
    if (is_sanitized) GTEST_SKIP() << "the address sanitizer ends the process";
    std::string content;
    append(content, Elf64_Chdr{ELFCOMPRESS_ZLIB, 0, uint64_t{512} << 20, 1});
    const std::string file = elf_file(".debug_info", SHF_COMPRESSED, content.append(9 << 20, 'x'));
    const std::string noted = test::in_child([&file] {
        const rlimit limit{256 << 20, 256 << 20};
        ::setrlimit(RLIMIT_DATA, &limit);
        Diagnostics notes;
        const LineTable lines(as_bytes(file), {"/x.debug", "/x", {}, &notes});
        return notes.warnings().size() == 1 && !lines.has_lines() ? notes.warnings()[0] : "not one note";
    });
    EXPECT_EQ(noted,
              "memory ran out while the debug information in /x.debug was read: a part of it is missing");
}

}  // namespace op::pp
