// SPDX-License-Identifier: GPL-2.0-or-later
// Two passes: how stacks and mappings stand one behind the other, the mappings are needed first.
#include "daemon/import/gperf_source.h"

#include <algorithm>
#include <limits>

#include "daemon/import/whole_user_memory.h"
#include "daemon/source/proc_scan.h"
#include "libop/base/error.h"
#include "libop/base/text.h"
#include "libop/events/event_catalogue.h"
#include "libop/events/event_table.h"

namespace op::collect {
namespace {

constexpr size_t batch_limit = 256;
constexpr uint64_t ns_in_us = 1000, us_in_s = 1'000'000;
/// A chain that is longer ends there.
constexpr size_t most_callers = 4096;
/// So many lines of mappings are used.
constexpr size_t most_mappings = 65536;

}  // namespace

OpenedRecording open_gperf(ImportedFile file, const ImportOptions&, Diagnostics& notes) {
    auto source = std::make_unique<GperfSource>(std::move(file), notes);
    const bool has_stacks = source->has_stacks();
    return {std::move(source), has_stacks};
}

GperfSource::GperfSource(ImportedFile file, Diagnostics& notes)
    : file_(std::move(file)), profile_(file_.file.bytes(), file_.label) {
    const uint64_t samples = scan();
    if (profile_.damage())
        notes.warn(file_.label + ": cut off or damaged at byte " + std::to_string(*profile_.damage()) +
                   "; the stacks before are used");
    if (profile_.maps().empty())
        notes.warn(file_.label +
                   ": the profile has no list of mappings; all samples are counted in [user], by address");
    describe_session(samples);
    profile_.rewind();
}

/// The number of samples. Afterwards the profile's mappings and damage are known.
uint64_t GperfSource::scan() {
    uint64_t samples = 0;
    while (const auto stack = profile_.next()) {
        samples = add_saturating(samples, stack->count);
        has_stacks_ |= profile_.depth(*stack) > 1;
    }
    return samples;
}

/// A profile is written when the program ends.
void GperfSource::describe_session(uint64_t samples) {
    info_.tool = std::string("opimport ") + OP_VERSION;
    info_.command = "program that gperftools profiled";
    info_.cpu_type = cpu_type_timer;
    info_.cpu_type_name = cpu_models().find_number(cpu_type_timer)->name;
    const uint64_t period_us = std::clamp<uint64_t>(profile_.period_us(), 1, UINT32_MAX / ns_in_us);
    info_.events.push_back({.name = std::string(timer_event), .count = period_us * ns_in_us});
    info_.stop_time = file_.mtime_ns / 1'000'000'000;
    const uint64_t seconds = samples > UINT64_MAX / period_us ? UINT64_MAX : samples * period_us / us_in_s;
    info_.start_time = info_.stop_time - std::min(seconds, info_.stop_time);
}

/// The first line of a file is the program's: the kernel maps that first, and lowest but for some libraries'
/// sake.
void GperfSource::add_mappings() {
    std::vector<MapsLine> lines = parse_maps(profile_.maps());
    if (lines.size() > most_mappings) lines.resize(most_mappings);
    const auto program =
        std::ranges::find_if(lines, [](const MapsLine& line) { return line.path.starts_with('/'); });
    const std::string_view name = program == lines.end() ? user_program : base_name(program->path);
    batch_.emplace_back(Name{0, only_process, only_process, true, name});
    if (profile_.maps().empty()) batch_.emplace_back(whole_user_memory());
    for (const MapsLine& line : lines) {
        texts_.push_back(mapped_path(line, [](const std::string&) { return std::nullopt; }));
        batch_.emplace_back(Mapping{0,
                                    only_process,
                                    {line.start},
                                    line.end - line.start,
                                    line.file_offset,
                                    false,
                                    texts_.back(),
                                    {}});
    }
}

void GperfSource::add(const GperfStack& stack) {
    const size_t callers = std::min(profile_.depth(stack) - 1, most_callers);
    std::vector<uint64_t>& chain = chains_.emplace_back(callers);
    for (size_t i = 0; i < callers; ++i)
        chain[i] = profile_.address(stack, i + 1);
    Sample sample{};
    sample.tgid = sample.tid = only_process;
    sample.mode = CpuMode::user;
    sample.pc = {profile_.address(stack, 0)};
    sample.chain = chain;
    if (has_stacks_) sample.stack_end = StackEnd::frame_pointers;
    constexpr uint64_t most_weight = std::numeric_limits<uint32_t>::max();
    sample.weight = static_cast<uint32_t>(std::min(stack.count, most_weight));
    if (stack.count > most_weight)
        batch_.emplace_back(Lost{stack.count - most_weight, 0, LossCause::saturated});
    if (stack.count > 0) batch_.emplace_back(sample);
}

std::span<const Record> GperfSource::drain() {
    batch_.clear();
    chains_.clear();
    if (!has_begun_) {
        has_begun_ = true;
        add_mappings();
        if (profile_.damage()) batch_.emplace_back(Lost{1, 0, LossCause::damaged_stream});
        return batch_;
    }
    while (batch_.size() < batch_limit) {
        const auto stack = profile_.next();
        if (!stack) break;
        add(*stack);
    }
    return batch_;
}

}  // namespace op::collect
