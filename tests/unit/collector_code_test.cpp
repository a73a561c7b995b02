// SPDX-License-Identifier: GPL-2.0-or-later
// Samples in code made at run time, whose jitdump a reader has. The process is the test itself.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>

#include "daemon/jit/jit_capture.h"
#include "libop/base/deadline.h"
#include "libop/jit/ordered_bytes.h"
#include "tests/unit/collecting.h"
#include "tests/unit/stored_stacks.h"

namespace op::collect {
namespace {

constexpr std::chrono::milliseconds long_enough{20000};
constexpr uint64_t heap = 0x900000, ms = 1'000'000;

class CollectingCode : public Collecting {
protected:
    void begin(const CollectorOptions& options = {}) {
        begin_without_dump(options);
        feed({Mapping{0, self_, {0x700000}, 0x1000, 0, false, path_, {}}});
    }
    void begin_without_dump(const CollectorOptions& options = {}) {
        collector(options).watch_code(capture_);
        feed({Name{0, self_, self_, true, "app"},
              Mapping{0, self_, {0x400000}, 0x10000, 0, false, "/bin/app", {}},
              Mapping{0, self_, {heap}, 0x1000, 0, false, "//anon", {}}});
    }
    /// A jitdump: f at the start of the heap from 10 ms on, g from 20 ms.
    void write_dump() {
        OrderedWriter out({});
        for (const uint32_t word : {0x4A695444u, 1u, 40u, 62u, 0u, self_})
            out.put(word);
        out.put(uint64_t{0});
        out.put(uint64_t{0});
        for (const auto& [name, time] : {std::pair{"f", uint64_t{10}}, {"g", 20}}) {
            for (const uint32_t word : {0u, 56u + 2 + 16})
                out.put(word);
            for (const uint64_t field : {time * ms, uint64_t{0}, heap, heap, uint64_t{16}, uint64_t{0}})
                out.put(field);
            out.put_text(name);
            out.put_bytes(std::string(16, 'c'));
        }
        files_.write("jit-" + number_ + ".dump", out.bytes());
    }
    Sample at(uint64_t time, uint64_t offset = 4) const {
        Sample sample = user(heap + offset, self_);
        sample.time = time * ms;
        return sample;
    }
    std::string file(const char* start, const char* end) const {
        return "{root}/bin/app/{dep}/{anon:anon}/" + number_ + ".0x" + start + ".0x" + end + "/" + tail;
    }

    test::StackTexts stacks() {
        account_ = collector_->flush_and_account();
        return test::stacks_in(session_.directory(), {"TIMER", 1000000, 0, {}, {}, {}}, notes_);
    }
    std::string region(unsigned generation) const {
        const uint64_t start = tagged_address(heap, generation);
        return ImageName{ImageName::Kind::anon, "anon", self_, start, start + 0xfff}.display();
    }

    std::optional<JoFile> kept() const {
        const ImageName app{ImageName::Kind::file, "/bin/app", 0, 0, 0};
        return read_jo(session_.directory(), "session", jo_path(app, self_));
    }
    /// The names that the session has then, in the order of their addresses.
    std::string names() {
        capture_.write(long_enough, true);
        std::string text;
        if (const auto jo = kept())
            for (const CodeSymbol& symbol : jo->code.symbols)
                text += symbol.name;
        return text;
    }

    static pid_t child_of(uint32_t pid) {
        const std::string number = std::to_string(pid);
        return std::atoi(read_file("/proc/" + number + "/task/" + number + "/children").c_str());
    }
    long noted(std::string_view part) const {
        return std::ranges::count_if(
            notes_.warnings(), [&](const std::string& note) { return note.find(part) != std::string::npos; });
    }

    const uint32_t self_ = static_cast<uint32_t>(::getpid());
    const std::string number_ = std::to_string(self_);
    test::TempDir files_;
    const std::string path_ = files_ / ("jit-" + number_ + ".dump");
    ReaderSpawner spawner_;
    JitCapture capture_{session_, spawner_, notes_};
};

/// The same of samples that the driver placed. Their process is looked for in /proc: here, in `maps_`.
class CollectingPlacedCode : public CollectingCode {
protected:
    static constexpr uint32_t app = 1, region_cookie = 2, other_region = 3;

