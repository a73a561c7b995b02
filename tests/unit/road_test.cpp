// SPDX-License-Identifier: GPL-2.0-or-later
#include "fleet/road.h"

#include <gtest/gtest.h>

#include "fleet/otlp.h"
#include "fleet/split_profile.h"
#include "libop/base/error.h"
#include "tests/unit/fake_symbols.h"

namespace op::fleet {
namespace {

using namespace std::string_literals;
using Verdict = RoadOutcome::Verdict;

Road road(std::string_view text) {
    return parse_road(text, false).value();
}

TEST(Road, addresses_have_the_ports_of_their_protocols) {
    EXPECT_EQ(road("pyroscope+https://me@p.example").server.base(), "https://p.example:4040/");
    EXPECT_EQ(road("pyroscope+https://p.example:443").server.port, 443);
    EXPECT_EQ(road("otlp+https://[2001:db8::1]").server.port, 4318);
    EXPECT_EQ(road("otlp+http://127.0.0.1:99").server.base(), "http://127.0.0.1:99/");
    EXPECT_EQ(road("file:a b/c").directory, "a b/c");
    for (const char* other : {"https://clickhouse.example:8443/oprofile", "", "pyroscope", "/tmp"})
        EXPECT_FALSE(parse_road(other, false)) << other;
    for (const char* wrong :
         {"pyroscope+http://p.example", "otlp+ftp://x", "otlp+https://me:pass@x", "file:"})
        EXPECT_THROW(parse_road(wrong, false), Error) << wrong;
}

TEST(Road, names_of_strangers_lead_nowhere) {
    const RoadPart part{"/opt/a\n&name=x/../we ird\xff", "../../etc", 1795564800, 1795564800, 7};
    EXPECT_EQ(part_file("fleet-20261125T000000Z", part),
              "_.._.._etc/2026-11-25/fleet-20261125T000000Z.0007.we_ird_.pb.gz");
    EXPECT_EQ(request_target(road("pyroscope+https://x"), part),
              "ingest?name=we_ird_&from=1795564800&until=1795564801&format=pprof");
    EXPECT_EQ(part_file("s", {"", "", UINT64_MAX, 0, 12345}), "_/9999-12-31/s.12345._.pb.gz");
    EXPECT_EQ(part_file("s", {std::string(5000, 'a'), std::string(5000, 'b'), 0, 0, 0}).size(),
              80 + 80 + 25u);
}

TEST(Road, only_a_file_of_a_part_is_one) {
    EXPECT_TRUE(is_part_file(part_file("s", {"/bin/a b", "..", 0, 0, 1})));
    for (const char* path : {"", "/etc/cron.d/x.pb.gz", "../a/b.pb.gz", "a/../b.pb.gz", "a/b/..pb.gz",
                             "a//b.pb.gz", "a/b.pb.gz", "a/b/c/d.pb.gz", "a/b/c", "a/b/c d.pb.gz"})
        EXPECT_FALSE(is_part_file(path)) << path;
    EXPECT_FALSE(is_part_file(std::string_view("a/b/c\0.pb.gz", 12)));
}

TEST(Road, passwords_go_as_base64) {
    EXPECT_EQ(basic_authorization("Aladdin", "open sesame"),
              "Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
    EXPECT_EQ(basic_authorization("a", "b"), "Authorization: Basic YTpi");
    EXPECT_EQ(basic_authorization("", "\xff"), "Authorization: Basic Ov8=");
}

TEST(Road, only_what_may_be_tried_again_is) {
    const auto verdict = [](int status, std::string body = "", bool is_final = false) {
        HttpAnswer answer;
        answer.status = status;
        answer.body = std::move(body);
        answer.is_final = is_final;
        return judge_road_answer(road("otlp+https://x"), answer);
    };
    for (const int status : {0, 429, 502, 503, 504})
        EXPECT_EQ(verdict(status).verdict, Verdict::again) << status;
    for (const int status : {301, 400, 401, 403, 404, 422, 500, 501})
        EXPECT_EQ(verdict(status).verdict, Verdict::refused) << status;
    EXPECT_EQ(verdict(0, "", true).verdict, Verdict::refused) << "a wrong certificate stays wrong";
    EXPECT_EQ(verdict(200).verdict, Verdict::accepted);
    EXPECT_EQ(verdict(200, "{}").verdict, Verdict::accepted);
    const auto partial = verdict(200, "\x0a\x09\x08\x02\x12\x05\x66\x75ll\x1b");
    EXPECT_EQ(partial.verdict, Verdict::refused);
    EXPECT_EQ(partial.message.find("the server rejected 2 profiles: full"), 0u) << partial.message;
    EXPECT_EQ(verdict(400, "bad\x1b[0m\nrest").message, "status 400: bad?[0m");
}

TEST(OtlpRejection, any_bytes_are_no_rejection_or_one) {
    EXPECT_EQ(otlp_rejection(""), "");
    EXPECT_EQ(otlp_rejection("\x0a\x00"s), "");
    EXPECT_EQ(otlp_rejection("\x0a\xff\xff\xff\xff\xff"), "");
    EXPECT_EQ(otlp_rejection("\x0a\x02\x08\x00"s), "") << "nothing was rejected, whatever it warns of";
}

/// Two programs with two functions each; samples of each byte.
struct Sampled {
    Sampled() {
        profile.columns.resize(1);
        profile.columns[0].event = "TIMER";
        profile.columns[0].count = 1000000;
        for (const char* name : {"/bin/a", "/bin/b"}) {
            ImageName image;
            image.name = name;
            profile.images.push_back({image, &symbols});
        }
        for (uint32_t app = 0; app < 2; ++app)
            for (uint32_t i = 0; i < 50; ++i) {
                profile.locations.push_back({app, pp::Location::no_symbol, ImageOffset{i}});
                profile.frames.push_back(static_cast<uint32_t>(profile.frames.size()));
                profile.samples.push_back({app, static_cast<uint32_t>(profile.frames.size() - 1), 1});
                profile.counts.push_back(i + 1);
            }
    }
    test::FakeSymbols symbols{{"first", 0, 25}, {"second", 25, 25}};
    pp::Profile profile;
};

uint64_t sum(const pp::Profile& part) {
    uint64_t sum = 0;
    for (size_t i = 0; i < part.samples.size(); ++i)
        sum += part.count(i, 0);
    return sum;
}

TEST(SplitProfile, parts_are_of_one_application_below_the_limit_and_have_every_sample_once) {
    const Sampled sampled;
    std::map<uint32_t, uint64_t> sums;
    size_t parts = 0;
    for_each_part(sampled.profile, 16, [&](uint32_t app, const pp::Profile& part) {
        EXPECT_LE(part.samples.size(), 16u);
        for (const auto& samples : part.samples)
            EXPECT_EQ(samples.app, app);
        part.check();
        sums[app] += sum(part);
        ++parts;
        return true;
    });
    EXPECT_EQ(sums, (std::map<uint32_t, uint64_t>{{0, 1275}, {1, 1275}}));
    EXPECT_EQ(parts, 8u);
}

TEST(SplitProfile, a_part_that_is_too_large_is_halved_until_it_is_not) {
    const Sampled sampled;
    uint64_t total = 0;
    for_each_part(sampled.profile, SIZE_MAX, [&](uint32_t, const pp::Profile& part) {
        if (part.samples.size() > 3) return false;
        total += sum(part);
        return true;
    });
    EXPECT_EQ(total, 2550u);
    EXPECT_THROW(for_each_part(sampled.profile, SIZE_MAX, [](uint32_t, const pp::Profile&) { return false; }),
                 Error);
}

TEST(SplitProfile, stacks_go_with_their_application) {
    Sampled sampled;
    pp::StackTree& tree = sampled.profile.stacks;
    tree.add({0, 0, pp::StackNodeKind::root});
    for (uint32_t app = 0; app < 2; ++app) {
        const uint32_t top = tree.add({0, app, pp::StackNodeKind::application});
        for (uint32_t i = 0; i < 5; ++i)
            tree.counts.push_back({tree.add({top, app * 50 + i, pp::StackNodeKind::code}), 0, 10});
    }
    std::map<uint32_t, uint64_t> sums;
    for_each_part(sampled.profile, 2, [&](uint32_t app, const pp::Profile& part) {
        EXPECT_LE(part.stacks.counts.size(), 2u);
        EXPECT_EQ(sum(part), 1275u) << "the flat samples are those of the application";
        for (const auto& entry : part.stacks.counts)
            sums[app] += entry.count;
        return true;
    });
    EXPECT_EQ(sums, (std::map<uint32_t, uint64_t>{{0, 50}, {1, 50}}));
}

TEST(Otlp, the_same_part_has_the_same_bytes_and_another_one_another_id) {
    const Sampled sampled;
    SessionInfo info;
    info.start_time = 1795564800;
    OtlpContext context{&info, "/bin/a", "host", "one"};
    const std::string first = encode_otlp(sampled.profile, context);
    EXPECT_EQ(encode_otlp(sampled.profile, context), first);
    context.identity = "two";
    EXPECT_NE(encode_otlp(sampled.profile, context), first);
    // The dictionary begins with an empty mapping, location, function, link, attribute and stack.
    EXPECT_NE(first.find("\x0a\x00\x12\x00\x1a\x00\x22\x00\x32\x00\x3a\x00"s), std::string::npos);
}

}  // namespace
}  // namespace op::fleet
