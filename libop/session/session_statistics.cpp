// SPDX-License-Identifier: GPL-2.0-or-later
// Statistics of a session in the classic forms.
#include "libop/session/session_statistics.h"

#include <bit>
#include <cstddef>
#include <cstdio>
#include <ctime>

#include "libop/base/counted.h"
#include "libop/base/text.h"
#include "libop/session/sample_file_layout.h"

namespace op {

namespace {

// Measured on the structs that sample files are written with, so abi always agrees with them.
using Header = RawSampleHeader;
using Descriptor = RawSampleDescriptor;
using Node = RawSampleNode;

struct AbiRow {
    std::string_view name;
    size_t value;
};

constexpr AbiRow abi_rows[] = {
    {"sizeof_double", sizeof(double)},
    {"sizeof_u64", sizeof(uint64_t)},
    {"sizeof_u8", sizeof(uint8_t)},
    {"sizeof_u32", sizeof(uint32_t)},
    {"sizeof_int", sizeof(int)},
    {"sizeof_unsigned_int", sizeof(unsigned)},
    {"sizeof_odb_key_t", sizeof(Node::key)},
    {"sizeof_odb_index_t", sizeof(uint32_t)},
    {"sizeof_odb_value_t", sizeof(Node::value)},
    {"sizeof_odb_node_nr_t", sizeof(Node::next)},
    {"sizeof_odb_descr_t", sizeof(Descriptor)},
    {"sizeof_odb_node_t", sizeof(Node)},
    {"sizeof_struct_opd_header", sizeof(Header)},
    {"offsetof_node_key", offsetof(Node, key)},
    {"offsetof_node_value", offsetof(Node, value)},
    {"offsetof_node_next", offsetof(Node, next)},
    {"offsetof_descr_size", offsetof(Descriptor, size)},
    {"offsetof_descr_current_size", offsetof(Descriptor, current_size)},
    {"offsetof_header_magic", offsetof(Header, magic)},
    {"offsetof_header_version", offsetof(Header, version)},
    {"offsetof_header_cpu_type", offsetof(Header, cpu_type)},
    {"offsetof_header_ctr_event", offsetof(Header, event_code)},
    {"offsetof_header_ctr_um", offsetof(Header, unit_mask)},
    {"offsetof_header_ctr_count", offsetof(Header, count)},
    {"offsetof_header_is_kernel", offsetof(Header, is_kernel)},
    {"offsetof_header_cpu_speed", offsetof(Header, cpu_speed)},
    {"offsetof_header_mtime", offsetof(Header, mtime)},
    {"offsetof_header_cg_to_is_kernel", offsetof(Header, cg_to_is_kernel)},
    {"offsetof_header_anon_start", offsetof(Header, anon_start)},
    {"offsetof_header_cg_to_anon_start", offsetof(Header, cg_to_anon_start)},
    {"little_endian", std::endian::native == std::endian::little},
};

/// The counter file a cause goes to; none for what the user asked not to have.
std::string_view counter_of(LossCause cause) {
    switch (cause) {
        case LossCause::kernel_buffer:
        case LossCause::nested:
        case LossCause::pending:
            return "lost_records_by_kernel";
        case LossCause::no_mapping:
        case LossCause::no_process:
            return "lost_no_mapping";
        case LossCause::kernel_address:
            return "lost_kernel";
        case LossCause::guest:
            return "lost_invalid_hypervisor_addr";
        case LossCause::unknown_event:
        case LossCause::damaged_stream:
            return "lost_invalid_domain";
        case LossCause::sample_file:
        case LossCause::disk_full:
        case LossCause::saturated:
        case LossCause::image_limit:
            return "lost_samplefile";
        case LossCause::user_filtered:
        case LossCause::image_filtered:
            break;
    }
    return "";
}

std::string losses_text(const Ledger& ledger) {
    std::string text;
    for (int i = 0; i < loss_causes; ++i) {
        const auto cause = static_cast<LossCause>(i);
        if (const uint64_t lost = ledger.lost(cause))
            text += "  " + std::to_string(lost) + ": " + std::string(loss_text(cause)) + "\n";
    }
    return text;
}

/// The causes; where there are several, with their numbers.
std::string short_losses(const Ledger& ledger) {
    std::vector<std::string> texts;
    for (int i = 0; i < loss_causes; ++i) {
        const auto cause = static_cast<LossCause>(i);
        const uint64_t lost = ledger.lost(cause);
        if (lost == 0) continue;
        const bool is_all = lost == ledger.lost();
        texts.push_back((is_all ? "" : std::to_string(lost) + ": ") + std::string(loss_text(cause)));
    }
    return joined(texts);
}

}  // namespace

std::string date_text(uint64_t seconds) {
    constexpr uint64_t year_9999 = 253402300799;
    if (seconds == 0 || seconds > year_9999) return "unknown";
    const time_t time = static_cast<time_t>(seconds);
    std::tm parts{};
    char text[32];
    if (!::gmtime_r(&time, &parts)) return "unknown";
    return {text, std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &parts)};
}

std::string seconds_text(uint64_t ns) {
    const double seconds = static_cast<double>(ns) / 1e9;
    if (seconds < 0.001) return "less than 0.001 s";
    char text[32];
    std::snprintf(text, sizeof text, seconds < 100 ? "%.3g s" : "%.0f s", seconds);
    return text;
}

std::string abi_text() {
    std::string text;
    for (const AbiRow& row : abi_rows)
        text += std::string(row.name) + " " + std::to_string(row.value) + "\n";
    return text;
}

