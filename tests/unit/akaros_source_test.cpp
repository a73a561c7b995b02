// SPDX-License-Identifier: GPL-2.0-or-later
// Traces of tests/fixtures/akaros, from file to sample files.
#include "daemon/import/akaros_source.h"

#include <gtest/gtest.h>

#include "libop/base/build_id.h"
#include "tests/unit/faults.h"
#include "tests/unit/fixtures.h"
#include "tests/unit/imported_session.h"

namespace op::collect {
namespace {

using test::contains;
using test::fault;
using test::ImportedSession;

std::string trace(const std::string& name) {
    return test::fixture("akaros/" + name + ".trace");
}

/// The samples in the order in which they come: time, process, address and callers.
std::vector<std::tuple<uint64_t, uint32_t, uint64_t, std::vector<uint64_t>>> samples_of(
    const std::string& name) {
    Diagnostics notes;
    AkarosSource source({MappedFile(trace(name)), name, 0}, "", notes);
    std::vector<std::tuple<uint64_t, uint32_t, uint64_t, std::vector<uint64_t>>> samples;
    drain_into(source, [&](std::span<const Record> records) {
        for (const Record& record : records)
            if (const auto* s = std::get_if<Sample>(&record))
                samples.emplace_back(s->time, s->mode == CpuMode::user ? s->tgid : 0, s->pc.value(),
                                     std::vector(s->chain.begin(), s->chain.end()));
    });
    return samples;
}

}  // namespace

TEST(AkarosSource, each_layout_gives_what_the_generator_expects) {
    for (const std::string name : {"words", "v1", "v2", "v3"}) {
        ImportedSession session(open_akaros, trace(name));
        EXPECT_EQ(session.lines(), read_file(test::fixture("akaros/" + name + ".expected"))) << name;
        EXPECT_EQ(session.info().ledger.sampled(), 120u) << name;
        EXPECT_EQ(session.info().ledger.stored(), 120u) << name;
        ASSERT_EQ(session.warnings().size(), 2u) << name;
        EXPECT_TRUE(contains(session.warnings()[0], "1 entry of another kind is left out")) << name;
        const char* const names = name == "words" ? "counted in [user]" : "no build-ids";
        EXPECT_TRUE(contains(session.warnings()[1], names)) << session.warnings()[1];
    }
}

TEST(AkarosSource, samples_come_by_time_with_their_callers) {
    const auto samples = samples_of("v3");
    EXPECT_EQ(samples.size(), 120u);
    EXPECT_TRUE(std::ranges::is_sorted(samples, {}, [](const auto& one) { return std::get<0>(one); }));
    EXPECT_EQ(samples_of("v1"), samples) << "the kernel's first address is there twice";
    EXPECT_EQ(samples_of("v2"), samples);
    EXPECT_EQ(samples_of("words").size(), samples.size());
}

TEST(AkarosSource, programs_are_the_applications_of_their_libraries) {
    ImportedSession session(open_akaros, trace("v3"));
    EXPECT_TRUE(session.info().images.contains("/usr/bin/demo"));
    EXPECT_TRUE(session.info().images.contains("/usr/lib/libcalls.so"));
    const RecordedNames::Commands& commands = session.info().names.commands();
    ASSERT_FALSE(commands.empty());
    for (const auto& [command, samples] : commands)
        EXPECT_EQ(command, RecordedNames::Command("/usr/bin/demo", "demo")) << samples;
}

TEST(AkarosSource, a_root_gives_the_build_ids_of_its_files) {
    const ImportedSession without(open_akaros, trace("v3"));
    EXPECT_EQ(without.info().images.at("/usr/lib/libcalls.so").build_id, "");
    const ImportedSession with(open_akaros, trace("v3"), {.root = test::fixture("root")});
    const std::string file = test::fixture("root/usr/lib/libcalls.so");
    EXPECT_EQ(with.info().images.at("/usr/lib/libcalls.so").build_id, build_id_of_file(file));
    const ImportedSession wrong(open_akaros, trace("v3"), {.root = "/nowhere"});
    EXPECT_EQ(wrong.info().images.at("/usr/lib/libcalls.so").build_id, "");
}

TEST(AkarosSource, damage_is_counted_and_the_rest_is_used) {
    const test::TempDir dir;
    std::string bytes = read_file(trace("v2"));
    bytes[110] = bytes[111] = bytes[112] = '\xff';  // the first trace, behind two mappings
    ImportedSession session(open_akaros, dir.write("trace", bytes.substr(0, bytes.size() - 5)));
    EXPECT_GE(session.info().ledger.stored(), 115u);
    EXPECT_EQ(session.info().ledger.lost(LossCause::damaged_stream), 2u);
    EXPECT_TRUE(session.info().ledger.balanced());
    EXPECT_TRUE(contains(session.warnings()[0], "trace: damaged or cut off at byte "))
        << session.warnings()[0];
    EXPECT_TRUE(contains(session.warnings()[0], " and at 1 further place; the rest is used"));
}

TEST(AkarosSource, what_has_no_entry_is_refused) {
    const test::TempDir dir;
    for (const std::string bytes : {"", "x", "no trace of anything, in words or in records"}) {
        const auto said =
            fault(ErrorKind::input, [&] { ImportedSession(open_akaros, dir.write("trace", bytes)); });
        EXPECT_TRUE(contains(said, "trace: no entry of an Akaros trace is in it")) << said;
    }
}

TEST(AkarosSource, paths_that_cannot_be_stored_lose_their_samples_by_cause) {
    const test::TempDir dir;
    const std::string whole = read_file(trace("v3"));
    for (const std::string path :
         {"/../../../evil", "/usr/../bin/x", "{root}/bin/xy", "/{root}/bin/x", "/a\nb/demo/xyz"}) {
        std::string bytes = whole;
        const std::string old = "/usr/bin/demo", fit = path.substr(0, old.size());
        for (size_t at = 0; (at = bytes.find(old, at)) != bytes.npos; at += old.size())
            bytes.replace(at, fit.size(), fit);
        ImportedSession session(open_akaros, dir.write("trace", bytes));
        EXPECT_TRUE(session.info().ledger.balanced()) << path;
        EXPECT_EQ(session.info().ledger.sampled(), 120u) << path;
        EXPECT_EQ(session.lines().find("evil"), std::string::npos);
    }
}

TEST(AkarosSource, many_processes_in_no_order_stay_within_bounds) {
    const test::TempDir dir;
    std::string bytes;
    const auto put = [&bytes](uint64_t value, int size) {
        for (int i = 0; i < size; ++i)
            bytes += static_cast<char>(value >> 8 * i);
    };
    constexpr uint64_t mappings = 140'000, remembered = 1 << 17;
    for (uint64_t i = 0; i < mappings; ++i) {
        bytes += "\x03\x2b";
        put(i % 2 ? i : UINT64_MAX - i, 8);
        put(i * 4096, 8);
        put(4096, 8);
        put(0, 8);
        put(i, 4);
        bytes.append("/bin/x", 7);
    }
    Diagnostics notes;
    AkarosSource source({MappedFile(dir.write("trace", bytes)), "trace", 0}, "", notes);
    uint64_t names = 0, last = 0, mapped = 0;
    drain_into(source, [&](std::span<const Record> records) {
        for (const Record& record : records) {
            names += std::holds_alternative<Name>(record);
            const auto* const mapping = std::get_if<Mapping>(&record);
            if (!mapping || mapping->length != 4096) continue;
            ++mapped;
            EXPECT_LE(last, mapping->time);
            last = mapping->time;
        }
    });
    EXPECT_EQ(mapped, mappings);
    EXPECT_EQ(names, remembered) << "later ones have no program";
}

}  // namespace op::collect
