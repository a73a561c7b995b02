// SPDX-License-Identifier: GPL-2.0-or-later
#include "libpp/profile/build_stacks.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>

#include "libop/stacks/stack_set.h"
#include "libpp/export/exporter.h"
#include "libpp/report/report.h"
#include "libpp/report/writer.h"
#include "tests/unit/fake_symbols.h"
#include "tests/unit/temp_dir.h"

namespace op::pp {

namespace {

/// Sessions with stacks of /bin/app (main at 0x100, f at 0x200) and /lib/libc.so (malloc at 0x100). A flat
/// sample file for each application, image and event; flat samples as they are given.
class Sessions {
public:
    Sessions() {
        profile.images = {{file("/bin/app"), &app_}, {file("/lib/libc.so"), &libc_}};
        classes.images = {{file("/bin/app"), {}}, {file("/lib/libc.so"), {}}};
    }

    static ImageName file(std::string path) { return {ImageName::Kind::file, std::move(path)}; }
    static SampleClass of(std::string event) { return {std::move(event), 1000, 0, {}, {}, {}}; }

    /// A column, and the flat files of an application in it.
    void select(size_t session, const std::string& event, const std::string& app = "/bin/app",
                std::initializer_list<size_t> images = {0, 1}) {
        const ProfileClass column{event, 1000, 0, {}, {}, {}};
        auto at = std::ranges::find(classes.classes, column);
        if (at == classes.classes.end()) at = classes.classes.insert(at, column);
        for (const size_t image : images) {
            const SampleName name{file(app), profile.images[image].name, {}, event, 1000, 0, {}, {}, {}};
            files_.push_back({session, mangle(name), name});
            const auto number = static_cast<uint32_t>(at - classes.classes.begin());
            classes.images[image].parts.push_back({file(app), {{files_.size() - 1, number}}});
        }
        profile.columns = classes.classes;
    }

    /// A frame: image 0 or 1 and offset.
    using Frame = std::pair<size_t, uint64_t>;

    /// The stacks of a session, for storing.
    StackSet set_of(size_t session) {
        while (dirs_.size() <= session)
            dirs_.push_back(std::make_unique<test::TempDir>());
        return {open(session), "S", notes};
    }

    /// Stores samples, outermost frame first.
    void store(StackSet& set, const std::string& event, const std::vector<Frame>& frames, uint32_t count,
               StackEnd end = StackEnd::root, const std::string& app = "/bin/app") {
        std::vector<StackFrame> innermost_first;
        for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame)
            innermost_first.push_back(
                {set.image(profile.images[frame->first].name), frame->second, frame == frames.rbegin()});
        set.add(of(event), set.image(file(app)), innermost_first, end, count);
    }
    void store(size_t session, const std::string& event, const std::vector<Frame>& frames, uint32_t count,
               StackEnd end = StackEnd::root, const std::string& app = "/bin/app") {
        StackSet set = set_of(session);
        store(set, event, frames, count, end, app);
    }

    void flat(size_t image, uint64_t offset, std::vector<uint64_t> counts) {
        const uint32_t symbol = Location::no_symbol;
        profile.samples.push_back({0, static_cast<uint32_t>(profile.frames.size()), 1});
        profile.frames.push_back(static_cast<uint32_t>(profile.locations.size()));
        profile.locations.push_back({static_cast<uint32_t>(image), symbol, ImageOffset{offset}});
        profile.counts.insert(profile.counts.end(), counts.begin(), counts.end());
    }

    /// The stacks of a column by name.
    std::string build(const char* column = nullptr) {
        std::vector<std::optional<StackSetReader>> sets;
        std::vector<Fd> dirs;
        dirs.reserve(dirs_.size());
        for (size_t i = 0; i < dirs_.size(); ++i) {
            dirs.push_back(open(i));
            sets.push_back(StackSetReader::open(dirs.back(), "S", notes));
        }
        SampleSet samples({}, files_, {}, std::nullopt, notes);
        const ImageFinder finder(ImageSearch{});
        Symbolizer symbolizer(finder, nullptr, "", {}, notes);
        add_stacks(profile, classes, samples, symbolizer, sets);
        if (profile.stacks.is_empty()) return "";
        if (!column) return find_exporter("folded")->write(profile, {});
        Profile one = profile;
        one.columns.resize(1);
        std::erase_if(one.stacks.counts,
                      [&](const StackCount& count) { return profile.columns[count.column].event != column; });
        for (StackCount& count : one.stacks.counts)
            count.column = 0;
        return find_exporter("folded")->write(one, {});
    }

