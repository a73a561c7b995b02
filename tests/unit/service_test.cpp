// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/service/service.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <deque>
#include <filesystem>

#include "tests/unit/faults.h"
#include "tests/unit/keep_mask.h"
#include "tests/unit/temp_dir.h"

namespace op::collect {
namespace {

namespace fs = std::filesystem;
using test::contains;

/// Gives what a test put in, or fails.
class FakeSource final : public SampleSource {
public:
    FakeSource() {
        info_.cpu_type = 4;
        info_.cpu_type_name = "timer";
        info_.events = {{"TIMER", 0, 1000000}};
    }
    const SessionInfo& describe() const override { return info_; }
    void start() override {
        if (broken_start) throw_system("cannot enable the counters", EBUSY);
        ++starts;
    }
    void stop() override { ++stops; }
    std::span<const Record> drain() override {
        ++drains;
        if (broken) throw_system("cannot read buffer", EIO);
        batch_.clear();
        if (waiting.empty()) return batch_;
        batch_ = std::move(waiting.front());
        waiting.pop_front();
        return batch_;
    }
    int wait_fd() const override { return fd; }

    void put_samples(int n) {
        waiting.push_back(
            {Name{0, 7, 7, true, "app"}, Mapping{0, 7, {0x400000}, 0x10000, 0, false, "/bin/app", {}}});
        for (int i = 0; i < n; ++i)
            waiting.back().push_back(Sample{1, 7, 7, 0, 0, CpuMode::user, 0, {0x400010}, {}});
    }

    std::deque<std::vector<Record>> waiting;
    int starts = 0, stops = 0, drains = 0, fd = 0;
    bool broken = false, broken_start = false;

private:
    SessionInfo info_;
    std::vector<Record> batch_;
};

class Serviced : public ::testing::Test {
protected:
    Serviced()
        : session_(begun(dir_.path(), notes_)),
          log_(session_, {}),
          keeper_(session_, source_.describe(), {}, true, notes_),
          service_({source_, session_, keeper_, log_, notes_}, options()) {}

    static SessionWriter begun(const std::string& dir, Diagnostics& notes) {
        SessionWriter session(dir, false, notes);
        session.begin(true);
        return session;
    }
    ServiceOptions options() const {
        ServiceOptions o;
        o.source = "fake";
        o.session_dir = dir_.path();
        return o;
    }
    ControlReply ask(std::string_view request, ClientRole role = ClientRole::owner) {
        return service_.handle(parse_control_request(request), role);
    }
    std::string value(std::string_view key) {
        const ControlReply reply = ask("status");
        return std::string(reply.find(key).value_or("none"));
    }
    /// Samples that readers find in samples/NAME.
    uint64_t stored(const std::string& name = current_session) {
        const SessionReader reader(dir_ / ("samples/" + name));
        uint64_t sum = 0;
        for (const std::string& path : reader.list())
            for (const auto& entry : reader.read(path, notes_).entries)
                sum += entry.count;
        return sum;
    }
    std::string log() const { return read_file(dir_ / "samples/oprofiled.log"); }

