// SPDX-License-Identifier: GPL-2.0-or-later
// The account of a run.
#include "daemon/collect/collector.h"

namespace op::collect {
namespace {

/// Losses that belong to no CPU in particular.
constexpr uint32_t any_cpu = UINT32_MAX;

}  // namespace

void Collector::note_limit() {
    notes_.warn(
        "the limits on images and sample files are reached: further samples (image_limit) and arcs are lost");
}

void Collector::begin_run(uint64_t start_time) {
    files_.close_all();
    files_.begin_run();
    stacks_.close();
    stacks_.begin_run();
    table_.begin_run();
    ledger_ = {};
    lost_ = run_.begin = 0;
    arcs_lost_ = 0;
    has_refused_arcs_ = saw_kernel_ = false;
    kernel_pages_.clear();
    to_keep_.clear();
    images_.begin_run();
    keeper_.begin_run();
    commands_.clear();
    drop_held();
    info_.start_time = start_time;
    info_.side_band_lost = info_.unsure_samples = info_.missed_periods = 0;
    for (RecordedEvent& event : info_.events) {
        event.throttled = false;
        event.time = {};
    }
    prepare_stacks();
}

SessionInfo Collector::flush_and_account() {
    count_named_run();
    SessionInfo info = info_;
    const StoredCounts counts = files_.flush_and_count();
    info.ledger.merge(ledger_);
    info.ledger.add_stored(held_weight_);  // what waits does not count yet
    info.ledger.set_stored(0);
    info.ledger.add_stored(counts.samples.stored);
    info.ledger.add_lost(LossCause::saturated, any_cpu, counts.samples.lost_saturated);
    info.ledger.add_lost(LossCause::disk_full, any_cpu, counts.samples.lost_no_space);
    info.ledger.add_lost(LossCause::image_limit, any_cpu, counts.samples.lost_limit);
    info.arcs_stored = counts.arcs.stored;
    info.arcs_lost =
        arcs_lost_ + counts.arcs.lost_saturated + counts.arcs.lost_no_space + counts.arcs.lost_limit;
    if (info.ledger.lost(LossCause::image_limit) > 0 || counts.arcs.lost_limit > 0 || has_refused_arcs_)
        note_limit();
    info.stacks = stacks_.account();
    info.mappings_left_out = table_.left_out_mappings();
    info.names = commands_.describe(names_);
    if (options_.separation.thread && table_.left_out_thread_names() > 0) info.names.set_left_out_threads();
    images_.describe(info);
    return info;
}

}  // namespace op::collect