    Profile profile;
    ProfileClasses classes;
    Diagnostics notes;

private:
    Fd open(size_t session) const { return open_file(dirs_[session]->path(), O_RDONLY | O_DIRECTORY); }

    test::FakeSymbols app_{{"main", 0x100, 0x100}, {"f", 0x200, 0x100}};
    test::FakeSymbols libc_{{"malloc", 0x100, 0x100}};
    std::vector<std::unique_ptr<test::TempDir>> dirs_;
    std::vector<SelectedFile> files_;
};

/// A stack and its samples.
struct Taken {
    std::string app, event;
    std::vector<Sessions::Frame> outermost_first;
    StackEnd end;
    uint32_t count;
};

/// What a run takes: with stacks that runs of other seeds have, too, and such as only it has.
std::vector<Taken> run_of(uint32_t seed) {
    std::mt19937 random(seed);  // the same numbers everywhere, unlike distributions
    const auto below = [&](uint32_t limit) { return static_cast<uint32_t>(random() % limit); };
    std::vector<Taken> run;
    for (uint32_t i = 0; i < 200; ++i) {
        Taken taken{
            below(4) ? "/bin/app" : "/bin/other", below(3) ? "A" : "B", {}, StackEnd::root, 1 + below(9)};
        for (uint32_t depth = 1 + below(6); depth > 0; --depth)
            taken.outermost_first.emplace_back(below(2), 0x100 + below(0x20) * (below(2) ? 8 : seed));
        if (below(5) == 0) taken.end = below(2) ? StackEnd::dump_short : StackEnd::no_mapping;
        run.push_back(std::move(taken));
    }
    return run;
}

/// Everything that reports show of sessions, each of several runs, and what they add up to.
std::vector<std::string> shown(const std::vector<std::vector<uint32_t>>& seeds_of_sessions) {
    Sessions sessions;
    for (size_t session = 0; session < seeds_of_sessions.size(); ++session) {
        for (const char* event : {"A", "B"})
            for (const char* app : {"/bin/app", "/bin/other"})
                sessions.select(session, event, app);
        for (const uint32_t seed : seeds_of_sessions[session])
            for (const Taken& taken : run_of(seed))
                sessions.store(session, taken.event, taken.outermost_first, taken.count, taken.end,
                               taken.app);
    }
    std::vector<std::string> texts{sessions.build("A")};
    const Profile& profile = sessions.profile;
    ReportHead head;
    head.is_shown = false;
    head.columns = profile.columns;
    for (const bool is_by_callee : {false, true})
        texts.push_back(find_writer("text")->write(report_call_tree(profile, head, {}, is_by_callee), {}));
    uint64_t sum = 0;
    for (const StackCount& count : profile.stacks.counts)
        sum += count.count;
    texts.push_back(std::to_string(sum) + " in " + std::to_string(profile.stacks.nodes.size()) + " nodes");
    return texts;
}

}  // namespace

TEST(BuildStacks, runs_give_one_report_in_any_order_and_division_into_sessions) {
    for (const uint32_t seed : {1, 2}) {
        const uint32_t a = seed, b = 100 + seed;
        const auto expected = shown({{a, b}});
        uint64_t taken = 0;
        for (const uint32_t run : {a, b})
            for (const Taken& each : run_of(run))
                taken += each.count;
        EXPECT_EQ(expected.back().substr(0, expected.back().find(' ')), std::to_string(taken)) << seed;
        EXPECT_EQ(shown({{b, a}}), expected) << "appended the other way, seed " << seed;
        EXPECT_EQ(shown({{a}, {b}}), expected) << "of two sessions, seed " << seed;
        EXPECT_EQ(shown({{b}, {a}}), expected) << "of two sessions the other way, seed " << seed;
    }
}