    test::TempDir dir_;
    Diagnostics notes_;
    FakeSource source_;
    SessionWriter session_;
    ServiceLog log_;
    SessionKeeper keeper_;
    Service service_;
    Service::Clock::time_point now_ = Service::Clock::now();
};

}  // namespace

TEST_F(Serviced, samples_are_drained_and_stored_while_sampling) {
    source_.put_samples(5);
    service_.turn(now_);
    EXPECT_EQ(source_.drains, 0);
    EXPECT_TRUE(ask("start").ok());
    service_.turn(now_);
    EXPECT_TRUE(ask("dump").ok());
    EXPECT_EQ(stored(), 5u);
    EXPECT_EQ(value("state"), "sampling");
    EXPECT_EQ(value("stored"), "5");
}

TEST_F(Serviced, a_source_that_was_not_drained_to_its_end_is_not_waited_for) {
    ask("start");
    for (int i = 0; i < 1000; ++i)
        source_.put_samples(1);
    service_.turn(now_);
    ASSERT_FALSE(source_.waiting.empty());
    EXPECT_EQ(service_.time_to_wait(now_).count(), 0);
    ask("dump");
    ASSERT_FALSE(source_.waiting.empty());
    EXPECT_EQ(service_.time_to_wait(now_).count(), 0);
    while (!source_.waiting.empty())
        service_.turn(now_);
    service_.turn(now_);
    EXPECT_GT(service_.time_to_wait(now_).count(), 0);
}

TEST_F(Serviced, dump_takes_what_still_waits_in_the_source) {
    ask("start");
    source_.put_samples(3);
    EXPECT_TRUE(ask("dump").ok());
    EXPECT_EQ(stored(), 3u);
}

TEST_F(Serviced, starts_and_stops_as_often_as_asked) {
    for (int i = 1; i <= 3; ++i) {
        EXPECT_TRUE(ask("start").ok());
        EXPECT_TRUE(ask("start").ok());
        EXPECT_EQ(source_.starts, i);
        source_.put_samples(2);
        EXPECT_TRUE(ask("stop").ok());
        EXPECT_TRUE(ask("stop").ok());
        EXPECT_EQ(source_.stops, i);
        EXPECT_EQ(value("stored"), std::to_string(2 * i));
    }
    service_.on_signal(SIGUSR1);
    EXPECT_TRUE(service_.sampling());
    service_.on_signal(SIGUSR2);
    EXPECT_FALSE(service_.sampling());
}

TEST_F(Serviced, reset_recreates_a_removed_session) {
    ask("start");
    source_.put_samples(4);
    ask("dump");
    fs::remove_all(dir_ / "samples/current");
    for (const char* request : {"dump", "save x"}) {
        const std::string why = ask(request).error;
        EXPECT_TRUE(contains(why, "samples/current was removed")) << why;
        EXPECT_TRUE(contains(why, "opcontrol --reset")) << why;
    }
    EXPECT_TRUE(ask("reset").ok());
    source_.put_samples(3);
    EXPECT_TRUE(ask("dump").ok());
    EXPECT_EQ(stored(), 3u);
}

TEST_F(Serviced, reset_forgets_and_the_next_samples_count_from_nothing) {
    ask("start");
    source_.put_samples(4);
    ask("dump");
    dir_.write("samples/current/notes.txt", "mine");
    dir_.write("samples/current/stats/cpu0/sample_received", "4");
    EXPECT_TRUE(ask("reset").ok());
    EXPECT_EQ(stored(), 0u);
    EXPECT_EQ(value("sampled"), "0");
    EXPECT_FALSE(fs::exists(dir_ / "samples/current/stats/cpu0"));
    EXPECT_TRUE(fs::exists(dir_ / "samples/current/notes.txt"));
    source_.put_samples(1);
    ask("dump");
    EXPECT_EQ(stored(), 1u);
    EXPECT_EQ(session_.read_info(notes_)->ledger.stored(), 1u);
}

TEST_F(Serviced, account_is_unfinished_while_samples_may_come) {
    const auto is_unfinished = [&](const std::string& name = current_session) {
        return SessionReader(dir_ / ("samples/" + name)).info(notes_)->unfinished;
    };
    EXPECT_TRUE(is_unfinished());
    ask("start");
    source_.put_samples(4);
    ask("dump");
    EXPECT_TRUE(is_unfinished());
    ask("save first");
    EXPECT_FALSE(is_unfinished("first"));
    EXPECT_TRUE(is_unfinished());
    ask("stop");
    EXPECT_FALSE(is_unfinished());
    ask("dump");
    EXPECT_FALSE(is_unfinished());
}

TEST_F(Serviced, save_renames_the_session_and_starts_a_new_one) {
    ask("start");
    source_.put_samples(4);
    EXPECT_TRUE(ask("save first").ok());
    source_.put_samples(2);
    ask("dump");
    EXPECT_EQ(stored("first"), 4u);
    EXPECT_EQ(stored(), 2u);
    EXPECT_EQ(session_.read_info(notes_)->ledger.stored(), 2u);
}

TEST_F(Serviced, rotate_cuts_at_once_and_takes_what_still_waits_in_the_source) {
    ask("start");
    source_.put_samples(4);
    EXPECT_TRUE(ask("rotate").ok());
    source_.put_samples(2);
    ask("dump");
    const auto rotated = list_rotated(session_.samples_directory(), "samples", notes_);
    ASSERT_EQ(rotated.size(), 1u);
    EXPECT_EQ(rotated[0].samples, 4u);
    EXPECT_EQ(stored(rotated[0].name), 4u);
    EXPECT_EQ(stored(), 2u);
}

TEST_F(Serviced, a_signal_while_a_slice_is_over_ends_the_daemon_after_the_cut) {
    uint64_t calendar = 86400 * 20000, elapsed = 1;
    ServiceOptions o = options();
    o.rotation = {.period = 86400};
    o.clocks = [&] { return ClockPair{calendar, elapsed}; };
    keeper_.begin_run(calendar);
    Service rotating({source_, session_, keeper_, log_, notes_}, o);
    rotating.handle({ControlVerb::start, ""}, ClientRole::owner);
    source_.put_samples(3);
    calendar += 86400;
    elapsed += 86400'000'000'000;
    rotating.on_signal(SIGTERM);
    rotating.turn(now_);
    EXPECT_TRUE(rotating.over());
    ASSERT_EQ(list_rotated(session_.samples_directory(), "samples", notes_).size(), 1u);
    EXPECT_EQ(stored("fleet-20241004T000000Z"), 3u);
    const ControlReply status = rotating.handle({}, ClientRole::owner);
    EXPECT_EQ(status.find("rotation").value_or(""), "every 1d, next at 2024-10-06 00:00:00 UTC");
    EXPECT_TRUE(contains(status.find("rotated-sessions").value_or(""), "not pushed 1"));
}

TEST_F(Serviced, each_session_has_the_times_in_which_its_events_were_counted) {
    const auto time = [this](const std::string& name) {
        return SessionReader(dir_ / ("samples/" + name)).info(notes_).value().events.at(0).time;
    };
    ask("start");
    source_.waiting.push_back({EventTime{0, {100, 40}}});
    ask("dump");
    EXPECT_EQ(time("current"), (CountedTime{100, 40})) << "while it samples";
    source_.waiting.push_back({EventTime{0, {10, 10}}});
    EXPECT_TRUE(ask("save first").ok());
    EXPECT_EQ(time("first"), (CountedTime{110, 50}));
    EXPECT_EQ(time("current"), CountedTime{});
    source_.waiting.push_back({EventTime{0, {7, 6}}});
    ask("stop");
    EXPECT_EQ(time("current"), (CountedTime{7, 6}));
    EXPECT_TRUE(ask("reset").ok());
    EXPECT_EQ(time("current"), CountedTime{});
}

TEST_F(Serviced, save_refuses_invalid_and_taken_names) {
    ask("start");
    source_.put_samples(1);
    for (const char* name : {"save /etc", "save .", "save ..", "save a/b", "save .hidden", "save a,b",
                             "save current", "save oprofiled.log"})
        EXPECT_FALSE(ask(name).ok()) << name;
    ask("save one");
    EXPECT_TRUE(contains(ask("save one").error, "exists already"));
    EXPECT_EQ(stored("one"), 1u);
}

TEST_F(Serviced, a_fault_of_the_source_ends_sampling_with_one_line_and_start_tries_again) {
    ask("start");
    source_.broken = true;
    service_.turn(now_);
    service_.turn(now_);
    EXPECT_EQ(value("state"), "failed");
    EXPECT_TRUE(contains(value("failure"), "cannot read buffer"));
    const std::string text = log();
    const size_t first = text.find("reading samples: cannot read buffer");
    EXPECT_NE(first, text.npos);
    EXPECT_EQ(text.find("reading samples: cannot read buffer", first + 1), text.npos);
    source_.broken = false;
    EXPECT_TRUE(ask("start").ok());
    source_.put_samples(1);
    service_.turn(now_);
    EXPECT_EQ(value("stored"), "1");
}

TEST_F(Serviced, start_that_fails_is_refused_with_the_reason) {
    source_.broken_start = true;
    EXPECT_TRUE(contains(ask("start").error, "cannot enable the counters"));
    EXPECT_EQ(value("state"), "stopped");
    service_.on_signal(SIGUSR1);
    EXPECT_TRUE(contains(log(), "cannot enable the counters"));
}

TEST_F(Serviced, session_removed_meanwhile_costs_its_samples_and_nothing_else) {
    ask("start");
    fs::remove_all(dir_ / "samples");
    source_.put_samples(3);
    service_.turn(now_ + std::chrono::seconds(61));
    EXPECT_TRUE(service_.sampling());
    EXPECT_FALSE(ask("dump").ok());
    EXPECT_EQ(value("sampled"), "3");
    EXPECT_EQ(value("lost-sample_file"), "3");
}

TEST_F(Serviced, source_that_ends_stops_sampling) {
    source_.fd = -1;
    ask("start");
    source_.put_samples(2);
    service_.turn(now_);
    EXPECT_FALSE(service_.sampling());
    EXPECT_EQ(value("stored"), "2");
}

TEST_F(Serviced, account_is_written_on_the_timer) {
    ask("start");
    source_.put_samples(2);
    service_.turn(now_);
    EXPECT_EQ(session_.read_info(notes_)->ledger.stored(), 0u);
    service_.turn(now_ + std::chrono::seconds(61));
    EXPECT_EQ(session_.read_info(notes_)->ledger.stored(), 2u);
    EXPECT_FALSE(contains(log(), "samples stored: 2"));
    service_.turn(now_ + std::chrono::seconds(601));
    EXPECT_TRUE(contains(log(), "samples stored: 2"));
}

TEST_F(Serviced, hup_reopens_files_at_their_current_names) {
    ask("start");
    source_.put_samples(2);
    service_.turn(now_);
    fs::rename(dir_ / "samples/current", dir_ / "samples/moved");
    fs::rename(dir_ / "samples/oprofiled.log", dir_ / "samples/old.log");
    service_.on_signal(SIGHUP);
    source_.put_samples(1);
    ask("dump");
    EXPECT_EQ(stored("moved"), 2u);
    EXPECT_EQ(stored(), 1u);
    EXPECT_TRUE(contains(log(), "files reopened"));
}

TEST_F(Serviced, strangers_learn_where_the_session_is_and_flush_it_once_a_second) {
    ask("start");
    const ControlReply status = ask("status", ClientRole::stranger);
    EXPECT_EQ(status.values.size(), 1u);
    EXPECT_EQ(status.find("session-dir"), dir_.path());
    EXPECT_TRUE(ask("dump", ClientRole::stranger).ok());
    const int drains = source_.drains;
    EXPECT_TRUE(ask("dump", ClientRole::stranger).ok());
    EXPECT_EQ(source_.drains, drains);
}

TEST_F(Serviced, signals_and_shutdown_end_it) {
    EXPECT_FALSE(service_.over());
    EXPECT_TRUE(ask("shutdown").ok());
    EXPECT_TRUE(service_.over());
}

TEST_F(Serviced, works_until_it_is_shut_down_over_its_socket) {
    const test::KeepMask mask;
    StopSignals signals;
    ControlServer server(dir_ / "run/control", ::getuid(),
                         [this](const ControlRequest& r, ClientRole s) { return service_.handle(r, s); });
    auto client = ControlClient::connect(dir_ / "run/control");
    ASSERT_TRUE(client);
    bool was_ready = false;
    source_.put_samples(7);
    const int status = service_.run(server, signals, [&] {
        was_ready = true;
        // The request waits in the socket; the answer is not waited for.
        EXPECT_TRUE(ask("start").ok());
        service_.turn(now_);
        ask("shutdown");
    });
    EXPECT_TRUE(was_ready);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(stored(), 7u);
    EXPECT_EQ(source_.stops, 1);
    EXPECT_TRUE(contains(log(), "ended: 7 samples"));
}

TEST_F(Serviced, ends_with_status_1_on_sigterm) {
    const test::KeepMask mask;
    StopSignals signals;
    ControlServer server(dir_ / "run/control", ::getuid(),
                         [](const ControlRequest&, ClientRole) { return ControlReply{}; });
    EXPECT_EQ(service_.run(server, signals, [] { ::raise(SIGTERM); }), 1);
}

}  // namespace op::collect
