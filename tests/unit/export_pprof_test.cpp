// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <map>
#include <protozero/pbf_reader.hpp>

#include "libop/base/gzip.h"
#include "libpp/export/exporter.h"
#include "tests/unit/fake_stacks.h"

namespace op::pp {

namespace {

/// The fields of a message: numbers by field, packed ones in a row, and the messages in it.
struct Message {
    std::map<uint32_t, std::vector<uint64_t>> numbers;
    std::map<uint32_t, std::vector<std::string>> bytes;

    explicit Message(const std::string& data) {
        protozero::pbf_reader in(data);
        while (in.next()) {
            if (in.wire_type() == protozero::pbf_wire_type::varint)
                numbers[in.tag()].push_back(in.get_uint64());
            else
                bytes[in.tag()].push_back(in.get_string());
        }
    }
    uint64_t number(uint32_t field) const { return numbers.contains(field) ? numbers.at(field).at(0) : 0; }
    std::vector<uint64_t> packed(uint32_t field) const {
        std::vector<uint64_t> result;
        const std::string data = data_of(field);
        protozero::pbf_reader in(data);
        while (in.next())
            for (const uint64_t n : in.get_packed_uint64())
                result.push_back(n);
        return result;
    }

private:
    /// A message with that packed field alone.
    std::string data_of(uint32_t field) const {
        const std::string& content = bytes.at(field).at(0);
        return std::string{static_cast<char>(field << 3 | 2), static_cast<char>(content.size())} + content;
    }
};

/// f is called by g; the samples are in f.
struct Called {
    test::FakeSymbols symbols{{"f", 0x100, 0x20}, {"g", 0x1120, 0x20}};
    Profile profile;
    SessionInfo info;