TEST(BuildStacks, takes_the_byte_before_a_return_address) {
    Sessions sessions;
    sessions.select(0, "E");
    sessions.store(0, "E", {{0, 0x200}, {0, 0x200}}, 3);  // main called f last; sampled at f's first byte
    EXPECT_EQ(sessions.build(), "app;main;f 3\n");
}

TEST(BuildStacks, keeps_where_stacks_were_cut) {
    Sessions sessions;
    sessions.select(0, "E");
    sessions.store(0, "E", {{0, 0x210}, {1, 0x104}}, 3, StackEnd::dump_short);
    EXPECT_EQ(sessions.build(), "app;[truncated: dump_short];f;malloc 3\n");
}

TEST(BuildStacks, sums_events_and_sessions_that_share_a_column) {
    Sessions sessions;
    sessions.select(0, "A");
    sessions.select(0, "B");
    sessions.select(1, "A");
    sessions.store(0, "A", {{0, 0x110}, {0, 0x204}}, 1);
    sessions.store(0, "B", {{0, 0x110}, {0, 0x204}}, 2);
    sessions.store(1, "A", {{1, 0x104}}, 8);
    sessions.store(1, "A", {{0, 0x110}, {0, 0x204}}, 4);
    EXPECT_EQ(sessions.build("A"), "app;main;f 5\napp;malloc 8\n");
    EXPECT_EQ(sessions.profile.stacks.nodes.size(), 5U);
    EXPECT_EQ(sessions.profile.stacks.counts.size(), 3U);
}

TEST(BuildStacks, selects_a_stack_as_its_innermost_frame_is) {
    Sessions sessions;
    sessions.select(0, "E", "/bin/app", {1});
    sessions.store(0, "E", {{0, 0x110}, {0, 0x204}}, 1);
    sessions.store(0, "E", {{0, 0x110}, {1, 0x104}}, 2);
    sessions.store(0, "E", {{0, 0x110}, {1, 0x104}}, 4, StackEnd::root, "/bin/other");
    sessions.store(0, "F", {{0, 0x110}, {1, 0x104}}, 8);
    EXPECT_EQ(sessions.build(), "app;main;malloc 2\n");
    EXPECT_EQ(sessions.profile.stacks.nodes.size(), 4U);
}

TEST(BuildStacks, flat_samples_without_a_stack_get_one_so_that_totals_agree) {
    Sessions sessions;
    sessions.select(0, "E");
    sessions.store(0, "E", {{0, 0x110}, {0, 0x204}}, 2);
    sessions.flat(0, 0x204, {5});
    sessions.flat(1, 0x104, {7});
    EXPECT_EQ(sessions.build(),
              "app;[truncated: no_stack];[app] 3\napp;[truncated: no_stack];[libc.so] 7\n"
              "app;main;[app] 2\n");
}

TEST(BuildStacks, samples_whose_inner_frames_found_no_room_count_once) {
    Sessions sessions;
    sessions.select(0, "E");
    sessions.store(0, "E", {{0, 0x204}}, 2);  // of malloc, called from there
    sessions.flat(1, 0x104, {2});
    EXPECT_EQ(sessions.build(), "app;f 2\n");
}

TEST(BuildStacks, without_applications_begin_with_the_outermost_function) {
    Sessions sessions;
    sessions.classes.is_library_merged = true;
    sessions.select(0, "E");
    sessions.select(0, "E", "/bin/other");
    sessions.store(0, "E", {{0, 0x110}, {1, 0x104}}, 2);
    sessions.store(0, "E", {{0, 0x110}, {1, 0x104}}, 4, StackEnd::root, "/bin/other");
    EXPECT_EQ(sessions.build(), "main;malloc 6\n");
}

TEST(BuildStacks, of_sessions_without_any_are_none) {
    Sessions sessions;
    sessions.select(0, "E");
    sessions.flat(0, 0x204, {5});
    EXPECT_EQ(sessions.build(), "");
}

}  // namespace op::pp
