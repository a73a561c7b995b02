// SPDX-License-Identifier: GPL-2.0-or-later
#include "libpp/profile/profile_spec.h"

#include <gtest/gtest.h>

#include "libop/base/error.h"

namespace op::pp {

namespace {

using Words = std::vector<std::string>;

std::string error_of(const Words& words) {
    try {
        parse_profile_spec(words);
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::usage);
        return error.what();
    }
    return "no error";
}

}  // namespace

TEST(ProfileSpec, without_words_is_the_current_session) {
    ProfileSpec expected;
    expected.sessions = {"current"};
    EXPECT_EQ(parse_profile_spec({}), expected);
}

TEST(ProfileSpec, takes_every_tag) {
    const Words words{
        "archive:/a",  "session:one,two", "image:/bin/a,/bin/b", "image-exclude:*c*", "lib-image:/lib/d",
        "event:E1,E2", "count:1000,0x10", "unit-mask:15",        "tid:1,2",           "tgid:3",
        "cpu:0",       "/usr/bin/x"};
    const ProfileSpec spec = parse_profile_spec(words);
    EXPECT_EQ(spec.archive, "/a");
    EXPECT_EQ(spec.sessions, (Words{"one", "two"}));
    EXPECT_EQ(spec.images, (Words{"/bin/a", "/bin/b"}));
    EXPECT_EQ(spec.excluded_images, Words{"*c*"});
    EXPECT_EQ(spec.libraries, Words{"/lib/d"});
    EXPECT_EQ(spec.events, (Words{"E1", "E2"}));
    EXPECT_EQ(spec.counts, (std::vector<uint64_t>{1000, 16}));
    EXPECT_EQ(spec.unit_masks, std::vector<uint64_t>{15});
    EXPECT_EQ(spec.tids, (std::vector<uint64_t>{1, 2}));
    EXPECT_EQ(spec.tgids, std::vector<uint64_t>{3});
    EXPECT_EQ(spec.cpus, std::vector<uint64_t>{0});
    EXPECT_EQ(spec.words, Words{"/usr/bin/x"});
}

TEST(ProfileSpec, excluded_sessions_leave_the_list_in_either_order) {
    EXPECT_EQ(parse_profile_spec(Words{"session:a,b,c", "session-exclude:b"}).sessions, (Words{"a", "c"}));
    EXPECT_EQ(parse_profile_spec(Words{"session-exclude:b", "session:a,b,c"}).sessions, (Words{"a", "c"}));
    EXPECT_NE(error_of({"session-exclude:current"}).find("no session"), std::string::npos);
}

TEST(ProfileSpec, a_backslash_escapes_a_comma) {
    EXPECT_EQ(parse_profile_spec(Words{"image:/a\\,b,/c"}).images, (Words{"/a,b", "/c"}));
}

TEST(ProfileSpec, an_unknown_tag_is_an_image_name) {
    EXPECT_EQ(parse_profile_spec(Words{"bogus:tag", ":", "lib-image-only:x"}).words,
              (Words{"bogus:tag", ":", "lib-image-only:x"}));
}

TEST(ProfileSpec, all_lifts_the_restriction_of_thread_process_and_cpu) {
    const ProfileSpec spec = parse_profile_spec(Words{"tid:all", "tgid:4,all", "cpu:all"});
    EXPECT_TRUE(spec.tids.empty() && spec.tgids.empty() && spec.cpus.empty());
    EXPECT_NE(error_of({"count:all"}).find("not a number"), std::string::npos);
}

TEST(ProfileSpec, a_later_tag_replaces_an_earlier_one) {
    EXPECT_EQ(parse_profile_spec(Words{"image:a", "image:b"}).images, Words{"b"});
}

TEST(ProfileSpec, sessions_side_by_side_are_neither_added_up_nor_compared) {
    EXPECT_NE(error_of({"session:a", "image:x", "session:b"}).find("session:a and session:b"),
              std::string::npos);
}

