// SPDX-License-Identifier: GPL-2.0-or-later
// An hour of a host's day, made of a real session:
//   add_hour DIR HOUR START SAMPLES SESSION
// Adds the session to DIR/samples/current, which begins at START (seconds since the epoch), as hour number
// HOUR of 24. Each sample becomes one to 2 * SAMPLES - 1 samples at the same place, by a draw that is the
// same each time. Only counts and times are made up. The last hour ends the session. Call stacks are left
// out.
#include <limits>

#include "libop/base/error.h"
#include "libop/base/gzip.h"
#include "libop/base/text.h"
#include "libop/session/session.h"
#include "tests/bench/draw.h"
#include "utils/shared/tool.h"

namespace op::tool {
namespace {

constexpr uint64_t hours = 24, hour_seconds = 3600;

uint64_t number(const char* text) {
    const auto value = parse_number(text);
    if (!value) throw_usage(std::string("not a number: ") + text);
    return *value;
}

/// The counts of a session go to the one that is written, and are multiplied on the way.
class Hour {
public:
    Hour(SessionWriter& day, const SessionReader& real, uint64_t hour, uint64_t samples, Diagnostics& notes)
        : day_(day), real_(real), samples_(samples), notes_(notes), draw_(hour) {}

    /// The number of samples that were added.
    uint64_t add() {
        for (const std::string& path : real_.list())
            add_file(path);
        return stored_;
    }

private:
    void add_file(const std::string& path) {
        const auto name = parse_sample_path(path);
        if (!name) return;
        const SampleFileContent content = real_.read(path, notes_);
        SampleFile file = day_.open_sample_file(*name, content.header, notes_);
        for (const SampleEntry& entry : content.entries)
            file.add(entry.key, multiplied(entry.count));
    }

    uint32_t multiplied(uint64_t count) {
        uint64_t sum = 0;
        for (uint64_t i = 0; i < count; ++i)
            sum += 1 + draw_.below(2 * samples_ - 1);
        stored_ += sum;
        if (sum > std::numeric_limits<uint32_t>::max()) throw_input("too many samples at one place");
        return static_cast<uint32_t>(sum);
    }

    SessionWriter& day_;
    const SessionReader& real_;
    uint64_t samples_, stored_ = 0;
    Diagnostics& notes_;
    Draw draw_;
};

int add_hour(Tool& tool, int argc, char** argv) {
    if (argc != 6) throw_usage("usage: add_hour DIR HOUR START SAMPLES SESSION");
    const uint64_t hour = number(argv[2]), samples = number(argv[4]);
    if (hour >= hours || samples == 0) throw_usage("HOUR is 0 to 23, SAMPLES is at least 1");
    const SessionReader real(argv[5]);
    auto info = real.info(tool.notes);
    if (!info) throw_input(std::string(argv[5]) + " has no manifest");
    SessionWriter day(argv[1], true, tool.notes);
    day.begin(true);
    const uint64_t stored = Hour(day, real, hour, samples, tool.notes).add();
    info->start_time = number(argv[3]) + hour * hour_seconds;
    info->stop_time = info->start_time + hour_seconds;
    info->unfinished = hour + 1 < hours;
    info->ledger = {};
    info->ledger.add_sampled(stored);
    info->ledger.add_stored(stored);
    auto whole = day.read_info(tool.notes);
    if (whole) whole->merge(*info);
    day.write_info(whole.value_or(*info));
    const std::string kallsyms = real.kallsyms(tool.notes);
    if (!kallsyms.empty()) day.write_file(kallsyms_name, gzip(kallsyms));
    return 0;
}

}  // namespace
}  // namespace op::tool

int main(int argc, char** argv) {
    return op::tool::run(argc, argv, op::tool::add_hour);
}
