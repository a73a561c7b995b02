// SPDX-License-Identifier: GPL-2.0-or-later
// tests/fixtures/akaros is written by tests/fixtures/make_akaros.py, which knows nothing of the reader.
#include "daemon/import/akaros_trace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "libop/base/fd.h"
#include "tests/unit/fixtures.h"

namespace op::collect {
namespace {

struct Layout {
    const char* name;
    AkarosLayout layout;
};
constexpr Layout layouts[] = {{"words", AkarosLayout::words},
                              {"v1", AkarosLayout::v1},
                              {"v2", AkarosLayout::v2},
                              {"v3", AkarosLayout::v3}};

std::string trace_of(const std::string& name) {
    return read_file(test::fixture("akaros/" + name + ".trace"));
}

/// What a trace has, and how much of it makes no sense.
struct Content {
    std::vector<std::tuple<AkarosEntry::Kind, uint64_t, uint32_t, size_t, std::string>> entries;
    size_t aliens = 0, damaged = 0;
};

Content content_of(const std::string& bytes, AkarosLayout layout) {
    const AkarosTrace trace(as_bytes(bytes), layout);
    Content content;
    AkarosEntry entry;
    for (size_t at = 0;;) {
        const size_t from = at;
        const AkarosPart part = trace.read(at, entry);
        if (part == AkarosPart::end) return content;
        EXPECT_GT(at, from);
        EXPECT_LE(at, bytes.size());
        content.aliens += part == AkarosPart::alien;
        content.damaged += part == AkarosPart::damaged;
        if (part == AkarosPart::entry)
            content.entries.emplace_back(entry.kind, entry.time, entry.pid, entry.depth(), entry.path);
    }
}

/// Where the entries end.
std::vector<size_t> ends_of(const std::string& bytes, AkarosLayout layout) {
    const AkarosTrace trace(as_bytes(bytes), layout);
    std::vector<size_t> ends;
    AkarosEntry entry;
    for (size_t at = 0;;) {
        const AkarosPart part = trace.read(at, entry);
        if (part == AkarosPart::end) return ends;
        if (part == AkarosPart::entry) ends.push_back(at);
    }
}

std::string leb128(uint64_t n) {
    std::string out;
    for (; n > 0x7f; n >>= 7)
        out += static_cast<char>(0x80 | (n & 0x7f));
    return out + static_cast<char>(n);
}

std::string number(uint64_t value, size_t size) {
    std::string out;
    for (size_t i = 0; i < size; ++i)
        out += static_cast<char>(value >> 8 * i);
    return out;
}

/// A process record of any layout.
std::string process(uint64_t time, const std::string& path) {
    const std::string body = number(time, 8) + number(7, 4) + path + '\0';
    return leb128(4) + leb128(body.size()) + body;
}

size_t entries(const std::string& bytes) {
    return content_of(bytes, AkarosLayout::v3).entries.size();
}

}  // namespace

TEST(AkarosTrace, recognises_each_layout_by_its_arithmetic) {
    for (const Layout& each : layouts)
        EXPECT_EQ(AkarosTrace(as_bytes(trace_of(each.name))).layout(), each.layout) << each.name;
}

TEST(AkarosTrace, recognises_each_layout_after_a_torn_beginning) {
    for (const Layout& each : layouts) {
        const std::string whole = trace_of(each.name);
        for (size_t cut = 0; cut < 400; cut += 8) {
            const std::string torn = whole.substr(cut);
            EXPECT_EQ(AkarosTrace(as_bytes(torn)).layout(), each.layout) << each.name << " from " << cut;
        }
    }
}

TEST(AkarosTrace, every_entry_is_read_and_those_of_other_kinds_are_passed_over) {
    for (const Layout& each : layouts) {
        const Content content = content_of(trace_of(each.name), each.layout);
        EXPECT_EQ(content.entries.size(), each.layout == AkarosLayout::words ? 120u : 126u) << each.name;
        EXPECT_EQ(content.aliens, 1u) << each.name;
        EXPECT_EQ(content.damaged, 0u) << each.name;
    }
}

TEST(AkarosTrace, cut_at_every_byte_has_what_came_before) {
    for (const Layout& each : layouts) {
        const std::string whole = trace_of(each.name);
        const std::vector<size_t> all = ends_of(whole, each.layout);
        for (size_t length = 0; length < whole.size(); ++length) {
            const std::vector<size_t> cut = ends_of(whole.substr(0, length), each.layout);
            const auto before = std::ranges::upper_bound(all, length);
            ASSERT_TRUE(std::equal(cut.begin(), cut.end(), all.begin(), before))
                << each.name << " to " << length;
        }
    }
}

TEST(AkarosTrace, a_damaged_byte_costs_an_entry_or_two) {
    for (const Layout& each : layouts) {
        const std::string whole = trace_of(each.name);
        const size_t all = ends_of(whole, each.layout).size();
        for (size_t at = 0; at < whole.size(); ++at) {
            std::string damaged = whole;
            damaged[at] = static_cast<char>(~damaged[at]);
            ASSERT_GE(ends_of(damaged, each.layout).size() + 3, all) << each.name << " at " << at;
        }
    }
}

TEST(AkarosTrace, sizes_beyond_the_end_are_damage) {
    const std::string sound = process(1, "/bin/a") + process(2, "/bin/b");
    for (const uint64_t size : {uint64_t{1000}, uint64_t{32} << 20, uint64_t{33} << 20, UINT64_MAX})
        for (const uint64_t type : {uint64_t{1}, uint64_t{4}, uint64_t{9}, UINT64_MAX}) {
            const std::string bytes = leb128(type) + leb128(size) + sound;
            EXPECT_EQ(entries(bytes), 2u) << type << " of " << size;
        }
    EXPECT_EQ(entries(std::string(20, '\xff') + sound), 2u) << "a number without an end";
    EXPECT_EQ(entries(leb128(4) + leb128(0) + sound), 2u) << "an empty record";
    EXPECT_EQ(entries(leb128(9) + leb128(0) + sound), 2u) << "an empty one of another kind";
}

TEST(AkarosTrace, a_depth_that_does_not_fit_is_damage) {
    for (const unsigned depth : {0u, 1u, 3u, 0xffffu}) {
        const std::string body = number(0, 8) + number(5, 8) + number(7, 4) + number(0, 2) +
                                 number(depth, 2) + number(0x400000, 8) + number(0x400100, 8);
        const std::string bytes =
            leb128(2) + leb128(body.size()) + body + process(1, "/bin/a") + process(2, "/bin/b");
        EXPECT_EQ(entries(bytes), 2u) << depth;
    }
    for (const uint64_t head : {0xee01000000000000, 0xee01000000000011, 0xee01000000000101,
                                0xee02000000000001, 0xee010001000000ff}) {
        const std::string bytes = number(head, 8) + number(16, 8) + number(0x400000, 8);
        EXPECT_TRUE(content_of(bytes, AkarosLayout::words).entries.empty()) << std::hex << head;
    }
}

TEST(AkarosTrace, a_path_has_one_nul_at_its_end) {
    EXPECT_EQ(content_of(process(1, "/bin/a"), AkarosLayout::v1).entries.size(), 1u);
    EXPECT_EQ(content_of(process(1, std::string("/bin/a\0/x", 9)), AkarosLayout::v1).entries.size(), 0u);
    EXPECT_EQ(content_of(process(1, std::string(5000, 'x')), AkarosLayout::v1).entries.size(), 0u);
    std::string bytes = process(1, "/bin/a");
    bytes.back() = 'b';
    EXPECT_EQ(content_of(bytes, AkarosLayout::v1).entries.size(), 0u);
}

/// Its time is linear in the length: any byte may begin a record whose path ends far behind.
TEST(AkarosTrace, bytes_that_all_begin_a_record_are_read_at_once) {
    std::string bytes;
    while (bytes.size() < size_t{1} << 18)
        bytes += "\x03\x80\x80\x04";
    bytes += std::string(100, '\0');
    EXPECT_EQ(content_of(bytes, AkarosLayout::v2).entries.size(), 0u);
    AkarosTrace(as_bytes(bytes)).layout();
}

}  // namespace op::collect
