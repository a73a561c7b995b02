// SPDX-License-Identifier: GPL-2.0-or-later
// What perf_event_open(2) may be asked for here.
#pragma once

namespace op::collect {

/// What this kernel and user may use; taken away one by one when the kernel refuses.
struct PerfFeatures {
    bool kernel_mode = true;  ///< perf_event_paranoid allows kernel samples
    bool lost_count = true;   ///< PERF_FORMAT_LOST (6.0)
    bool build_id = true;     ///< build-ids in MMAP2 (5.12)
    bool precise = true;      ///< precise_ip as the encoding has it
};

}  // namespace op::collect