    void begin_placed(const CollectorOptions& options = {}) {
        const auto fill = [this](const Sample& sample, Gap gap) -> std::optional<std::span<const Record>> {
            ++looks_;
            EXPECT_EQ(sample.tgid, self_);
            EXPECT_EQ(gap, Gap::mapping);
            if (is_too_soon_) return std::nullopt;
            return maps_;
        };
        collector(options, fill).watch_code(capture_);
        feed({ImageCookie{app, false, 0, {0}, 0, 0, 0, "/bin/app"},
              ImageCookie{region_cookie, true, self_, {heap}, 0x1000, 0, 0, "anon"},
              ImageCookie{other_region, true, self_, {heap + 0x2000}, 0x1000, 0, 0, "anon"}});
    }
    PlacedSample placed_at(uint64_t time, uint64_t offset = 4, uint32_t cookie = region_cookie) const {
        PlacedSample sample{self_, self_, 0, app, 0, CpuMode::user, 0, {offset, cookie}, {}};
        sample.time = time * ms;
        return sample;
    }
    uint64_t named_app() const {
        uint64_t samples = 0;
        for (const auto& [command, count] : account_.names.commands())
            if (command.second == "thread") samples += count;
        return samples;
    }

    const std::vector<Record> with_dump_{Mapping{0, self_, {0x700000}, 0x1000, 0, false, path_, {}}};
    std::span<const Record> maps_ = with_dump_;
    bool is_too_soon_ = false;
    int looks_ = 0;
};

}  // namespace

TEST_F(CollectingCode, a_sample_is_of_the_code_of_its_time) {
    write_dump();
    begin();
    feed({at(5), at(15), at(25), at(26), at(2000), at(25, 20)});
    EXPECT_TRUE(files().empty());
    EXPECT_EQ(account_.ledger.sampled(), 0u) << "they wait";
    collector_->place_code(long_enough, true);
    EXPECT_EQ(files(), (std::vector{file("100000000900000", "100000000900fff") + " 4=3",
                                    file("900000", "900fff") + " 4=2 14=1"}));
    EXPECT_EQ(account_.ledger.sampled(), 6u);
    EXPECT_TRUE(account_.ledger.balanced());
    capture_.write(long_enough, true);
    const auto jo = kept();
    ASSERT_TRUE(jo);
    ASSERT_EQ(jo->code.symbols.size(), 2u);
    EXPECT_EQ(jo->code.symbols[0].name, "f");
    EXPECT_EQ(jo->code.symbols[0].address, heap);
    EXPECT_EQ(jo->code.symbols[1].name, "g");
    EXPECT_EQ(jo->code.symbols[1].address, tagged_address(heap, 1));
}

TEST_F(CollectingCode, without_its_jitdump_a_sample_comes_back_as_it_was) {
    begin();
    feed({at(15), at(25)});
    collector_->place_code(long_enough, true);
    EXPECT_EQ(files(), std::vector{file("900000", "900fff") + " 4=2"});
    EXPECT_TRUE(account_.ledger.balanced());
}

TEST_F(CollectingCode, frames_are_of_the_code_of_their_time) {
    write_dump();
    begin({.arcs = false});
    const uint64_t callers[] = {heap + 16, 0x400100};
    for (const uint64_t time : {15, 25, 26}) {
        Sample sample = at(time);
        sample.chain = callers;
        sample.stack_end = StackEnd::root;
        sample.pc = RuntimeAddress{0x400200};
        feed({sample});
    }
    EXPECT_EQ(collector_->flush_and_account().stacks.stored(), 0u) << "they wait";
    collector_->place_code(long_enough, true);
    const std::string end = "+10;/bin/app+200!", begin = "/bin/app;/bin/app+100;";
    EXPECT_EQ(stacks(), (test::StackTexts{{begin + region(0) + end, 1}, {begin + region(1) + end, 2}}));
    EXPECT_EQ(account_.stacks.stored(), account_.ledger.stored());
    EXPECT_EQ(account_.stacks.complete, 3u);
}

TEST_F(CollectingCode, arcs_do_not_wait_and_leave_no_name_to_what_is_ambiguous) {
    write_dump();
    begin({.arcs = true});
    const uint64_t callers[] = {heap + 16, 0x400100};
    Sample sample = at(15);
    sample.chain = callers;
    feed({sample});
    collector_->place_code(long_enough, true);
    files();
    EXPECT_EQ(account_.arcs_stored, 2u);
    capture_.write(long_enough, true);
    EXPECT_FALSE(kept());
}

TEST_F(CollectingCode, what_was_stored_before_the_jitdump_was_seen_leaves_no_name_to_what_is_ambiguous) {
    write_dump();
    begin_without_dump();
    feed({at(25), Mapping{0, self_, {0x700000}, 0x1000, 0, false, path_, {}}, at(15)});
    collector_->place_code(long_enough, true);
    files();
    EXPECT_EQ(names(), "");
}

TEST_F(CollectingCode, what_an_earlier_run_stored_leaves_no_name_to_what_is_ambiguous) {
    write_dump();
    begin_without_dump();
    feed({at(25)});
    files();
    capture_.know_earlier(processes_with_code(session_, notes_));
    begin();
    feed({at(15), at(25)});
    collector_->place_code(long_enough, true);
    files();
    EXPECT_EQ(names(), "g");
}

TEST_F(CollectingCode, very_many_are_placed_before_the_next_dump) {
    write_dump();
    begin();
    feed({at(15)});
    collector_->place_much_code();
    EXPECT_EQ(collector_->flush_and_account().ledger.sampled(), 0u);
    for (uint64_t time = 100; time < 100 + JitCapture::most_held / 4; ++time)
        feed({at(time)});
    const Deadline deadline(long_enough);
    while (collector_->flush_and_account().ledger.sampled() == 0 && deadline.left().count() > 0)
        collector_->place_much_code();
    EXPECT_EQ(files(), (std::vector{file("100000000900000", "100000000900fff") + " 4=262144",
                                    file("900000", "900fff") + " 4=1"}));
}

TEST_F(CollectingCode, deep_stacks_are_placed_before_the_next_dump) {
    write_dump();
    begin();
    std::vector<uint64_t> callers(255, heap + 8);
    for (uint64_t stack = 0; stack <= HeldStacks::most_frames / 4 / 256; ++stack) {
        Sample sample = at(15 + stack % 2 * 10, 1);
        callers[stack % 255] += 1;
        sample.chain = callers;
        sample.stack_end = StackEnd::root;
        feed({sample});
    }
    const Deadline deadline(long_enough);
    while (collector_->flush_and_account().stacks.stored() == 0 && deadline.left().count() > 0)
        collector_->place_much_code();
    EXPECT_EQ(collector_->flush_and_account().stacks.stored(), HeldStacks::most_frames / 4 / 256 + 1);
    EXPECT_TRUE(capture_.is_holding_none());
}

TEST_F(CollectingCode, no_sample_waits_for_a_reader_that_hangs) {
    write_dump();
    JitCapture capture(session_, spawner_, notes_, std::chrono::seconds(0));
    ::kill(child_of(self_), SIGSTOP);
    begin_without_dump();
    collector_->watch_code(capture);
    feed({Mapping{0, self_, {0x700000}, 0x1000, 0, false, path_, {}}, at(15)});
    EXPECT_TRUE(files().empty());
    collector_->place_code(std::chrono::milliseconds(0), false);
    EXPECT_EQ(files(), std::vector{file("900000", "900fff") + " 4=1"});
    feed({at(25)});
    EXPECT_EQ(files(), std::vector{file("900000", "900fff") + " 4=2"});
    collector_->place_code(std::chrono::milliseconds(0), false);
    EXPECT_EQ(noted("could not be read in time"), 1);
    ::kill(child_of(self_), SIGCONT);
    collector_.reset();
}

TEST_F(CollectingCode, a_jitdump_that_is_mapped_again_after_its_removal_has_its_names) {
    write_dump();
    begin();
    feed({at(15)});
    collector_->place_code(long_enough, true);
    files();
    EXPECT_EQ(names(), "f");
    std::filesystem::remove(path_);
    feed({Mapping{0, self_, {0x700000}, 0x1000, 0, false, path_, {}}, at(25)});
    collector_->place_code(long_enough, true);
    files();
    EXPECT_EQ(names(), "fg");
}

TEST_F(CollectingCode, readers_of_processes_that_have_ended_have_a_limit) {
    JitCapture capture(session_, spawner_, notes_, std::chrono::seconds(10), 2);
    for (const uint32_t tgid : {1u, 2u, 3u, 4u}) {
        capture.note_mapping(tgid, path_, {}, "/bin/app");
        EXPECT_EQ(capture.is_to_hold(tgid), tgid <= 2);
        capture.end(tgid);
    }
    EXPECT_EQ(noted("more than 2 processes"), 1);
    capture.write(long_enough, false);
    capture.note_mapping(5, path_, {}, "/bin/app");
    EXPECT_TRUE(capture.is_to_hold(5)) << "those that were asked are gone";
}

TEST_F(CollectingCode, names_are_asked_for_after_a_late_answer) {
    write_dump();
    ::kill(child_of(self_), SIGSTOP);
    begin();
    feed({at(15)});
    collector_->place_code(std::chrono::milliseconds(0), true);
    files();
    ::kill(child_of(self_), SIGCONT);
    EXPECT_EQ(names(), "");
    EXPECT_EQ(noted("has different functions at 1 address, which has no name"), 1);
}

TEST_F(CollectingCode, samples_that_stop_waiting_are_noted) {
    write_dump();
    ::kill(child_of(self_), SIGSTOP);
    begin();
    feed({at(15)});
    collector_->place_code(std::chrono::milliseconds(0), true);
    collector_->place_code(std::chrono::milliseconds(0), true);
    EXPECT_EQ(files(), std::vector{file("900000", "900fff") + " 4=1"});
    EXPECT_EQ(noted("could not be read in time"), 1);
    ::kill(child_of(self_), SIGCONT);
}

TEST_F(CollectingCode, a_late_answer_is_not_of_the_next_run) {
    write_dump();
    ::kill(child_of(self_), SIGSTOP);
    begin_without_dump();
    feed({at(25), Mapping{0, self_, {0x700000}, 0x1000, 0, false, path_, {}}});
    files();
    capture_.write(std::chrono::milliseconds(0), false);
    session_.begin(false);
    collector_->begin_run(1);
    capture_.begin_run();
    ::kill(child_of(self_), SIGCONT);
    capture_.write(long_enough, true);
    EXPECT_FALSE(kept());
    EXPECT_TRUE(notes_.warnings().empty());
}

TEST_F(CollectingCode, that_a_reader_is_gone_is_noted_once) {
    write_dump();
    begin();
    feed({at(15)});
    collector_->place_code(long_enough, true);
    files();
    ::kill(child_of(static_cast<uint32_t>(child_of(self_))), SIGKILL);
    EXPECT_EQ(names() + names(), "");
    EXPECT_EQ(noted("has ended early"), 1);
}

TEST_F(CollectingCode, what_waits_is_not_of_the_next_run) {
    write_dump();
    begin();
    feed({at(15)});
    collector_->begin_run(1);
    collector_->place_code(long_enough, true);
    EXPECT_TRUE(files().empty());
    EXPECT_EQ(account_.ledger.sampled(), 0u);
}

TEST_F(CollectingCode, a_process_that_is_gone_is_no_longer_watched) {
    const pid_t child = ::fork();
    if (child == 0) {
        ::pause();
        ::_exit(0);
    }
    const auto number = static_cast<uint32_t>(child);
    begin_without_dump();
    const std::string path = files_ / ("jit-" + std::to_string(child) + ".dump");
    feed({Mapping{0, number, {0x700000}, 0x1000, 0, false, path, {}}});
    capture_.write(long_enough, false);
    capture_.write(long_enough, false);
    EXPECT_TRUE(capture_.is_to_hold(number));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    capture_.write(long_enough, false);
    EXPECT_TRUE(capture_.is_to_hold(number)) << "samples of it may still come";
    capture_.write(long_enough, false);
    EXPECT_FALSE(capture_.is_to_hold(number));
}

TEST_F(CollectingPlacedCode, a_sample_is_of_the_code_of_its_time) {
    write_dump();
    begin_placed();
    feed({PlacedName{self_, self_, app, "thread"}, placed_at(25), placed_at(5), placed_at(15), placed_at(26),
          placed_at(2000), placed_at(25, 20)});
    EXPECT_TRUE(files().empty());
    EXPECT_EQ(account_.ledger.sampled(), 0u) << "they wait";
    EXPECT_EQ(looks_, 1);
    collector_->place_code(long_enough, true);
    EXPECT_EQ(files(), (std::vector{file("100000000900000", "100000000900fff") + " 4=3",
                                    file("900000", "900fff") + " 4=2 14=1"}));
    EXPECT_EQ(account_.ledger.sampled(), 6u);
    EXPECT_TRUE(account_.ledger.balanced());
    EXPECT_EQ(named_app(), 6u) << "each once";
    EXPECT_EQ(names(), "fg");
}

TEST_F(CollectingPlacedCode, without_times_nothing_waits) {
    write_dump();
    begin_placed();
    feed({placed_at(0), placed_at(0)});
    EXPECT_EQ(files(), std::vector{file("900000", "900fff") + " 4=2"});
    EXPECT_EQ(looks_, 0);
}

TEST_F(CollectingPlacedCode, samples_of_a_region_wait_from_when_the_jitdump_is_seen) {
    write_dump();
    maps_ = {};
    begin_placed();
    feed({placed_at(15), placed_at(15)});
    EXPECT_EQ(files(), std::vector{file("900000", "900fff") + " 4=2"});
    EXPECT_EQ(looks_, 1) << "not for each sample";
    maps_ = with_dump_;
    feed({placed_at(16, 4, other_region), placed_at(25)});
    collector_->place_code(long_enough, true);
    EXPECT_EQ(files(), (std::vector{file("100000000900000", "100000000900fff") + " 4=1",
                                    file("900000", "900fff") + " 4=2", file("902000", "902fff") + " 4=1"}));
}

TEST_F(CollectingPlacedCode, a_look_that_came_too_soon_is_made_again) {
    write_dump();
    begin_placed();
    is_too_soon_ = true;
    feed({placed_at(15)});
    is_too_soon_ = false;
    feed({placed_at(25)});
    collector_->place_code(long_enough, true);
    EXPECT_EQ(files(), (std::vector{file("100000000900000", "100000000900fff") + " 4=1",
                                    file("900000", "900fff") + " 4=1"}));
}

TEST_F(CollectingPlacedCode, frames_are_of_the_code_of_their_time) {
    write_dump();
    begin_placed({.arcs = false});
    const Place callers[] = {{16, region_cookie}, {0x100, app}};
    for (const uint64_t time : {15, 25, 26}) {
        PlacedSample sample = placed_at(time, 0x200, app);
        sample.chain = callers;
        sample.stack_end = StackEnd::root;
        feed({sample});
    }
    EXPECT_EQ(collector_->flush_and_account().stacks.stored(), 0u) << "they wait";
    collector_->place_code(long_enough, true);
    const std::string end = "+10;/bin/app+200!", begin = "/bin/app;/bin/app+100;";
    EXPECT_EQ(stacks(), (test::StackTexts{{begin + region(0) + end, 1}, {begin + region(1) + end, 2}}));
}

}  // namespace op::collect
