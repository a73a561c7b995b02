// SPDX-License-Identifier: GPL-2.0-or-later
// Types of records that perf itself writes into its files. Source:
// tools/perf/Documentation/perf.data-file-format.txt of Linux.
#pragma once

#include <cstdint>

namespace op::collect {

/// The kernel's own types are below it.
inline constexpr uint32_t perf_record_header_attr = 64;
inline constexpr uint32_t perf_record_tracing_data = 66;
inline constexpr uint32_t perf_record_build_id = 67;
inline constexpr uint32_t perf_record_finished_round = 68;
inline constexpr uint32_t perf_record_auxtrace = 71;
inline constexpr uint32_t perf_record_event_update = 78;
inline constexpr uint32_t perf_record_header_feature = 80;
inline constexpr uint32_t perf_record_compressed = 81;
inline constexpr uint32_t perf_record_compressed2 = 83;

}  // namespace op::collect
