// SPDX-License-Identifier: GPL-2.0-or-later
// perf.data files of tests/fixtures/make_perf_data.py, which are the corpus of the fuzz target: the same
// description in every form gives the same session, and what is damaged costs no more than it has to.
#include "daemon/import/perf_data_source.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <string>
#include <vector>

#include "daemon/collect/collector.h"
#include "daemon/import/time_window.h"
#include "daemon/run/recording.h"
#include "libop/events/cpu_model.h"
#include "libop/session/session.h"
#include "tests/unit/fixtures.h"
#include "tests/unit/temp_dir.h"

namespace op::collect {
namespace {

std::string recording(const std::string& name) {
    return test::fixture("../fuzz/corpus/perf_data/" + name);
}

struct Imported {
    std::vector<std::string> lines;  ///< of sample files
    SessionInfo info;
    std::vector<std::string> notes;
};

Imported import_file(const std::string& path) {
    const test::TempDir dir;
    Diagnostics notes;
    SessionWriter session(dir.path(), false, notes);
    session.begin(false);
    PerfDataSource source({MappedFile(path), "perf.data"}, notes);
    Collector collector(session, source.describe(), {.stacks = source.has_stacks(), .arcs = false}, notes);
    drain_into(source, [&](auto records) { collector.process(records); });
    Imported imported;
    imported.info = collector.flush_and_account();
    const SessionReader reader(session.current_path());
    for (const std::string& file : reader.list()) {
        std::string line = file;
        auto content = reader.read(file, notes);
        std::ranges::sort(content.entries, {}, &SampleEntry::key);
        for (const SampleEntry& entry : content.entries)
            line += " " + hex(entry.key) + "=" + std::to_string(entry.count);
        imported.lines.push_back(line);
    }
    imported.notes = notes.take();
    EXPECT_TRUE(imported.info.ledger.balanced()) << path;
    return imported;
}

/// Without a session, which takes its time.
size_t count_samples(std::string_view bytes) {
    Diagnostics notes;
    const Fd file(::memfd_create("cut", MFD_CLOEXEC));
    write_fd(file.get(), bytes, "cut");
    PerfDataSource source({MappedFile(file, "cut"), "perf.data"}, notes);
    size_t samples = 0;
    drain_into(source, [&](auto records) {
        for (const Record& record : records)
            samples += std::holds_alternative<Sample>(record);
    });
    return samples;
}

/// As the description has it.
const std::vector<std::string>& expected_lines() {
    static const std::string clock = "/cpu-clock.1000000.0.all.all.all";
    static const std::vector<std::string> lines{
        "{root}/opt/made/app/{dep}/{kern}/made_up" + clock + " 10=1",
        "{root}/opt/made/app/{dep}/{root}/opt/made/app" + clock + " 1100=1 1110=1",
        "{root}/opt/made/app/{dep}/{root}/opt/made/app/instructions.5000.0.all.all.all 1100=1",
        "{root}/opt/made/app/{dep}/{root}/opt/made/lib.so" + clock + " 20=1",
        "{root}/opt/made/app/{dep}/{root}/proc/kallsyms" + clock + " 500=1",
        "{root}/opt/made/tool/{dep}/{root}/opt/made/tool" + clock + " 40=1"};
    return lines;
}

bool has_note(const Imported& imported, const std::string& part) {
    return std::ranges::any_of(imported.notes,
                               [&](const std::string& note) { return note.find(part) != note.npos; });
}

/// A recording to a pipe, record by record.
class PipeBytes {
public:
    PipeBytes() {
        bytes_ = "PERFILE2";
        put(uint64_t{16});
        std::string attr = packed(uint32_t{1}) + packed(uint32_t{64}) + packed(uint64_t{0});
        attr += packed(uint64_t{1000}) + std::string(64 - 24, '\0');
        add(64, attr + packed(uint64_t{7}));
    }
    void add(uint32_t type, const std::string& body, uint16_t misc = 2) {
        put(type);
        put(misc);
        put(static_cast<uint16_t>(8 + body.size()));
        bytes_ += body;
    }
    void add_build_id(const std::string& path, char id) {
        add(67,
            packed(uint32_t{1}) + std::string(20, id) + std::string(4, '\0') + path + std::string(1, '\0'));
    }
    void add_mapping(const std::string& path) {
        std::string body = packed(uint32_t{9}) + packed(uint32_t{9}) + packed(uint64_t{0x400000});
        add(1, body + packed(uint64_t{0x1000}) + packed(uint64_t{0}) + path + std::string(1, '\0'));
    }
    void end_round() { add(68, ""); }
    const std::string& bytes() const { return bytes_; }

private:
    template <class T>
    static std::string packed(T value) {
        return {reinterpret_cast<const char*>(&value), sizeof value};
    }
    template <class T>
    void put(T value) {
        bytes_ += packed(value);
    }
    std::string bytes_;
};

}  // namespace

TEST(PerfData, the_first_build_id_of_a_path_stays) {
    PipeBytes pipe;
    pipe.add_build_id("/opt/made/app", 'a');
    for (int round = 0; round < 3; ++round) {
        pipe.add_mapping("/opt/made/app");
        pipe.end_round();
        pipe.end_round();
        pipe.add_build_id("/opt/made/app", static_cast<char>('b' + round));
    }
    Diagnostics notes;
    const Fd file(::memfd_create("pipe", MFD_CLOEXEC));
    write_fd(file.get(), pipe.bytes(), "pipe");
    PerfDataSource source({MappedFile(file, "pipe"), "perf.data"}, notes);
    size_t mappings = 0;
    drain_into(source, [&](auto records) {
        for (const Record& record : records) {
            const auto* const mapping = std::get_if<Mapping>(&record);
            if (!mapping || mapping->kernel) continue;
            ++mappings;
            EXPECT_EQ(hex(mapping->build_id), hex(as_bytes(std::string(20, 'a'))));
        }
    });
    EXPECT_EQ(mappings, 3u);
}

TEST(PerfData, every_form_of_one_recording_gives_the_same_session) {
    std::vector<std::string> names{"halves", "zstd", "zstd2", "zstd-pipe", "killed", "plain"};
    for (const char* order : {"little", "big"})
        for (const char* size : {"64", "96", "112", "128", "136"})
            for (const char* form : {"file", "pipe"})
                names.push_back(std::string(order) + "-" + size + "-" + form);
    for (const std::string& name : names) {
        const Imported imported = import_file(recording(name));
        EXPECT_EQ(imported.lines, expected_lines()) << name;
        EXPECT_EQ(imported.info.ledger.lost(LossCause::kernel_buffer), 3u) << name;
        EXPECT_EQ(imported.info.ledger.lost(LossCause::guest), 1u) << name;
        EXPECT_EQ(imported.info.ledger.lost(LossCause::no_mapping), 1u) << name << ": a process nobody named";
        EXPECT_TRUE(imported.info.events.front().throttled) << name;
    }
}

TEST(PerfData, features_describe_the_recorded_machine_and_its_files) {
    for (const char* name : {"little-112-file", "big-112-file", "halves", "big-136-pipe"}) {
        const Imported imported = import_file(recording(name));
        const SessionInfo& info = imported.info;
        EXPECT_EQ(info.host, "elsewhere") << name;
        EXPECT_EQ(info.kernel_release, "6.1.0-made") << name;
        EXPECT_EQ(info.command, "made up") << name;
        EXPECT_EQ(info.images.at("/opt/made/app").build_id, "1111111111111111111111111111111111111111")
            << name;
        EXPECT_EQ(info.build_id("made_up"), "3333333333333333333333333333333333333333") << name;
        EXPECT_EQ(info.build_id("/proc/kallsyms"), "000102030405060708090a0b0c0d0e0f10111213") << name;
        EXPECT_TRUE(imported.notes.empty()) << name << ": " << imported.notes.front();
    }
}

TEST(PerfData, the_type_of_the_processor_is_that_of_the_recorded_one) {
    const SessionInfo known = import_file(recording("processor")).info;
    EXPECT_EQ(known.cpu_type_name, "i386/sapphirerapids");
    EXPECT_NE(known.cpu_type, cpu_type_timer);
    const SessionInfo unknown = import_file(recording("little-112-file")).info;
    EXPECT_EQ(unknown.cpu_type_name, "timer");
    EXPECT_EQ(unknown.cpu_type, cpu_type_timer);
}

TEST(PerfData, a_file_without_a_build_id_gets_none_from_another_recorder) {
    const Imported imported = import_file(recording("crossed"));
    EXPECT_EQ(imported.lines, expected_lines());
    EXPECT_EQ(imported.info.images.at("/opt/made/app").build_id, "");
}

TEST(PerfData, code_that_the_kernel_made_has_images_at_its_time) {
    const Imported imported = import_file(recording("made"));
    const std::string kern = "{root}/opt/made/app/{dep}/{kern}/", clock = "/cpu-clock.1000000.0.all.all.all ";
    for (const std::string& line : {"bpf_prog_1_made" + clock + "10=1", "bpf_prog_2_later" + clock + "10=1",
                                    "ftrace_trampoline_x" + clock + "4=1"})
        EXPECT_TRUE(std::ranges::count(imported.lines, kern + line)) << line;
}

TEST(PerfData, callers_are_stacks_with_the_kernels_frames_inside) {
    for (const char* name : {"little-112-file", "big-64-pipe"}) {
        const StackAccount stacks = import_file(recording(name)).info.stacks;
        EXPECT_EQ(stacks.stored(), 7u) << name;
    }
}

TEST(PerfData, what_is_missing_is_noted_once) {
    EXPECT_TRUE(has_note(import_file(recording("plain")), "no build-ids"));
    EXPECT_TRUE(has_note(import_file(recording("killed")), "not ended properly"));
}

TEST(PerfData, rounds_are_sorted_one_by_one) {
    const Imported imported = import_file(recording("rounds"));
    EXPECT_EQ(imported.info.ledger.stored(), 35u);
    EXPECT_EQ(imported.info.ledger.lost(LossCause::kernel_buffer), 15u);
    EXPECT_TRUE(imported.notes.empty());
}

TEST(PerfData, a_file_cut_off_anywhere_is_used_up_to_there) {
    for (const char* name : {"little-64-file", "big-136-pipe", "zstd"}) {
        const std::string bytes = read_file(recording(name));
        size_t before = 0;
        for (size_t cut = 0; cut <= bytes.size(); ++cut)
            try {
                const size_t samples = count_samples(std::string_view(bytes).substr(0, cut));
                EXPECT_GE(samples, before) << name << " cut at " << cut;
                before = samples;
            } catch (const Error& error) {
                EXPECT_EQ(error.kind(), ErrorKind::input) << name << " cut at " << cut;
                EXPECT_EQ(before, 0u) << name << " cut at " << cut << ": " << error.what();
            }
        EXPECT_EQ(before, 9u) << name;
    }
}

TEST(PerfData, copied_stacks_come_with_registers_by_their_numbers_in_call_frame_information) {
#if defined(__x86_64__)
    Diagnostics notes;
    PerfDataSource source({MappedFile(recording("stacks")), "perf.data"}, notes);
    const UserStack* stack = nullptr;
    for (const Record& record : source.drain())
        if (const auto* const sample = std::get_if<Sample>(&record);
            sample && sample->pc.value() == 0x400110) {
            stack = sample->user_stack;
            EXPECT_TRUE(sample->chain.empty())
                << "what the kernel followed is left to whoever walks the copy";
        }
    ASSERT_NE(stack, nullptr);
    EXPECT_TRUE(stack->has_registers);
    EXPECT_EQ(stack->registers.pc.value(), 0x108u);  // bits: ax bx cx dx si di bp sp ip, r8 from bit 16
    EXPECT_EQ(stack->registers.by_number[7], 0x107u) << "sp";
    EXPECT_EQ(stack->registers.by_number[3], 0x101u) << "bx";
    EXPECT_EQ(stack->registers.by_number[15], 0x110u) << "r15";
    EXPECT_EQ(stack->requested, 8192u);
    EXPECT_EQ(stack->bytes.size(), 4096u);
#endif
}

// Spec: the known faults of readers, one by one.

TEST(PerfData, damaged_records_end_what_is_read) {
    for (const char* name : {"empty_record", "small_record", "long_record", "tracing", "auxtrace"}) {
        const Imported imported = import_file(recording(std::string("bad-") + name));
        EXPECT_EQ(imported.lines, expected_lines()) << name;
        EXPECT_TRUE(has_note(imported, "what came before is used")) << name;
    }
    EXPECT_TRUE(has_note(import_file(recording("bad-text")), "what came before is used"));
    for (const char* name : {"nested", "bomb"}) {
        const Imported imported = import_file(recording(std::string("bad-") + name));
        EXPECT_EQ(imported.lines, expected_lines()) << name;
        EXPECT_TRUE(has_note(imported, "what came before is used")) << name;
    }
    EXPECT_TRUE(has_note(import_file(recording("bad-cut_zstd")), "what came before is used"));
}

TEST(PerfData, damaged_samples_are_losses) {
    for (const auto& [name, lost] : {std::pair{"chain", 1u}, std::pair{"short_sample", 1u}}) {
        const Imported imported = import_file(recording(std::string("bad-") + name));
        EXPECT_EQ(imported.lines, expected_lines()) << name;
        EXPECT_EQ(imported.info.ledger.lost(LossCause::damaged_stream), lost) << name;
    }
    const Imported imported = import_file(recording("bad-trailer"));
    EXPECT_EQ(imported.lines, expected_lines());
    EXPECT_EQ(imported.info.side_band_lost, 1u);
    EXPECT_EQ(import_file(recording("bad-unknown_id")).info.ledger.lost(LossCause::unknown_event), 1u);
}

TEST(PerfData, numbers_that_no_machine_has_are_taken_as_numbers) {
    EXPECT_EQ(import_file(recording("bad-cpu")).info.ledger.stored(), 9u);
    EXPECT_EQ(import_file(recording("bad-pid")).info.ledger.stored(), 7u);
    EXPECT_EQ(import_file(recording("bad-times")).info.ledger.stored(), 12u);
    for (const char* name : {"comm", "many_pids", "many_maps", "unknown_type", "reserved"})
        EXPECT_EQ(import_file(recording(std::string("bad-") + name)).lines, expected_lines()) << name;
    EXPECT_EQ(import_file(recording("bad-ids")).info.ledger.stored(), 7u);
    EXPECT_GE(import_file(recording("bad-huge_map")).info.ledger.sampled(), 12u);
}

TEST(PerfData, no_path_leads_out_of_the_session) {
    const Imported imported = import_file(recording("bad-paths"));
    EXPECT_EQ(imported.info.ledger.sampled(), 12u + 11u);
    for (const std::string& line : imported.lines)
        EXPECT_EQ(line.find("/../"), line.npos) << line;
    EXPECT_EQ(import_file(recording("bad-no_nul")).lines, expected_lines());
}

TEST(PerfData, damaged_features_are_left_out) {
    for (const char* name : {"string", "event_desc", "command", "build_ids"}) {
        const Imported imported = import_file(recording(std::string("bad-") + name));
        EXPECT_EQ(imported.info.ledger.stored(), 7u) << name;
        EXPECT_TRUE(has_note(imported, "is damaged")) << name;
    }
    for (const char* name : {"sections", "no_table", "data"})
        EXPECT_EQ(import_file(recording(std::string("bad-") + name)).info.ledger.stored(), 7u) << name;
}

TEST(PerfData, files_whose_records_cannot_be_read_are_refused) {
    for (const char* name : {"attr_size", "attrs", "directory"})
        EXPECT_THROW(import_file(recording(std::string("bad-") + name)), Error) << name;
}

TEST(TimeWindow, gives_out_what_is_older_than_the_round_before) {
    TimeWindow window;
    window.add(5, 0);
    window.add(3, 1);
    window.end_round();
    EXPECT_FALSE(window.has_next()) << "the next round may hold older ones";
    window.add(4, 2);
    window.add(9, 3);
    window.end_round();
    std::vector<uint64_t> times;
    while (window.has_next())
        times.push_back(window.next().time);
    EXPECT_EQ(times, (std::vector<uint64_t>{3, 4, 5}));
    EXPECT_EQ(window.first_position(99), 3u);
    window.end_all();
    EXPECT_EQ(window.next().time, 9u);
    EXPECT_FALSE(window.has_next());
    EXPECT_EQ(window.late(), 0u);
}

TEST(TimeWindow, is_bounded_and_counts_what_comes_too_late) {
    TimeWindow window(4);
    for (uint64_t time : {10, 20, 30, 40})
        window.add(time, time);
    EXPECT_TRUE(window.has_next());
    window.add(15, 50);
    EXPECT_EQ(window.late(), 1u) << "20 was given out";
}

TEST(PerfDataAttr, names_are_fit_for_sample_files_and_differ) {
    PerfDataAttrs attrs;
    for (const char* name : {"cycles:u", "cycles:k", "cpu/event=0x3c/", "sched:sched_switch", "", "cycles:u"})
        attrs.attrs.push_back({.type = 4, .config = 0x1b1, .name = name});
    const PerfDataEvents named = name_perf_events(attrs, {});
    std::vector<std::string> names;
    for (const RecordedEvent& event : named.events)
        names.push_back(event.name);
    EXPECT_EQ(names, (std::vector<std::string>{"cycles", "cycles_k", "cpu_event_0x3c", "sched_sched_switch",
                                               "r1b1", "cycles_u"}));
}

}  // namespace op::collect
