// SPDX-License-Identifier: GPL-2.0-or-later
#include "libop/jit/agent_dump.h"

#include <gtest/gtest.h>

#include <cstring>

namespace op {
namespace {

/// Writes a dump as OProfile's agent does; `is_packed` as one whose 8-byte numbers are aligned to 4 bytes.
class DumpBuilder {
public:
    explicit DumpBuilder(NumberLayout layout, std::string_view target = "elf64-x86-64",
                         bool is_packed = false)
        : out_(layout), is_packed_(is_packed) {
        for (const uint32_t value : {0x4F74496Au, 1u, 0u, 8u, 8u})
            out_.put(value);
        hole();
        out_.put(uint64_t{1000});
        out_.put_text(target);
        out_.align(8);
        out_.patch(8, static_cast<uint32_t>(out_.size()));
    }

    void load(uint64_t time, uint64_t address, uint64_t pointer, uint32_t size, std::string_view name,
              std::string_view code) {
        begin(0, time);
        out_.put(address);
        out_.put(pointer);
        out_.put(size);
        hole();
        out_.put_text(name);
        out_.put_bytes(code);
        end();
    }
    void unload(uint64_t time, uint64_t address) {
        begin(1, time);
        out_.put(address);
        end();
    }
    void close(uint64_t time) {
        begin(2, time);
        end();
    }
    void lines(uint64_t time, uint64_t pointer, const std::vector<CodeLine>& lines) {
        begin(3, time);
        out_.put(pointer);
        out_.put(static_cast<uint32_t>(lines.size()));
        hole();
        for (const CodeLine& line : lines) {
            out_.put_address(line.address);
            out_.put(line.line);
            out_.put_text(line.file);
        }
        end();
    }
    void begin(uint32_t id, uint64_t time) {
        start_ = out_.size();
        out_.put(id);
        out_.put(uint32_t{0});
        out_.put(time);
    }
    void end() {
        out_.align(8);
        out_.patch(start_ + 4, static_cast<uint32_t>(out_.size() - start_));
    }
    OrderedWriter& out() { return out_; }
    const std::string& bytes() const { return out_.bytes(); }

private:
    void hole() {
        if (!is_packed_) out_.put(uint32_t{0});
    }