TEST(ProfileWords, a_session_within_braces_is_meant_there) {
    EXPECT_THROW(split_differential(Words{"session:a", "session:b", "{", "session:c", "}", "{}"}), Error);
    const auto words = split_differential(Words{"session:a", "x", "{", "y", "}", "{", "session:b", "}"});
    EXPECT_EQ(words.first, (Words{"session:a", "x", "y"}));
    EXPECT_EQ(words.second, (Words{"x", "session:b"}));
}

TEST(ProfileSpec, the_same_tagged_word_twice_is_an_error) {
    EXPECT_NE(error_of({"image:a", "image:a"}).find("more than once: image:a"), std::string::npos);
}

TEST(ProfileSpec, knows_the_tags_of_older_manuals) {
    const auto spec =
        parse_profile_spec(Words{"lib-image-exclude:/lib/*", "binary:/bin/a,/bin/b", "sample-file:x"});
    EXPECT_EQ(spec.excluded_libraries, Words{"/lib/*"});
    EXPECT_EQ(spec.words, (Words{"/bin/a", "/bin/b"}));
    EXPECT_EQ(spec.sample_files, Words{"x"});
}

TEST(ProfileWords, without_braces_are_one_profile) {
    const auto words = split_differential(Words{"a", "b"});
    EXPECT_EQ(words.first, (Words{"a", "b"}));
    EXPECT_FALSE(words.second);
}

TEST(ProfileWords, outside_of_braces_count_for_both) {
    const auto words = split_differential(Words{"a", "{", "b", "}", "{", "c", "}", "d"});
    EXPECT_EQ(words.first, (Words{"a", "d", "b"}));
    EXPECT_EQ(words.second, (Words{"a", "d", "c"}));
    EXPECT_TRUE(split_differential(Words{"{}", "{}"}).second->empty());
    EXPECT_TRUE(split_differential(Words{"{", "b", "}", "{}"}).second->empty());
    EXPECT_TRUE(split_differential(Words{"{}{}"}).second->empty());
    EXPECT_EQ(split_differential(Words{"{", "b", "}{", "c", "}"}).second, Words{"c"});
}

TEST(ProfileWords, with_braces_that_make_no_sense_are_refused) {
    const std::vector<Words> wrong = {{"{"},
                                      {"}"},
                                      {"{}"},
                                      {"{", "{", "}", "}"},
                                      {"{}", "{", "b", "}"},
                                      {"{", "a", "}", "{", "b"},
                                      {"{}", "{}", "{}"},
                                      {"{}{}{}"},
                                      {"}{"}};
    for (const Words& words : wrong)
        EXPECT_THROW(split_differential(words), Error) << words.size() << words[0];
}

TEST(ProfileSpec, braces_around_a_word_are_reported) {
    for (const char* word : {"{", "{}", "{ }", "{session:a}", "{session:a", "session:a}"}) {
        try {
            parse_profile_spec(Words{word});
            ADD_FAILURE() << word;
        } catch (const Error& error) {
            EXPECT_NE(std::string(error.what()).find("'" + std::string(word) + "'"), std::string::npos)
                << error.what();
        }
    }
    EXPECT_EQ(parse_profile_spec(Words{"/opt/{1}"}).words, Words{"/opt/{1}"});
}

TEST(ProfileSpec, a_tag_needs_a_value_and_a_number_must_be_one) {
    EXPECT_NE(error_of({"event:"}).find("no value"), std::string::npos);
    EXPECT_NE(error_of({"image:,"}).find("no value"), std::string::npos);
    EXPECT_NE(error_of({"archive:"}).find("no value"), std::string::npos);
    EXPECT_NE(error_of({"cpu:-1"}).find("not a number: -1"), std::string::npos);
    EXPECT_NE(error_of({"count:99999999999999999999"}).find("not a number"), std::string::npos);
    EXPECT_NE(error_of({""}).find("empty word"), std::string::npos);
}

}  // namespace op::pp
