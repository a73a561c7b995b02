// SPDX-License-Identifier: GPL-2.0-or-later
#include "libop/jit/jitdump.h"

#include <gtest/gtest.h>

#include "libop/jit/dump_code.h"

namespace op {
namespace {

std::span<const std::byte> bytes_of(const std::string& text) {
    return std::as_bytes(std::span(text));
}

/// A file in either byte order.
class Dump {
public:
    explicit Dump(bool is_swapped = false, uint64_t flags = 0)
        : out_({true, (std::endian::native == std::endian::big) != is_swapped}) {
        for (const uint32_t word : {0x4A695444u, 1u, 48u, 62u, 0xDEADBEEFu, 7u})
            out_.put(word);
        for (const uint64_t word : {uint64_t{1}, flags, uint64_t{0}})
            out_.put(word);
    }
    Dump& load(uint64_t time, uint64_t address, std::string_view name, std::string_view code) {
        head(0, 56 + name.size() + 1 + code.size(), time);
        for (const uint64_t field : {uint64_t{0}, address, uint64_t{code.size()}, uint64_t{1}})
            out_.put(field);
        out_.put_text(name);
        out_.put_bytes(code);
        return *this;
    }
    Dump& move(uint64_t time, uint64_t from, uint64_t to, uint64_t size) {
        head(1, 64, time);
        for (const uint64_t field : {to, from, to, size, uint64_t{1}})
            out_.put(field);
        return *this;
    }
    Dump& unload(uint64_t time, uint64_t address) {
        record(0x4f500001, 24, time);
        out_.put(address);
        return *this;
    }
    Dump& lines(uint64_t address, const std::vector<CodeLine>& lines, uint64_t entries) {
        size_t size = 32;
        for (const CodeLine& line : lines)
            size += 16 + line.file.size() + 1;
        record(2, size, 0);
        out_.put(address);
        out_.put(entries);
        for (const CodeLine& line : lines) {
            out_.put(line.address);
            out_.put(line.line);
            out_.put(uint32_t{0});
            out_.put_text(line.file);
        }
        return *this;
    }
    Dump& record(uint32_t id, size_t size, uint64_t time) {
        out_.put(id);
        out_.put(static_cast<uint32_t>(size));
        out_.put(time);
        return *this;
    }
    Dump& raw(std::string_view bytes) {
        out_.put_bytes(bytes);
        return *this;
    }
    const std::string& bytes() const { return out_.bytes(); }

private:
    void head(uint32_t id, size_t size, uint64_t time) {
        record(id, size, time);
        out_.put(uint64_t{0});
    }
    OrderedWriter out_;
};

struct Read {
    std::string text;
    std::string fault;
    uint64_t bad = 0, bad_lines = 0;
    bool operator==(const Read&) const = default;
};

Read read(const std::string& file, size_t piece = SIZE_MAX) {
    Read result;
    JitdumpSink sink;
    sink.load = [&](const JitLoad& load) {
        result.text += std::to_string(load.time) + " " + std::string(load.name) + "@" +
                       std::to_string(load.address) + "+" + std::to_string(load.code.size());
        for (const CodeLine& line : load.lines)
            result.text +=
                " " + line.file + ":" + std::to_string(line.line) + "@" + std::to_string(line.address);
        result.text += "\n";
    };
    sink.unload = [&](const JitUnload& unload) {
        result.text += std::to_string(unload.time) + " -" + std::to_string(unload.address) + "\n";
    };
    sink.move = [&](const JitMove& move) {
        result.text += std::to_string(move.time) + " " + std::to_string(move.from) + ">" +
                       std::to_string(move.to) + "+" + std::to_string(move.size) + "\n";
    };
    JitdumpReader reader(sink);
    for (size_t at = 0; at < file.size(); at += std::min(piece, file.size() - at))
        reader.feed(bytes_of(file).subspan(at, std::min(piece, file.size() - at)));
    result.fault = reader.fault();
    result.bad = reader.bad_records();
    result.bad_lines = reader.bad_lines();
    return result;
}

std::string names_at(const Dump& dump, const std::vector<uint64_t>& wanted, bool is_timed = false) {
    DumpCode code(wanted, is_timed);
    JitdumpReader reader({[&](const JitLoad& load) { code.take(load); },
                          [&](const JitMove& move) { code.take(move); },
                          [&](const JitUnload& unload) { code.take(unload); }});
    reader.feed(bytes_of(dump.bytes()));
    std::string text;
    for (const CodeSymbol& symbol : code.finish()) {
        const unsigned generation = code_generation(symbol.address);
        if (generation != 0) text += std::to_string(generation) + ":";
        text += symbol.name + "@" + std::to_string(plain_address(symbol.address)) + "+" +
                std::to_string(symbol.size) + " ";
    }
    return text + "ambiguous " + std::to_string(code.ambiguous());
}

}  // namespace

TEST(Jitdump, records_of_both_byte_orders_are_read) {
    for (const bool is_swapped : {false, true}) {
        Dump dump(is_swapped);
        dump.lines(4096, {{4096, 3, "a.c"}, {4098, 4, "\xff"}}, 2).load(5, 4096, "f", "code");
        dump.record(4, 20, 6).raw("skip").move(7, 4096, 8192, 4).record(3, 16, 8).load(9, 4096, "g", "x");
        EXPECT_EQ(read(dump.bytes()),
                  (Read{"5 f@4096+4 a.c:3@4096 a.c:4@4098\n7 4096>8192+4\n9 g@4096+1\n", "", 0, 0}));
    }
}

TEST(Jitdump, line_addresses_that_are_a_header_too_high_are_mended) {
    Dump beyond;
    beyond.lines(4096, {{4096 + 64, 1, "a"}, {4096 + 64 + 3, 2, "a"}}, 2).load(1, 4096, "f", "code");
    EXPECT_EQ(read(beyond.bytes()).text, "1 f@4096+4 a:1@4096 a:2@4099\n");
    Dump within;
    within.lines(4096, {{4096 + 64, 1, "a"}}, 1).load(1, 4096, "f", std::string(100, 'c'));
    EXPECT_EQ(read(within.bytes()).text, "1 f@4096+100 a:1@4096\n");
    Dump right;
    right.lines(4096, {{4096, 1, "a"}, {4096 + 64, 2, "a"}}, 2).load(1, 4096, "f", std::string(100, 'c'));
    EXPECT_EQ(read(right.bytes()).text, "1 f@4096+100 a:1@4096 a:2@4160\n");
}

TEST(Jitdump, nonsense_costs_its_record_only) {
    Dump dump;
    dump.lines(4096, {{4096, 1, "a"}}, uint64_t{1} << 61).load(1, 4096, "f", "c");
    dump.lines(4096, {{4096, 1, "a"}}, 5).load(2, 4096, "g", "c");
    dump.lines(1, {{4096, 1, "a"}}, 1).load(3, 4096, "h", "c");
    dump.record(0, 56, 4).raw(std::string(40, '\xff')).record(1, 20, 5).raw("xxxx").load(6, 4096, "i", "c");
    EXPECT_EQ(read(dump.bytes()), (Read{"1 f@4096+1\n2 g@4096+1\n3 h@4096+1\n6 i@4096+1\n", "", 2, 3}));
}

TEST(Jitdump, what_cannot_be_read_ends_it_with_a_reason) {
    EXPECT_EQ(read(Dump(false, 1).bytes()).fault, "its times are of the processor's counter");
    EXPECT_NE(read(Dump(false, 4).bytes()).fault, "");
    EXPECT_EQ(read(std::string(100, 'x')).fault, "it is no jitdump");
    EXPECT_NE(read(Dump().load(1, 1, "f", "c").record(0, 0, 0).bytes()).fault, "");
    EXPECT_EQ(read(Dump().load(1, 1, "f", "c").record(0, 0, 0).bytes()).text, "1 f@1+1\n");
    EXPECT_NE(read(Dump().record(0, UINT32_MAX, 0).bytes()).fault, "");
    EXPECT_EQ(read(Dump().record(9, UINT32_MAX, 0).raw(std::string(1000, 'x')).bytes()), Read{});
}

TEST(Jitdump, pieces_change_nothing_and_each_prefix_is_read) {
    Dump dump;
    dump.lines(4096, {{4096, 3, "a.c"}}, 1)
        .load(5, 4096, "f", "code")
        .record(4, 20, 6)
        .raw("skip")
        .move(7, 4096, 8192, 4);
    const Read whole = read(dump.bytes());
    for (size_t piece = 1; piece < dump.bytes().size(); ++piece)
        EXPECT_EQ(read(dump.bytes(), piece), whole) << piece;
    for (size_t length = 0; length < dump.bytes().size(); ++length) {
        const Read cut = read(dump.bytes().substr(0, length));
        EXPECT_EQ(cut.fault, "");
        EXPECT_TRUE(whole.text.starts_with(cut.text));
    }
}

TEST(DumpCode, an_address_has_a_name_if_it_had_one_only) {
    Dump dump;
    dump.load(1, 100, "f", "0123456789").load(2, 200, "g", "0123456789").load(3, 105, "h", "0123456789");
    EXPECT_EQ(names_at(dump, {102, 107, 112, 205, 300}), "f@100+7 h@108+7 g@200+10 ambiguous 1");
    dump.load(4, 200, "g", "01234567");
    EXPECT_EQ(names_at(dump, {205}), "g@200+8 ambiguous 0");
    dump.move(5, 200, 400, 8);
    EXPECT_EQ(names_at(dump, {205, 401}), "g@200+8 g@400+8 ambiguous 0");
}

TEST(Jitdump, libopagent_s_record_of_code_that_is_gone_is_read) {
    Dump dump;
    dump.load(5, 4096, "f", "c")
        .unload(6, 4096)
        .record(0x4f500001, 20, 7)
        .raw("xxxx")
        .load(8, 4096, "g", "c");
    EXPECT_EQ(read(dump.bytes()), (Read{"5 f@4096+1\n6 -4096\n8 g@4096+1\n", "", 1, 0}));
    EXPECT_EQ(read(dump.bytes(), 3), read(dump.bytes()));
}

TEST(DumpCode, a_generation_has_the_name_of_its_code) {
    Dump dump;
    dump.load(1, 100, "f", "0123456789")
        .load(2, 105, "g", "0123456789")
        .unload(3, 105)
        .load(4, 105, "h", "01");
    const auto at = [](unsigned generation) { return tagged_address(106, generation); };
    const std::vector<uint64_t> wanted{102, 106, at(1), at(2), at(3), at(127)};
    EXPECT_EQ(names_at(dump, wanted, true), "f@100+10 1:g@105+10 3:h@105+2 ambiguous 0");
    EXPECT_EQ(names_at(dump, wanted), "f@100+6 1:g@105+10 3:h@105+2 ambiguous 1");
    dump.move(5, 100, 300, 10).load(6, 100, "i", "0123");
    EXPECT_EQ(names_at(dump, {102, 301, tagged_address(102, 2)}, true),
              "f@100+10 f@300+10 2:i@100+4 ambiguous 0");
}

TEST(DumpCode, what_comes_too_late_costs_the_name_of_what_it_replaced) {
    Dump dump;
    dump.load(10, 100, "f", "0123456789").load(10, 200, "g", "0123456789").load(30, 300, "h", "0123456789");
    dump.load(20, 105, "i", "01").load(20, 200, "g", "0123456789").load(40, 300, "j", "0123456789");
    const std::vector<uint64_t> wanted{102, 106, 205, 305, tagged_address(106, 1), tagged_address(305, 1)};
    const std::vector<PlacedUntil> placed{{3, 35}};  // before the second line
    DumpCode code(wanted, true);
    code.expect_late(placed);
    JitdumpReader reader({[&](const JitLoad& load) { code.take(load); }, {}, {}});
    reader.feed(bytes_of(dump.bytes()));
    std::string text;
    for (const CodeSymbol& symbol : code.finish())
        text += symbol.name + "@" + std::to_string(plain_address(symbol.address)) + " ";
    EXPECT_EQ(text, "f@100 g@200 h@300 i@105 j@300 ") << "f ends before 106";
    EXPECT_EQ(code.ambiguous(), 1u);
}

TEST(DumpCode, code_that_comes_back_too_late_is_not_what_is_there) {
    Dump dump;
    dump.load(10, 100, "f", "0123456789").load(30, 104, "g", "0123").load(20, 100, "f", "0123456789");
    const std::vector<uint64_t> wanted{102, tagged_address(105, 1)};
    const std::vector<PlacedUntil> placed{{2, 35}};  // before the second f
    DumpCode code(wanted, true);
    code.expect_late(placed);
    JitdumpReader reader({[&](const JitLoad& load) { code.take(load); }, {}, {}});
    reader.feed(bytes_of(dump.bytes()));
    EXPECT_TRUE(code.finish().empty());
    EXPECT_EQ(code.ambiguous(), 2u);
}

TEST(DumpCode, lines_are_of_the_generation) {
    Dump dump;
    dump.load(1, 4096, "f", "code").lines(4096, {{4096, 3, "a.c"}}, 1).load(2, 4096, "g", "code");
    const std::vector<uint64_t> wanted{tagged_address(4097, 1)};
    DumpCode code(wanted, true);
    JitdumpReader reader({[&](const JitLoad& load) { code.take(load); }, {}, {}});
    reader.feed(bytes_of(dump.bytes()));
    const auto symbols = code.finish();
    ASSERT_EQ(symbols.size(), 1u);
    EXPECT_EQ(symbols[0].lines, (std::vector<CodeLine>{{tagged_address(4096, 1), 3, "a.c"}}));
    EXPECT_EQ(symbols[0].code.size(), 4u);
}

}  // namespace op