    OrderedWriter out_;
    bool is_packed_;
    size_t start_ = 0;
};

std::vector<std::byte> code_of(std::string_view text) {
    const auto bytes = as_bytes(text);
    return {bytes.begin(), bytes.end()};
}

DumpBuilder example(NumberLayout layout = {}, std::string_view target = "elf64-x86-64",
                    bool is_packed = false) {
    DumpBuilder dump(layout, target, is_packed);
    dump.load(1001, 0x10000, 0x9000, 4, "int J.f(int)", "abcd");
    dump.lines(1001, 0x9000, {{0x10000, 3, "/src/J.java"}, {0x10002, 5, "J.java"}, {0x10004, 9, "beyond"}});
    dump.load(1002, 0x20000, 0, 16, "no bytes", "");
    dump.load(1002, 0x30000, 0, 0, "no size", "");
    dump.lines(1002, 0x9000, {});
    dump.unload(1005, 0x10000);
    dump.load(1006, 0x10000, 0x9000, 2, "g", "xy");
    dump.close(1010);
    return dump;
}

const std::vector<CodeLife> example_lives{
    {{0x10000, 4, "int J.f(int)", {}, code_of("abcd")}, 1001, 1005},
    {{0x20000, 16, "no bytes"}, 1002, 1010},
    {{0x10000, 2, "g", {}, code_of("xy")}, 1006, 1010},
};

AgentDump parse(std::string_view bytes) {
    return parse_agent_dump(as_bytes(bytes), "7.dump");
}

TEST(AgentDump, has_functions_and_when_they_were_there) {
    DumpBuilder builder({});
    builder.load(1001, 0x10000, 0x9000, 4, "f", "abcd");
    builder.lines(1001, 0x9000,
                  {{0x10000, 3, "/src/J.java"}, {0x10002, 5, "J.java"}, {0x10004, 9, "beyond"}});
    builder.load(1002, 0x10002, 0, 16, "replaced", "");
    const AgentDump dump = parse(builder.bytes());
    EXPECT_EQ(dump.began, 1000u);
    EXPECT_FALSE(dump.is_closed);
    EXPECT_EQ(dump.fault, "");
    EXPECT_EQ(dump.target.elf_machine, 62);
    const std::vector<CodeLife> lives{
        {{0x10000, 4, "f", {{0x10000, 3, "/src/J.java"}, {0x10002, 5, "J.java"}}, code_of("abcd")},
         1001,
         1002},
        {{0x10002, 16, "replaced"}, 1002, UINT64_MAX},
    };
    EXPECT_EQ(dump.lives, lives);
}

TEST(AgentDump, is_of_any_class_and_byte_order) {
    for (const bool is_big_endian : {false, true})
        for (const auto& [target, is_packed] :
             {std::pair{"elf64-x86-64", false}, std::pair{"elf32-i386", true},
              std::pair{"elf32-powerpc", false}}) {
            const bool is_64bit = std::string_view(target).starts_with("elf64");
            const AgentDump dump = parse(example({is_64bit, is_big_endian}, target, is_packed).bytes());
            EXPECT_EQ(dump.target.layout.is_64bit, is_64bit);
            EXPECT_EQ(dump.target.layout.is_big_endian, is_big_endian);
            EXPECT_TRUE(dump.is_closed);
            EXPECT_EQ(dump.bad_records, 0u);
            auto expected = example_lives;
            expected[0].symbol.lines = {{0x10000, 3, "/src/J.java"}, {0x10002, 5, "J.java"}};
            EXPECT_EQ(dump.lives, expected) << target << is_big_endian;
        }
}

TEST(AgentDump, that_is_cut_anywhere_has_what_came_before) {
    const std::string bytes = example().bytes();
    size_t functions = 0;
    for (size_t size = 0; size < bytes.size(); ++size) {
        if (size < 48) {
            EXPECT_THROW(parse(bytes.substr(0, size)), Error) << size;
            continue;
        }
        const AgentDump dump = parse(bytes.substr(0, size));
        EXPECT_GE(dump.lives.size(), functions);
        functions = dump.lives.size();
        EXPECT_FALSE(dump.is_closed);
        EXPECT_EQ(dump.bad_records, 0u);
    }
    EXPECT_EQ(functions, 3u);
}

TEST(AgentDump, leaves_out_what_cannot_be) {
    DumpBuilder dump({});
    dump.load(1, 0x1000, 0x9000, 0xffffffff, "more code than there is", "abcd");
    dump.load(1, UINT64_MAX - 2, 0, 4, "beyond the end", "");
    dump.lines(1, 0x1234, {{0x1000, 1, "of no function"}});
    dump.begin(0, 1);
    dump.end();
    dump.begin(0, 1);
    dump.out().put(uint64_t{0x1000});
    dump.out().put(uint64_t{0});
    dump.out().put(uint64_t{4});
    dump.out().put_bytes("name without end");
    dump.end();
    dump.begin(77, 1);
    dump.end();
    dump.load(1, 0x2000, 0, 4, "kept", "");
    const AgentDump read = parse(dump.bytes());
    EXPECT_EQ(read.bad_records, 5u);
    ASSERT_EQ(read.lives.size(), 1u);
    EXPECT_EQ(read.lives[0].symbol.name, "kept");
}

TEST(AgentDump, remembers_a_bounded_number_of_functions) {
    DumpBuilder dump({});
    const size_t header = dump.bytes().size();
    dump.load(1, 0x1000, 1, 0, "", "");
    std::string record = dump.bytes().substr(header), records;
    for (uint64_t pointer = 2; pointer <= CodeLives::most_functions + 1; ++pointer) {
        std::memcpy(record.data() + 24, &pointer, sizeof pointer);
        records += record;
    }
    dump.out().put_bytes(records);
    dump.load(2, 0x1000, 1, 4, "f", "abcd");
    dump.lines(2, 1, {{0x1000, 7, "f.c"}});
    dump.lines(2, CodeLives::most_functions + 1, {{0x1000, 8, "f.c"}});
    const AgentDump read = parse(dump.bytes());
    EXPECT_EQ(read.bad_records, 1u);
    ASSERT_EQ(read.lives.size(), 1u);
    EXPECT_EQ(read.lives[0].symbol.lines, (std::vector<CodeLine>{{0x1000, 7, "f.c"}}));
}

TEST(AgentDump, ends_at_a_size_that_cannot_be) {
    for (const uint32_t size : {0u, 15u, 0xfffffff8u}) {
        DumpBuilder dump({});
        dump.load(1, 0x2000, 0, 4, "kept", "");
        dump.begin(1, 2);
        dump.out().patch(dump.out().size() - 12, size);
        const AgentDump read = parse(dump.bytes());
        EXPECT_NE(read.fault, "");
        EXPECT_EQ(read.lives.size(), 1u);
    }
}

TEST(AgentDump, without_its_header_is_refused) {
    for (const char* target : {"", "coff-i386", "x"})
        EXPECT_THROW(parse(DumpBuilder({}, target).bytes()), Error);
    EXPECT_THROW(parse("no dump, but long enough for a header of one, I think"), Error);
}

TEST(CodeLives, gives_an_address_to_whoever_was_there_for_longest) {
    const std::vector<CodeLife> lives{
        {{0x1000, 0x10, "short", {{0x1000, 1, "s"}, {0x100c, 2, "s"}}, code_of("0123456789abcdef")}, 0, 10},
        {{0x1004, 4, "long"}, 10, 60},
        {{0x1008, 4, "early"}, 0, 5},
        {{0x2000, 4, "first"}, 20, 30},
        {{0x2000, 4, "second"}, 30, 40},
        {{0x3000, 4, "to the end"}, 50, UINT64_MAX},
    };
    const SettledCode settled = longest_lived(lives, 0, 100);
    const std::vector<CodeSymbol> expected{
        {0x1000, 4, "short", {{0x1000, 1, "s"}}, code_of("0123")},
        {0x1004, 4, "long"},
        {0x1008, 8, "short", {{0x100c, 2, "s"}}, code_of("89abcdef")},
        {0x2000, 4, "second"},
        {0x3000, 4, "to the end"},
    };
    EXPECT_EQ(settled.symbols, expected);
    EXPECT_EQ(settled.given_way, 3u);
    const auto late = longest_lived(lives, 25, 26).symbols;
    ASSERT_EQ(late.size(), 2u);
    EXPECT_EQ(late[1].name, "first");
    EXPECT_TRUE(longest_lived(lives, 200, 300).symbols.size() == 1);
}

TEST(LongestLived, parts_with_long_names_are_limited) {
    const CodeLife whole{{0, 100, std::string(40, 'n')}, 0, 50};
    const std::vector<CodeLife> lives = {whole, {{20, 10, "a"}, 0, 100}, {{60, 10, "b"}, 0, 100}};
    const auto starts = [&](size_t most_bytes) {
        std::vector<uint64_t> starts;
        for (const CodeSymbol& symbol : longest_lived(lives, 0, 100, most_bytes).symbols)
            starts.push_back(symbol.address);
        return starts;
    };
    EXPECT_EQ(starts(120), (std::vector<uint64_t>{0, 20, 30, 60, 70}));
    EXPECT_EQ(starts(80), (std::vector<uint64_t>{0, 20, 30, 60}));
    EXPECT_EQ(starts(0), (std::vector<uint64_t>{20, 60}));
}

TEST(CodeLives, knows_a_function_that_is_reported_twice) {
    CodeLives lives;
    lives.load(1, {0x1000, 4, "f"});
    lives.load(2, {0x1000, 4, "f", {{0x1000, 7, "f.c"}}});
    lives.load(3, {0x2000, 4, "g"});
    lives.unload(4, 0x1002);
    lives.unload(5, 0x2000);
    const auto all = std::move(lives).take();
    ASSERT_EQ(all.size(), 2u);
    EXPECT_EQ(all[0].from, 1u);
    EXPECT_EQ(all[0].to, UINT64_MAX);
    EXPECT_EQ(all[0].symbol.lines.size(), 1u);
    EXPECT_EQ(all[1].to, 5u);
}

TEST(CodeLives, follows_a_function_that_moves) {
    CodeLives lives;
    lives.load(1, {0x1000, 4, "f", {{0x1002, 7, "f.c"}}, code_of("abcd")});
    lives.move(2, 0x1000, 0x1002, 8);
    lives.move(3, 0x1000, 0x1002, 4);
    lives.unload(4, 0x1002);
    const auto all = std::move(lives).take();
    ASSERT_EQ(all.size(), 2u);
    EXPECT_EQ(all[0].to, 3u);
    EXPECT_EQ(all[1], (CodeLife{{0x1002, 4, "f", {{0x1004, 7, "f.c"}}, code_of("abcd")}, 3, 4}));
}

}  // namespace
}  // namespace op
