// SPDX-License-Identifier: GPL-2.0-or-later
// Sections that zstd compressed, in files of each class and byte order.
#include "libpp/object/debuginfo_elf.h"

#include <fcntl.h>
#include <gelf.h>
#include <gtest/gtest.h>
#include <zstd.h>

#include <string>

#include "libop/base/fd.h"
#include "libop/base/unpack.h"
#include "libpp/object/debuginfo_section.h"
#include "tests/unit/temp_dir.h"

namespace op::pp {
namespace {

struct Kind {
    int elf_class;
    unsigned char byte_order;
};

std::string zstd(const std::string& text) {
    std::string packed(ZSTD_compressBound(text.size()), '\0');
    packed.resize(ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), 3));
    return packed;
}

/// A header of a compressed section as `elf` has it in its file.
std::string section_head(Elf* elf, Kind kind, uint64_t size, uint32_t compression) {
    Elf64_Chdr wide{compression, 0, size, 1};
    Elf32_Chdr narrow{compression, static_cast<Elf32_Word>(size), 1};
    std::string head(gelf_fsize(elf, ELF_T_CHDR, 1, EV_CURRENT), '\0');
    Elf_Data from{}, to{};
    from.d_type = ELF_T_CHDR;
    from.d_version = to.d_version = EV_CURRENT;
    from.d_buf = kind.elf_class == ELFCLASS64 ? static_cast<void*>(&wide) : &narrow;
    from.d_size = to.d_size = head.size();
    to.d_buf = head.data();
    EXPECT_NE(gelf_xlatetof(elf, &to, &from, kind.byte_order), nullptr);
    return head;
}

void add_section(Elf* elf, size_t name, GElf_Word type, uint64_t flags, std::string& content) {
    Elf_Scn* const scn = elf_newscn(elf);
    Elf_Data* const data = elf_newdata(scn);
    data->d_buf = content.data();
    data->d_size = content.size();
    data->d_align = 1;
    data->d_type = ELF_T_BYTE;
    data->d_version = EV_CURRENT;
    GElf_Shdr header{};
    header.sh_name = static_cast<GElf_Word>(name);
    header.sh_type = type;
    header.sh_flags = flags;
    ASSERT_NE(gelf_update_shdr(scn, &header), 0);
}

/// A file with the sections .debug_str, which claims `size` bytes and has that stream, and .debug_line, which
/// is "lines".
std::string file_of(Kind kind, uint64_t size, const std::string& stream, uint32_t compression = zstd_section,
                    const std::string& name = ".debug_str") {
    const test::TempDir dir;
    elf_version(EV_CURRENT);
    {
        const Fd fd = open_file(dir.path() + "/x", O_RDWR | O_CREAT);
        const ElfHandle elf(elf_begin(fd.get(), ELF_C_WRITE, nullptr));
        gelf_newehdr(elf.get(), kind.elf_class);
        GElf_Ehdr head;
        gelf_getehdr(elf.get(), &head);
        head.e_ident[EI_DATA] = kind.byte_order;
        head.e_type = ET_DYN;
        head.e_version = EV_CURRENT;
        head.e_shstrndx = 3;
        gelf_update_ehdr(elf.get(), &head);
        std::string content = section_head(elf.get(), kind, size, compression) + stream, lines = "lines";
        const std::string nul(1, '\0');
        std::string names = nul + name + nul + ".debug_line" + nul + ".shstrtab" + nul;
        add_section(elf.get(), names.find(name), SHT_PROGBITS, SHF_COMPRESSED, content);
        add_section(elf.get(), names.find(".debug_line"), SHT_PROGBITS, 0, lines);
        add_section(elf.get(), names.find(".shstrtab"), SHT_STRTAB, 0, names);
        EXPECT_GT(elf_update(elf.get(), ELF_C_WRITE), 0) << elf_errmsg(-1);
    }
    return read_file(dir.path() + "/x");
}

std::string content(const DebugElf& elf, const char* section) {
    const auto bytes = section_content(elf.get(), section);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

constexpr Kind native{ELFCLASS64, __BYTE_ORDER == __LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB};

}  // namespace

TEST(DebugElf, has_sections_of_zstd_unpacked_in_files_of_each_class_and_byte_order) {
    const std::string text(100'000, 'x');
    for (const Kind kind : {Kind{ELFCLASS32, ELFDATA2LSB}, Kind{ELFCLASS32, ELFDATA2MSB},
                            Kind{ELFCLASS64, ELFDATA2LSB}, Kind{ELFCLASS64, ELFDATA2MSB}}) {
        // A file that is large enough that 64 times its size is more than the text.
        const std::string file = file_of(kind, text.size(), zstd(text)) + std::string(2000, '\0');
        const DebugElf elf(as_bytes(file));
        ASSERT_NE(elf.get(), nullptr);
        EXPECT_EQ(elf.fault(), "");
        EXPECT_EQ(content(elf, ".debug_str"), text);
        EXPECT_EQ(content(elf, ".debug_line"), "lines");
    }
}

TEST(DebugElf, is_the_file_itself_where_no_debug_information_is_of_zstd) {
    const std::string zlib = file_of(native, 5, "anything", ELFCOMPRESS_ZLIB),
                      other = file_of(native, 5, "no stream at all", zstd_section, ".others");
    for (const std::string& file : {zlib, other}) {
        const DebugElf elf(as_bytes(file));
        EXPECT_EQ(elf.fault(), "");
        EXPECT_EQ(elf.bytes().data(), as_bytes(file).data());
    }
}

TEST(DebugElf, has_a_fault_where_a_stream_of_zstd_is_damaged_or_of_another_size) {
    const std::string stream = zstd("hello");
    for (const std::string& file :
         {file_of(native, 5, "no stream at all"), file_of(native, 4, stream), file_of(native, 6, stream),
          file_of(native, 5, stream.substr(0, stream.size() - 1)), file_of(native, 0, stream)})
        EXPECT_EQ(DebugElf(as_bytes(file)).fault(), "a section that zstd compressed is damaged");
    EXPECT_EQ(DebugElf(as_bytes(file_of(native, 5, stream))).fault(), "");
}

TEST(DebugElf, unpacks_no_more_than_the_limit) {
    const std::string file = file_of(native, uint64_t{6} << 30, zstd(std::string(100, 'x')));
    const DebugElf elf(as_bytes(file));
    EXPECT_TRUE(elf.fault().starts_with("its compressed sections take more than ")) << elf.fault();
}

TEST(DebugElf, is_null_where_there_is_no_elf_file) {
    for (const char* const bytes : {"", "no file", "!<arch>\n"})
        EXPECT_EQ(DebugElf(as_bytes(bytes)).get(), nullptr);
}

}  // namespace op::pp
