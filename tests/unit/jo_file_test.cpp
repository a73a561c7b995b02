// SPDX-License-Identifier: GPL-2.0-or-later
#include "libop/jit/jo_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include "libop/base/elf_object.h"
#include "libop/base/error.h"
#include "libop/jit/line_program.h"
#include "tests/unit/temp_dir.h"

namespace op {
namespace {

constexpr uint16_t em_x86_64 = 62, em_ppc = 20;

std::vector<std::byte> code_of(std::string_view text) {
    const auto bytes = as_bytes(text);
    return {bytes.begin(), bytes.end()};
}

/// Two functions of bytes that share a section, one without, and one that replaced the first.
CodeMap example() {
    const uint64_t at = 0x7f0000001000;
    return {{{at, 4, "first", {{at, 10, "/src/a.c"}, {at + 2, 3, "b.js"}}, code_of("\x90\x90\x90\xc3")},
             {at + 16, 1, "second", {}, code_of("\xc3")},
             {at + 0x100, 0x80, "no bytes", {{at + 0x110, 70000, "/src/a.c"}}},
             {tagged_address(at, 1), 8, "third"}},
            {{at + 0x1000, 16}}};
}

CodeMap round_trip(const CodeMap& code, const JoTarget& target = host_jo_target()) {
    return parse_jo(as_bytes(make_jo(code, target)), "x.jo").code;
}

TEST(JoFile, gives_back_what_was_written) {
    EXPECT_EQ(round_trip(example()), example());
    EXPECT_EQ(round_trip({}), CodeMap{});
}

TEST(JoFile, is_of_any_class_and_byte_order) {
    for (const bool is_big_endian : {false, true}) {
        const JoTarget wide{em_x86_64, {true, is_big_endian}};
        EXPECT_EQ(round_trip(example(), wide), example());
        const CodeMap narrow_code{{{0x1000, 4, "f", {{0x1001, 5, "f.c"}}, code_of("abcd")}}, {}};
        const JoTarget narrow{em_ppc, {false, is_big_endian}};
        EXPECT_EQ(round_trip(narrow_code, narrow), narrow_code);
        EXPECT_EQ(parse_jo(as_bytes(make_jo(narrow_code, narrow)), "x").target.elf_machine, em_ppc);
    }
}

TEST(JoFile, is_an_elf_file_with_a_section_for_each_run_of_functions) {
    const std::string bytes = make_jo(example());
    const auto object = open_elf(as_bytes(bytes), "x.jo");
    std::vector<std::string> names;
    for (const Section& section : object->sections())
        if (section.code) names.emplace_back(section.name);
    EXPECT_EQ(names, (std::vector<std::string>{".text.0", ".text.1", ".text.2"}));
    EXPECT_EQ(object->sections()[0].address.value(), 0x7f0000001000u);
    EXPECT_EQ(object->sections()[0].size, 17u) << "the gap between both functions is part of it";
    EXPECT_FALSE(object->sections()[1].in_file) << "no bytes are known";
}

TEST(JoFile, knows_whether_it_is_ours) {
    std::string bytes = make_jo(example());
    EXPECT_TRUE(parse_jo(as_bytes(bytes), "x.jo").is_ours);
    bytes.replace(bytes.find(".note.oprofile-ng"), 5, ".rest");
    EXPECT_FALSE(parse_jo(as_bytes(bytes), "x.jo").is_ours);
}

/// As OProfile writes them: one section, no sizes.
TEST(JoFile, ends_a_symbol_without_a_size_at_the_next_one) {
    const CodeMap code{{{0x1000, 4, "f", {}, code_of("abcd")},
                        {0x1008, 4, "g", {}, code_of(std::string_view("\0\0\0\0", 4))}},
                       {}};
    std::string bytes = make_jo(code, {em_x86_64, {true, false}});
    // in .symtab, which begins with an empty one: info 0x12, other 0, section 1, value, then the size
    for (const uint64_t value : {0, 8}) {
        const std::string entry{'\x12', '\0', '\1', '\0', static_cast<char>(value), 0, 0, 0, 0, 0, 0, 0, 4};
        const size_t at = bytes.find(entry);
        ASSERT_NE(at, bytes.npos);
        bytes[at + entry.size() - 1] = 0;
    }
    const CodeMap read = parse_jo(as_bytes(bytes), "x.jo").code;
    ASSERT_EQ(read.symbols.size(), 2u);
    EXPECT_EQ(read.symbols[0].size, 8u);
    EXPECT_EQ(read.symbols[1].size, 4u);
    EXPECT_TRUE(read.symbols[1].code.empty()) << "zeros stand for code that is not known";
}

TEST(JoFile, gives_up_bytes_for_a_number_of_sections_that_symbols_can_name) {
    CodeMap code;
    for (uint64_t i = 0; i < 70'000; ++i)
        code.symbols.push_back({0x1000 + i * 0x1000, 1, "f" + std::to_string(i), {}, code_of("\xc3")});
    CodeMap read = round_trip(code);
    for (CodeSymbol& symbol : code.symbols)
        symbol.code.clear();
    EXPECT_EQ(read, code);
}

TEST(JoFile, leaves_out_bytes_before_lines_and_lines_before_symbols) {
    constexpr size_t limit = 1 << 18;
    CodeMap code{{{0x1000, 4, "f", {{0x1000, 1, "f.c"}}, code_of("abcd")}}, {}};
    EXPECT_EQ(fit_for_jo(code), "");
    code.symbols.push_back({0x100000, limit, "big", {}, std::vector<std::byte>(limit)});
    EXPECT_EQ(fit_for_jo(code, limit), "bytes of code");
    EXPECT_EQ(code.symbols[0].lines.size(), 1u);
    for (uint64_t i = 0; i < 2000; ++i)
        code.symbols.push_back({0x1'0000'0000 + i, 1, "n"});
    code.symbols[0].lines.assign(10'000, code.symbols[0].lines[0]);
    EXPECT_EQ(fit_for_jo(code, limit), "lines, 148 symbols");
    EXPECT_LE(make_jo(code).size(), limit);
}

TEST(JoFile, refuses_code_that_is_not_sound) {
    EXPECT_THROW(make_jo({{{0x1000, 0, "f"}}, {}}), Error);
}

TEST(JoFile, that_is_cut_anywhere_is_read_or_refused) {
    const std::string bytes = make_jo(example());
    for (size_t size = 0; size < bytes.size(); ++size) {
        try {
            parse_jo(as_bytes(std::string_view(bytes).substr(0, size)), "x.jo");
            ADD_FAILURE() << "the section headers are at the end, but " << size << " bytes were enough";
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::input);
        }
    }
}

TEST(JoFile, keeps_symbols_if_lines_are_damaged) {
    std::string bytes = make_jo(example());
    const size_t at = bytes.find("b.js");
    ASSERT_NE(at, bytes.npos);
    bytes.replace(at, 12, std::string(12, '\xff'));
    EXPECT_EQ(parse_jo(as_bytes(bytes), "x.jo").code.symbols.size(), 4u);
}

TEST(JoFile, is_beside_the_sample_directories) {
    const ImageName app{.name = "/usr/bin/node"};
    const std::string path = jo_path(app, 123);
    EXPECT_EQ(path, "{root}/usr/bin/node/{dep}/{anon:anon}/123.jo");
    EXPECT_EQ(parse_jo_path(path), 123u);
    EXPECT_EQ(parse_sample_path(path), std::nullopt);
    for (const char* other : {"{root}/x/{dep}/{anon:anon}/123", "{root}/x/{dep}/{root}/123.jo",
                              "{root}/x/{dep}/{anon:anon}/x.jo", "123.jo", "{anon:a}/4294967296.jo"})
        EXPECT_EQ(parse_jo_path(other), std::nullopt) << other;
}

TEST(JoFile, is_replaced_as_a_whole) {
    test::TempDir dir;
    const Fd session = open_file(dir.path(), O_RDONLY | O_DIRECTORY);
    const std::string path = jo_path({.name = "/bin/x"}, 7);
    AccessPolicy policy;
    policy.file_mode = 0640;
    EXPECT_FALSE(read_jo(session, dir.path(), path));
    write_jo(session, dir.path(), path, "half", policy);
    EXPECT_THROW(read_jo(session, dir.path(), path), Error);
    write_jo(session, dir.path(), path, make_jo(example()), policy);
    EXPECT_EQ(read_jo(session, dir.path(), path)->code, example());
    struct stat st {};
    ASSERT_EQ(::stat((dir / path).c_str(), &st), 0);
    EXPECT_EQ(st.st_mode & 0777, 0640u);
}

TEST(JoFile, that_cannot_be_written_leaves_no_directories) {
    test::TempDir dir;
    const Fd session = open_file(dir.path(), O_RDONLY | O_DIRECTORY);
    std::filesystem::create_directory(dir / "there");
    const std::string too_long(300, 'x');
    for (const char* path : {"there/a/b/", "a/b/", "there/"})
        EXPECT_THROW(write_jo(session, dir.path(), path + too_long, "bytes"), Error);
    EXPECT_FALSE(std::filesystem::exists(dir / "a"));
    EXPECT_FALSE(std::filesystem::exists(dir / "there/a"));
    EXPECT_TRUE(std::filesystem::exists(dir / "there"));
}

TEST(LineProgram, steps_back_to_lines_before) {
    std::vector<CodeSymbol> symbols{{0x1000, 64, "f"}};
    for (const uint32_t line : {9, 10, 8, 9, 1000, 3})
        symbols[0].lines.push_back({0x1000 + symbols[0].lines.size() * 2, line, "f.c"});
    auto lines = parse_line_section(as_bytes(make_line_sections(symbols, {}).debug_line), {}, "x");
    ASSERT_FALSE(lines.empty());
    lines.pop_back();  // the end of the sequence
    EXPECT_EQ(lines, symbols[0].lines);
}

TEST(LineProgram, reads_versions_that_others_write) {
    // version 2, as OProfile's agent converter and old assemblers write: directory 1, a special opcode
    const std::string_view unit(
        "\x35\0\0\0\x02\0\x1d\0\0\0\x01\x01\xfb\x0e\x0d\0\x01\x01\x01\x01\0\0\0\x01\0\0\x01"
        "/d\0\0f.c\0\x01\0\0\0"
        "\0\x09\x02\x00\x10\0\0\0\0\0\0\x14\x4b\x02\x02\0\x01\x01",
        57);
    const auto lines = parse_line_section(as_bytes(unit), {true, false}, "x");
    EXPECT_EQ(lines, (std::vector<CodeLine>{{0x1000, 3, "/d/f.c"}, {0x1004, 4, "/d/f.c"}, {0x1006, 0, ""}}));
}

}  // namespace
}  // namespace op
