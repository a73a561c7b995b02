// SPDX-License-Identifier: GPL-2.0-or-later
#include "libop/events/event_spec.h"

#include <gtest/gtest.h>

#include "libop/base/error.h"

namespace op {

namespace {

/// The usage error that `text` gives, or "" if it gives none.
std::string fault(std::string_view text) {
    try {
        parse_event_spec(text);
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::usage);
        return error.what();
    }
    return "";
}

std::vector<std::string> names(const std::vector<std::string>& options) {
    std::vector<std::string> names;
    for (const EventSpec& spec : parse_event_specs(options))
        names.push_back(spec.name);
    return names;
}

}  // namespace

TEST(EventSpec, name_and_count_are_enough) {
    const EventSpec spec = parse_event_spec("TIMER:1000000");
    EXPECT_EQ(spec.name, "TIMER");
    EXPECT_EQ(spec.count, 1000000u);
    EXPECT_EQ(spec.unit_mask, std::nullopt);
    EXPECT_EQ(spec.unit_mask_name, "");
    EXPECT_TRUE(spec.kernel);
    EXPECT_TRUE(spec.user);
}

TEST(EventSpec, all_five_fields_are_read) {
    const EventSpec spec = parse_event_spec("CPU_CLK_UNHALTED:0x1000:010:0:1");
    EXPECT_EQ(spec.count, 4096u);
    EXPECT_EQ(spec.unit_mask, 8u);
    EXPECT_FALSE(spec.kernel);
    EXPECT_TRUE(spec.user);
}

TEST(EventSpec, unit_mask_may_be_a_name) {
    const EventSpec spec = parse_event_spec("X:5:fpu_div");
    EXPECT_EQ(spec.unit_mask, std::nullopt);
    EXPECT_EQ(spec.unit_mask_name, "fpu_div");
}

TEST(EventSpec, empty_fields_take_their_defaults) {
    EXPECT_EQ(parse_event_spec("X:5:::"), parse_event_spec("X:5"));
    EXPECT_FALSE(parse_event_spec("X:5:::0").user);
    EXPECT_EQ(parse_event_spec("X").count, 0u);
    EXPECT_EQ(parse_event_spec("X::1:0").count, 0u);
}

TEST(EventSpec, message_quotes_the_text_and_names_the_fault) {
    EXPECT_EQ(fault("FOO:abc"), "event 'FOO:abc': count 'abc' is not a number");
    EXPECT_EQ(fault("FOO:0"), "event 'FOO:0': the count must not be 0");
    EXPECT_EQ(fault(":5"), "event ':5': no event name; write name[:count[:unitmask[:kernel[:user]]]]");
    EXPECT_EQ(fault("F:5:0x"), "event 'F:5:0x': unit mask '0x' is not a number");
    EXPECT_EQ(fault("F:5:0:2"), "event 'F:5:0:2': kernel is '2'; it must be 0 or 1");
    EXPECT_EQ(fault("F:5:0:1:yes"), "event 'F:5:0:1:yes': user is 'yes'; it must be 0 or 1");
    EXPECT_EQ(fault("F:5:0:0:0"),
              "event 'F:5:0:0:0': kernel and user are both 0, so nothing would be counted");
    EXPECT_EQ(fault("F:5:0:1:1:1"),
              "event 'F:5:0:1:1:1': too many fields; write name[:count[:unitmask[:kernel[:user]]]]");
}

TEST(EventSpec, trailing_garbage_in_a_number_is_refused) {
    EXPECT_NE(fault("FOO:100x"), "");
    EXPECT_NE(fault("FOO:100 "), "");
    EXPECT_NE(fault("FOO:-1"), "");
    EXPECT_NE(fault("FOO:08"), "");
    EXPECT_NE(fault("FOO:18446744073709551616"), "");
}

TEST(EventSpec, name_that_cannot_be_in_a_path_is_refused) {
    EXPECT_NE(fault("a.b:5"), "");
    EXPECT_NE(fault("../b:5"), "");
    EXPECT_NE(fault("a b:5"), "");
}

TEST(EventSpec, message_stays_on_one_line) {
    EXPECT_EQ(fault("a\nb:5").find('\n'), std::string::npos);
    EXPECT_EQ(fault("a:5\033").find('\033'), std::string::npos);
}

TEST(EventSpecs, options_and_commas_join_into_a_sorted_set) {
    EXPECT_EQ(names({"C:1,A:1", "B:1", "A:1"}), (std::vector<std::string>{"A", "B", "C"}));
}

TEST(EventSpecs, doubles_vanish_however_they_are_spelled) {
    EXPECT_EQ(parse_event_specs({"A:16,A:0x10,A:16::1"}).size(), 1u);
    EXPECT_EQ(parse_event_specs({"A:16:0:0:1,A:16:0:1:0"}).size(), 2u);
}

TEST(EventSpecs, none_and_empty_ones_are_refused) {
    EXPECT_THROW(parse_event_specs({}), Error);
    EXPECT_THROW(parse_event_specs({""}), Error);
    EXPECT_THROW(parse_event_specs({"A:1,,B:1"}), Error);
}

TEST(EventSpecs, at_most_24_are_accepted) {
    std::vector<std::string> options;
    for (int i = 1; i <= 24; ++i)
        options.push_back("E:" + std::to_string(i));
    EXPECT_EQ(parse_event_specs(options).size(), 24u);
    options.push_back("E:25");
    EXPECT_THROW(parse_event_specs(options), Error);
}

TEST(DaemonEventSpecs, classic_form_names_code_and_counter) {
    const auto specs = parse_daemon_event_specs({"A:0x3c:1:5000:2:0:1,B:100", "B:100"});
    ASSERT_EQ(specs.size(), 3u);
    EXPECT_EQ(specs[0].spec, (EventSpec{"A", 5000, 2, "", false, true}));
    EXPECT_EQ(specs[0].code, 0x3cu);
    EXPECT_EQ(specs[0].counter, 1);
    EXPECT_FALSE(specs[1].counter);
    EXPECT_EQ(specs[2].spec.name, "B");
}

TEST(DaemonEventSpecs, malformed_and_too_large_numbers_are_refused) {
    for (const char* text :
         {"A:x:1:5000:2:0:1", "A:1:x:5000:2:0:1", "A:1:-1:5000:2:0:1", "A:1:1:0:2:0:1", "A:1:2000:5000:2:0:1",
          "A:0x100000000:1:5000:2:0:1", "A:1:1:5000:2:0:1:1", "A:1:1:5000:2:0"})
        EXPECT_THROW(parse_daemon_event_specs({text}), Error) << text;
}

}  // namespace op