std::map<std::string_view, uint64_t> statistics(const SessionInfo& info) {
    std::map<std::string_view, uint64_t> counters{{"lost_bt_no_mapping", info.arcs_lost},
                                                  {"lost_no_app_for_kernel_sample", 0},
                                                  {"lost_no_app_for_user_sample", 0}};
    bool is_any_lost = info.arcs_lost != 0;
    for (int i = 0; i < loss_causes; ++i) {
        const auto cause = static_cast<LossCause>(i);
        const std::string_view counter = counter_of(cause);
        if (counter.empty()) continue;
        const uint64_t lost = info.ledger.lost(cause);
        counters[counter] = add_saturating(counters[counter], lost);
        is_any_lost |= lost != 0;
    }
    counters["total_samples"] = is_any_lost ? info.ledger.sampled() : 0;
    return counters;
}

std::string account_text(const SessionInfo& info) {
    const auto line = [](std::string_view name, const std::string& value) {
        return std::string(name) + ": " + value + "\n";
    };
    std::string text =
        "session from " + date_text(info.start_time) + " to " + date_text(info.stop_time) + "\n";
    if (!info.tool.empty()) text += line("tool", printable(info.tool));
    if (!info.command.empty()) text += line("profiled", printable(info.command));
    text += line("samples taken", std::to_string(info.ledger.sampled()));
    text += line("samples stored", std::to_string(info.ledger.stored()));
    text += line("samples lost", std::to_string(info.ledger.lost())) + losses_text(info.ledger);
    if (const uint64_t stacks = info.stacks.stored(); stacks != 0)
        text += line("call stacks", std::to_string(stacks)) +
                line("call stacks complete", std::to_string(info.stacks.complete));
    if (info.arcs_stored != 0) text += line("call-graph arcs stored", std::to_string(info.arcs_stored));
    if (info.arcs_lost != 0) text += line("call-graph arcs lost", std::to_string(info.arcs_lost));
    if (info.stacks.cut != 0) text += line("call stacks cut", std::to_string(info.stacks.cut));
    if (info.stacks.lost != 0) text += line("call stacks lost", std::to_string(info.stacks.lost));
    if (info.side_band_lost != 0)
        text += line("records of processes and mappings lost", std::to_string(info.side_band_lost));
    if (info.mappings_left_out != 0)
        text += line("mappings left out", std::to_string(info.mappings_left_out));
    if (info.missed_periods != 0)
        text += line("timer periods without a sample", std::to_string(info.missed_periods));
    if (info.recorder_cpu.is_measured())
        text += line("CPU time of the recorder",
                     seconds_text(info.recorder_cpu.used) + " in " + seconds_text(info.recorder_cpu.elapsed));
    for (const DroppedSession& dropped : info.dropped.rows())
        text += line("dropped before it was pushed",
                     printable(dropped.session) + ", " + counted(dropped.samples, "sample"));
    for (const RecordedEvent& event : info.events)
        if (event.throttled) text += line("held back by the kernel", printable(event.name));
    return text + "\n";
}

std::string samples_text(const Ledger& ledger) {
    std::string text = counted(ledger.stored(), "sample");
    if (ledger.lost() > 0)
        text += ", " + std::to_string(ledger.lost()) + " lost (" + short_losses(ledger) + ")";
    return text;
}

std::vector<std::string> side_band_notes(const SessionInfo& info) {
    std::vector<std::string> notes;
    const std::string unsure = info.unsure_samples == 0 ? "no sample is in doubt for it"
                                                        : counted(info.unsure_samples, "sample") +
                                                              " may be under what their process was before";
    if (info.side_band_lost != 0)
        notes.push_back(counted(info.side_band_lost, "record of processes and mappings was",
                                "records of processes and mappings were") +
                        " lost or damaged: the kernel's buffer for them was "
                        "full, or they could not be read; " +
                        unsure);
    if (info.mappings_left_out != 0)
        notes.push_back(counted(info.mappings_left_out, "mapping was", "mappings were") +
                        " left out, as there were too many to keep; samples in them are stored "
                        "or lost as no_mapping");
    return notes;
}

std::vector<std::string> stack_loss_notes(const StackAccount& stacks) {
    const std::string remedy = "; begin a new session, keep fewer things apart, or make room on its disk";
    std::vector<std::string> notes;
    if (stacks.cut != 0)
        notes.push_back(
            std::to_string(stacks.cut) + " of " + counted(stacks.stored(), "call stack") +
            (stacks.cut == 1 ? " was" : " were") +
            " cut: there was no room for their innermost functions, so that their samples count for "
            "a caller" +
            remedy);
    if (stacks.lost != 0)
        notes.push_back(std::to_string(stacks.lost) + " of " +
                        counted(add_saturating(stacks.stored(), stacks.lost), "call stack") +
                        (stacks.lost == 1 ? " was" : " were") + " lost: there was no room for them" + remedy);
    return notes;
}

std::optional<std::string> dropped_sessions_note(const DroppedSessions& dropped) {
    if (dropped.is_empty()) return std::nullopt;
    const DroppedSession& first = dropped.rows().front();
    const size_t others = dropped.rows().size() - 1;
    return "while this session was recorded, " + counted(dropped.samples(), "sample") +
           " of earlier sessions were deleted to make room before they had been pushed: " +
           (first.session.empty() ? "several" : printable(first.session)) +
           (others == 0 ? "" : " and " + counted(others, "other"));
}

std::optional<std::string> missed_periods_note(const SessionInfo& info) {
    const uint64_t periods = add_saturating(info.ledger.sampled(), info.missed_periods);
    if (info.missed_periods == 0 || info.missed_periods < periods / 100) return std::nullopt;
    return std::to_string(info.missed_periods) + " of " + counted(periods, "period") +
           " of the timer ended without a sample: interrupts were off, a hypervisor had taken the "
           "processor, or the period is too short; code that ran meanwhile has too few samples";
}

}  // namespace op
