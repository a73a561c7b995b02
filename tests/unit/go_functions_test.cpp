// SPDX-License-Identifier: GPL-2.0-or-later
#include "libpp/object/go_functions.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>

#include "libop/base/elf_object.h"
#include "libop/base/fd.h"
#include "libop/base/text.h"
#include "tests/unit/fixtures.h"

namespace op::pp {
namespace {

using Lines = std::vector<std::string>;

constexpr uint64_t text = 0x1000, table = 0x8000;

void put(std::string& bytes, uint64_t value, size_t size) {
    bytes.append(reinterpret_cast<const char*>(&value), size);
}

std::string header(uint32_t magic, char pointer) {
    std::string bytes;
    put(bytes, magic, 4);
    return bytes + std::string{0, 0, 1, pointer};
}

/// Of main.a at `text` and main.b 0x20 bytes above, which has as many. 1.2: everything counts from the
/// table's start.
std::string go_1_2(char pointer) {
    const auto word = static_cast<size_t>(pointer);
    std::string bytes = header(0xfffffffb, pointer);
    put(bytes, 2, word);
    const size_t names = bytes.size() + 5 * word, first = names + 16, second = first + word + 4;
    put(bytes, text, word);
    put(bytes, first, word);
    put(bytes, text + 0x20, word);
    put(bytes, second, word);
    put(bytes, text + 0x40, word);
    bytes += std::string("main.a\0\0main.b\0\0", 16);
    put(bytes, text, word);
    put(bytes, names, 4);
    put(bytes, text + 0x20, word);
    put(bytes, names + 8, 4);
    return bytes + std::string(64, '\0');
}

/// Names, then pairs and descriptions with starts of `word` bytes, which count from `origin`.
std::string body(size_t word, uint64_t origin) {
    std::string bytes("main.a\0\0main.b\0\0", 16);
    const size_t first = 5 * word, second = first + word + 4;
    for (const uint64_t value : {text - origin, first, text + 0x20 - origin, second, text + 0x40 - origin})
        put(bytes, value, word);
    put(bytes, text - origin, word);
    put(bytes, 0, 4);
    put(bytes, text + 0x20 - origin, word);
    put(bytes, 8, 4);
    return bytes + std::string(64, '\0');
}

/// 1.16: starts are addresses.
std::string go_1_16(char pointer) {
    const auto word = static_cast<size_t>(pointer);
    std::string bytes = header(0xfffffffa, pointer);
    const uint64_t names = 8 + 7 * word;
    for (const uint64_t value :
         {uint64_t{2}, uint64_t{0}, names, uint64_t{0}, uint64_t{0}, uint64_t{0}, names + 16})
        put(bytes, value, word);
    return bytes + body(word, 0);
}

/// 1.18 and later: starts count from the beginning of the code, which is in the header.
std::string go_1_18(uint32_t magic, char pointer, uint64_t start = text) {
    const auto word = static_cast<size_t>(pointer);
    std::string bytes = header(magic, pointer);
    const uint64_t names = 8 + 8 * word;
    for (const uint64_t value :
         {uint64_t{2}, uint64_t{0}, start, names, uint64_t{0}, uint64_t{0}, uint64_t{0}, names + 16})
        put(bytes, value, word);
    return bytes + body(4, text);
}

/// The functions of a file with that table and more sections.
Lines functions(const std::string& bytes, const char* name = ".gopclntab", std::vector<Section> more = {}) {
    static const std::string code(0x100, '\0');
    std::vector<Section> sections = std::move(more);
    sections.push_back({".text", {text}, 0, code.size(), true, true, as_bytes(code)});
    sections.push_back({name, {table}, 0, bytes.size(), false, true, as_bytes(bytes)});
    Lines lines;
    for (const RawSymbol& function : go_functions(sections))
        lines.push_back(hex(function.address.value()) + "+" + hex(function.size) + " " +
                        std::string(function.name));
    return lines;
}

const Lines both{"1000+20 main.a", "1020+20 main.b", "1040+0 "};

}  // namespace

TEST(GoFunctions, of_each_layout_are_read) {
    for (const char pointer : {'\4', '\10'}) {
        EXPECT_EQ(functions(go_1_2(pointer)), both);
        EXPECT_EQ(functions(go_1_16(pointer)), both);
        EXPECT_EQ(functions(go_1_18(0xfffffff0, pointer)), both);
        EXPECT_EQ(functions(go_1_18(0xfffffff1, pointer)), both);
    }
    EXPECT_EQ(functions(go_1_18(0xfffffff2, 8)), Lines{}) << "a layout to come";
}

TEST(GoFunctions, of_position_independent_programs_are_read) {
    EXPECT_EQ(functions(go_1_18(0xfffffff1, 8), ".data.rel.ro.gopclntab"), both);
    const std::string joined = std::string(24, '\xff') + go_1_18(0xfffffff1, 8);
    EXPECT_EQ(functions(joined, ".data.rel.ro", {{".go.buildinfo", {}, 0, 0, false, true, {}}}), both);
    EXPECT_EQ(functions(joined, ".data.rel.ro"), Lines{}) << "of another language";
}

// In a file that is to be relocated the field of the code's start may be 0.
TEST(GoFunctions, count_from_where_the_dynamic_linker_puts_them) {
    const std::string unset = go_1_18(0xfffffff1, 8, 0);
    EXPECT_EQ(functions(unset), both) << "Go's own linker: where .text begins";
    const std::vector<Section> with_c{{".init", {0x800}, 0, 0, true, true, {}}};
    EXPECT_EQ(functions(unset, ".gopclntab", with_c), Lines{}) << "C code comes before Go's";
    const Elf64_Rela entries[] = {{table, ELF64_R_INFO(0, R_X86_64_RELATIVE), 0x999},
                                  {table + 24, ELF64_R_INFO(0, R_X86_64_RELATIVE), text + 0x10}};
    auto relocated = with_c;
    const auto bytes = std::as_bytes(std::span(entries));
    relocated.push_back({".rela.dyn", {}, 0, bytes.size(), false, true, bytes});
    EXPECT_EQ(functions(unset, ".gopclntab", relocated),
              (Lines{"1010+20 main.a", "1030+20 main.b", "1050+0 "}));
}

TEST(GoFunctions, outside_of_code_are_not_believed) {
    EXPECT_EQ(functions(go_1_18(0xfffffff1, 8, 0x5000)), Lines{});
}

TEST(GoFunctions, of_a_table_that_lies_are_nameless_or_none) {
    const std::string whole = go_1_18(0xfffffff1, 8);
    for (size_t n = 0; n < whole.size(); ++n)
        EXPECT_LE(functions(whole.substr(0, n)).size(), both.size());
    for (size_t at = 8; at < whole.size(); ++at)
        for (const char byte : {'\x7f', '\xff'}) {
            std::string lie = whole;
            lie[at] = byte;
            EXPECT_LE(functions(lie).size(), both.size() + 0xff) << at;
        }
    std::string many = whole;
    std::memset(many.data() + 8, 0xff, 8);
    EXPECT_EQ(functions(many), Lines{});
    std::string nameless = whole;
    std::memset(nameless.data() + 32, 0xff, 8);
    EXPECT_EQ(functions(nameless), (Lines{"1000+20 ", "1020+20 ", "1040+0 "}));
}

TEST(GoFunctions, of_a_stripped_program_are_read) {
    const MappedFile file(test::fixture("root/usr/bin/gofunctions"));
    const auto object = open_elf(file.bytes(), "gofunctions");
    const auto all = go_functions(object->sections());
    ASSERT_EQ(all.size(), 3u);
    EXPECT_EQ(all[1].name, "main.(*Queue[...]).work");
}

}  // namespace op::pp
