// SPDX-License-Identifier: GPL-2.0-or-later
// Samples in code made at run time that a recording of another profiler has.
#include "daemon/jit/imported_code.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "libop/jit/jo_file.h"
#include "libop/jit/ordered_bytes.h"
#include "tests/unit/collecting.h"

namespace op::collect {
namespace {

constexpr std::chrono::milliseconds any_time{0};
constexpr uint64_t heap = 0x900000, ms = 1'000'000;
constexpr uint32_t pid = 77;

struct Function {
    const char* name;
    uint64_t time;  ///< ms
};

class CollectingImportedCode : public Collecting {
protected:
    void begin(bool has_dump_times = true, const CollectorOptions& options = {},
               const std::map<uint32_t, unsigned>& earlier = {}) {
        code_.emplace(ImportedPlaces{.beside = files_.path(), .has_dump_times = has_dump_times}, session_,
                      earlier, notes_);
        collector(options).watch_code(*code_);
    }
    void begin_process(const std::string& program = "/bin/app") {
        feed({Name{0, pid, pid, true, "app"}, Mapping{0, pid, {0x400000}, 0x10000, 0, false, program, {}},
              Mapping{0, pid, {heap}, 0x1000, 0, false, "//anon", {}}});
    }
    void map_dump(const std::string& path, uint64_t inode) {
        feed({Mapping{0, pid, {0x700000}, 0x1000, 0, false, path, {}, {1, inode}}});
    }
    void write_dump(const std::string& name, const std::vector<Function>& functions) {
        OrderedWriter out({});
        for (const uint32_t word : {0x4A695444u, 1u, 40u, 62u, 0u, pid})
            out.put(word);
        out.put(uint64_t{0});
        out.put(uint64_t{0});
        for (const Function& function : functions) {
            for (const uint32_t word : {0u, 56u + 2 + 16})
                out.put(word);
            for (const uint64_t field :
                 {function.time * ms, uint64_t{0}, heap, heap, uint64_t{16}, uint64_t{0}})
                out.put(field);
            out.put_text(function.name);
            out.put_bytes(std::string(16, 'c'));
        }
        files_.write(name, out.bytes());
    }
    Sample at(uint64_t time) const {
        Sample sample = user(heap + 4, pid);
        sample.time = time * ms;
        return sample;
    }
    /// NAME@GENERATION of each symbol that the session has then.
    std::string names() {
        collector_->place_code(any_time, true);
        files();
        code_->write();
        std::string text;
        for (const char* program : {"/bin/app", "/bin/other"}) {
            const ImageName app{ImageName::Kind::file, program, 0, 0, 0};
            if (const auto jo = read_jo(session_.directory(), "session", jo_path(app, pid)))
                for (const CodeSymbol& symbol : jo->code.symbols)
                    text += symbol.name + "@" + std::to_string(code_generation(symbol.address)) + " ";
        }
        return text;
    }
    long noted(std::string_view part) const {
        return std::ranges::count_if(
            notes_.warnings(), [&](const std::string& note) { return note.find(part) != std::string::npos; });
    }

    const std::string name_ = "jit-77.dump";
    test::TempDir files_;
    std::optional<ImportedCode> code_;
};

}  // namespace

TEST_F(CollectingImportedCode, a_sample_is_of_the_code_of_its_time) {
    write_dump(name_, {{"f", 10}, {"g", 20}});
    begin();
    begin_process();
    map_dump("/tmp/" + name_, 1);
    feed({at(15), at(25), at(26)});
    EXPECT_EQ(names(), "f@0 g@1 ");
    EXPECT_EQ(account_.ledger.sampled(), 3u);
    EXPECT_TRUE(account_.ledger.balanced());
    EXPECT_TRUE(code_->is_holding_none());
}

TEST_F(CollectingImportedCode, without_the_clock_of_the_jitdump_what_is_ambiguous_has_no_name) {
    write_dump(name_, {{"f", 10}, {"g", 20}});
    begin(false);
    begin_process();
    map_dump("/tmp/" + name_, 1);
    feed({at(15), at(25)});
    EXPECT_EQ(names(), "");
    EXPECT_EQ(noted("perf record -k mono"), 1);
}

TEST_F(CollectingImportedCode, a_process_has_no_names_of_an_earlier_one_of_its_number) {
    for (const bool has_dump_times : {true, false}) {
        session_.begin(false);
        write_dump(name_, {{"f", 10}});
        begin(has_dump_times);
        begin_process();
        map_dump("/tmp/" + name_, 1);
        feed({at(15), Exit{20 * ms, pid, pid}, Fork{30 * ms, pid, pid, 1, 1}});
        begin_process("/bin/other");
        feed({at(35)});
        EXPECT_EQ(names(), "f@0 ") << has_dump_times;
        EXPECT_EQ(account_.ledger.stored(), 2u);
        EXPECT_EQ(files().size(), 2u) << "the other sample has another generation";
    }
}

TEST_F(CollectingImportedCode, an_earlier_process_has_no_names_of_a_later_one_of_its_number) {
    for (const bool has_dump_times : {true, false}) {
        session_.begin(false);
        write_dump(name_, {{"f", 30}});
        begin(has_dump_times);
        begin_process();
        feed({at(15), Exit{20 * ms, pid, pid}, Fork{30 * ms, pid, pid, 1, 1}});
        begin_process();
        map_dump("/tmp/" + name_, 1);
        feed({at(35)});
        EXPECT_EQ(names(), "f@1 ") << has_dump_times;
    }
}

TEST_F(CollectingImportedCode, a_jitdump_that_was_overwritten_has_names_of_the_last_process_only) {
    write_dump(name_, {{"g", 30}});
    begin();
    begin_process();
    map_dump("/tmp/" + name_, 1);
    feed({at(15)});
    begin_process();
    map_dump("/tmp/" + name_, 1);
    feed({at(35)});
    EXPECT_EQ(names(), "g@1 ");
}

TEST_F(CollectingImportedCode, a_file_is_not_taken_for_one_of_two_that_had_its_name) {
    write_dump(name_, {{"g", 10}});
    begin();
    begin_process();
    map_dump("/here/" + name_, 1);
    feed({at(15)});
    begin_process();
    map_dump("/there/" + name_, 2);
    feed({at(35)});
    EXPECT_EQ(names(), "");
}

TEST_F(CollectingImportedCode, what_the_session_had_gets_no_names_of_another_recording) {
    write_dump(name_, {{"f", 10}});
    begin(true, {}, {{pid, 4}});
    begin_process();
    map_dump("/tmp/" + name_, 1);
    feed({at(15)});
    EXPECT_EQ(names(), "f@5 ");
}

TEST_F(CollectingImportedCode, code_of_very_many_processes_of_one_number_has_no_names) {
    write_dump(name_, {{"f", 10}});
    begin();
    for (size_t i = 0; i < ImportedCode::most_lives_of_one + 2; ++i) {
        begin_process();
        feed({at(15)});
    }
    begin_process();
    map_dump("/tmp/" + name_, 1);
    feed({at(15)});
    EXPECT_EQ(names(), "");
    EXPECT_EQ(account_.ledger.stored(), ImportedCode::most_lives_of_one + 3);
}

}  // namespace op::collect