    Called() {
        profile.columns = {ProfileClass{"TIMER", 1000, 0, {}, {}, {}}};
        profile.images = {{ImageName{ImageName::Kind::file, "/bin/a"}, &symbols}};
        profile.symbols = {{0, &symbols.symbols()[0]}, {0, &symbols.symbols()[1]}};
        profile.locations = {{0, 0, ImageOffset{0x104}},
                             {0, 1, ImageOffset{0x1130}},
                             {0, Location::no_symbol, ImageOffset{0x9000}}};
        profile.frames = {0, 2};
        profile.samples = {{0, 0, 1}, {0, 1, 1}};
        profile.counts = {5, 2};
        profile.arcs = {{0, 0, 1, 0}};
        profile.arc_counts = {3};
        info.images["/bin/a"].build_id = "abcd";
        info.start_time = 1000;
        info.stop_time = 1003;
    }
    Message written() const {
        profile.check();
        return Message(gunzip(find_exporter("pprof")->write(profile, {.info = &info}), "pprof"));
    }
};

std::string text(const Message& profile, uint64_t index) {
    return profile.bytes.at(6).at(index);
}

/// Of the first values.
uint64_t total(const Message& profile) {
    uint64_t sum = 0;
    for (const std::string& sample : profile.bytes.at(2))
        sum += Message(sample).packed(2).at(0);
    return sum;
}

}  // namespace

TEST(ExportPprof, counts_every_sample_once) {
    EXPECT_EQ(total(Called{}.written()), 7u) << "the arc must not add to it";
}

TEST(ExportPprof, of_a_clock_each_sample_has_nanoseconds_too) {
    const Message profile = Called{}.written();
    ASSERT_EQ(profile.bytes.at(1).size(), 2u);
    const Message type(profile.bytes.at(1)[1]);
    EXPECT_EQ(text(profile, type.number(1)) + "/" + text(profile, type.number(2)), "cpu/nanoseconds");
    EXPECT_EQ(text(profile, profile.number(14)), "cpu") << "what readers show first";
    for (const std::string& bytes : profile.bytes.at(2)) {
        const auto values = Message(bytes).packed(2);
        ASSERT_EQ(values.size(), 2u);
        EXPECT_EQ(values[1], 1000 * values[0]);
    }
}

TEST(ExportPprof, a_clock_beside_another_event_has_its_name) {
    Called called;
    called.profile.columns = {ProfileClass{"TIMER", 1000, 0, {}, {}, {}},
                              ProfileClass{"E", 100, 0, {}, {}, {}}};
    called.profile.counts = {1, 2, 0, 4};
    called.profile.arcs.clear();
    called.profile.arc_counts.clear();
    const Message profile = called.written();
    std::vector<std::string> types;
    for (const std::string& bytes : profile.bytes.at(1))
        types.push_back(text(profile, Message(bytes).number(1)));
    EXPECT_EQ(types, (std::vector<std::string>{"TIMER", "TIMER time", "E"}));
    EXPECT_EQ(Message(profile.bytes.at(2)[0]).packed(2), (std::vector<uint64_t>{1, 1000, 2}));
}

TEST(ExportPprof, a_caller_is_a_second_frame_within_the_call) {
    const Message profile = Called{}.written();
    ASSERT_EQ(profile.bytes.at(2).size(), 3u) << "with a caller, without, and in no symbol";
    const auto stack = Message(profile.bytes.at(2)[0]).packed(1);
    ASSERT_EQ(stack.size(), 2u);
    std::map<uint64_t, uint64_t> addresses;
    for (const std::string& bytes : profile.bytes.at(4)) {
        const Message location(bytes);
        addresses[location.number(1)] = location.number(3);
    }
    EXPECT_EQ(addresses[stack[0]], 0x400104u);
    EXPECT_EQ(addresses[stack[1]], 0x40112fu);
}

TEST(ExportPprof, a_mapping_has_file_build_id_and_the_place_it_was_linked_for) {
    const Message profile = Called{}.written();
    ASSERT_EQ(profile.bytes.at(3).size(), 2u) << "what lies in no symbol is linked who knows where";
    const Message mapping(profile.bytes.at(3)[0]);
    EXPECT_EQ(mapping.number(2), 0x400000u);
    EXPECT_EQ(mapping.number(3), 0x402000u);
    EXPECT_EQ(mapping.number(4), 0u);
    EXPECT_EQ(text(profile, mapping.number(5)), "/bin/a");
    EXPECT_EQ(text(profile, mapping.number(6)), "abcd");
}

struct Nameless : test::FakeSymbols {
    Nameless() : FakeSymbols({}) {}
    bool has_symbols() const override { return false; }
};

TEST(ExportPprof, a_client_is_not_to_take_names_from_another_file_at_the_path) {
    Called called;
    for (const bool is_replaced : {false, true}) {
        Nameless none{};
        called.profile.images[0] = {called.profile.images[0].name, &none, is_replaced};
        const Message mapping(called.written().bytes.at(3)[0]);
        EXPECT_EQ(mapping.number(7), is_replaced ? 1u : 0u) << "has_functions";
        EXPECT_EQ(mapping.number(8), 0u) << "has_filenames";
    }
}

TEST(ExportPprof, the_programs_mapping_is_the_first_though_all_samples_are_elsewhere) {
    Called called;
    called.profile.images.push_back({ImageName{ImageName::Kind::file, "/bin/program"}, nullptr});
    called.profile.images.push_back({ImageName{ImageName::Kind::kernel, "no-vmlinux"}, nullptr});
    called.profile.samples[0].app = 2;  // 5 of the kernel's own threads, and 2 of the program
    called.profile.samples[1].app = 1;
    const Message profile = called.written();
    ASSERT_EQ(profile.bytes.at(3).size(), 3u);
    const Message first(profile.bytes.at(3)[0]);
    EXPECT_EQ(text(profile, first.number(5)), "/bin/program");
    EXPECT_EQ(first.number(1), 3u) << "an id of its own";
    EXPECT_EQ(text(profile, Message(profile.bytes.at(3)[1]).number(5)), "/bin/a");
}

TEST(ExportPprof, a_location_has_function_file_and_line) {
    const Message profile = Called{}.written();
    const Message location(profile.bytes.at(4)[0]);
    const Message line(location.bytes.at(4).at(0));
    EXPECT_EQ(line.number(2), 0x104u);
    const Message function(profile.bytes.at(5).at(line.number(1) - 1));
    EXPECT_EQ(text(profile, function.number(2)), "f");
    EXPECT_EQ(text(profile, function.number(4)), "/src/f.c");
    EXPECT_EQ(function.number(5), 0x100u);
}

TEST(ExportPprof, inlined_functions_are_lines_before_the_symbols_own) {
    Called called;
    called.symbols.frames_at[0x104] = {
        {"_ZN3box3addEi", "/src/box.h", 7}, {"", "/src/nameless.h", 8}, {"f", "/src/f.c", 9}};
    const Message profile = called.written();
    std::vector<std::pair<std::string, uint64_t>> lines;
    const Message location(profile.bytes.at(4)[0]);
    for (const std::string& bytes : location.bytes.at(4)) {
        const Message line(bytes);
        const Message function(profile.bytes.at(5).at(line.number(1) - 1));
        lines.emplace_back(text(profile, function.number(2)) + " " + text(profile, function.number(4)),
                           line.number(2));
    }
    EXPECT_EQ(lines, (std::vector<std::pair<std::string, uint64_t>>{{"box::add(int) /src/box.h", 7},
                                                                    {"f /src/f.c", 9}}));
}

TEST(ExportPprof, records_what_was_counted_and_when) {
    const Message profile = Called{}.written();
    const Message type(profile.bytes.at(1).at(0)), period(profile.bytes.at(11).at(0));
    EXPECT_EQ(text(profile, type.number(1)) + "/" + text(profile, type.number(2)), "samples/count");
    EXPECT_EQ(text(profile, period.number(1)) + "/" + text(profile, period.number(2)), "cpu/nanoseconds");
    EXPECT_EQ(profile.number(12), 1000u);
    EXPECT_EQ(profile.number(9), 1'000'000'000'000u);
    EXPECT_EQ(profile.number(10), 3'000'000'000u);
    EXPECT_EQ(text(profile, 0), "");
}

TEST(ExportPprof, processes_are_labels_and_events_types) {
    Called called;
    called.profile.columns = {ProfileClass{"E", 100, 0, 7, 8, 1}, ProfileClass{"F", 100, 0, 7, 8, 1},
                              ProfileClass{"E", 100, 0, 9, 9, 1}};
    called.profile.counts = {1, 2, 0, 0, 0, 4};
    called.profile.arcs.clear();
    called.profile.arc_counts.clear();
    const Message profile = called.written();
    ASSERT_EQ(profile.bytes.at(1).size(), 2u);
    EXPECT_EQ(text(profile, Message(profile.bytes.at(1)[1]).number(1)), "F");
    ASSERT_EQ(profile.bytes.at(2).size(), 2u);
    const Message sample(profile.bytes.at(2)[0]);
    EXPECT_EQ(sample.packed(2), (std::vector<uint64_t>{1, 2}));
    std::map<std::string, uint64_t> labels;
    for (const std::string& bytes : sample.bytes.at(3)) {
        const Message label(bytes);
        labels[text(profile, label.number(1))] = label.number(3);
    }
    EXPECT_EQ(labels, (std::map<std::string, uint64_t>{{"app", 0}, {"pid", 7}, {"tid", 8}, {"cpu", 1}}));
}

TEST(ExportPprof, strings_are_utf8_whatever_names_are) {
    Called called;
    called.profile.images[0].name.name = "/bin/\xff\x1b";
    const Message profile = called.written();
    EXPECT_EQ(text(profile, Message(profile.bytes.at(3)[0]).number(5)), "/bin/\xef\xbf\xbd?");
}

TEST(ExportPprof, has_the_whole_stacks_of_a_profile_that_has_them) {
    test::FakeStacks made;
    made.add(0, {"main@10", "f@20", "libc:malloc"}, 5);
    made.add(0, {"g"}, 2, static_cast<uint32_t>(StackEnd::dump_short));
    const Message whole(gunzip(find_exporter("pprof")->write(made.finish(), {}), "pprof"));
    EXPECT_EQ(total(whole), 7U);
    std::map<uint64_t, uint64_t> addresses;
    for (const std::string& location : whole.bytes.at(4))
        addresses[Message(location).number(1)] = Message(location).number(3);
    std::vector<std::vector<uint64_t>> stacks;
    for (const std::string& sample : whole.bytes.at(2)) {
        stacks.emplace_back();
        for (const uint64_t location : Message(sample).packed(1))
            stacks.back().push_back(addresses.at(location));
    }
    EXPECT_EQ(stacks, (std::vector<std::vector<uint64_t>>{{0x400104, 0x40021f, 0x40010f}, {0x400304}}));
    const Message cut(whole.bytes.at(2).at(1));
    ASSERT_EQ(cut.bytes.at(3).size(), 2U);
    EXPECT_EQ(text(whole, Message(cut.bytes.at(3).at(1)).number(1)), "truncated");
    EXPECT_EQ(text(whole, Message(cut.bytes.at(3).at(1)).number(2)), "dump_short");
}

}  // namespace op::pp
