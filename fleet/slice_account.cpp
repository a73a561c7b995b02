// SPDX-License-Identifier: GPL-2.0-or-later
// Sums over `slices` and `slice_events`.
#include "fleet/slice_account.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "fleet/sample_source.h"
#include "fleet/summaries.h"
#include "libop/base/counted.h"
#include "libop/base/text.h"

namespace op::fleet {
namespace {

/// Events whose period is in ns of a processor's time.
constexpr std::array<std::string_view, 4> clocks = {"TIMER", "cpu-clock", "task-clock", "CPU_CLOCK"};
/// Events that count cycles of a busy processor.
constexpr std::array<std::string_view, 5> cycles = {"CPU_CLK_UNHALTED", "CYCLES", "CPU_CYCLES", "cpu-cycles",
                                                    "cycles"};
/// Losses below are not worth a line.
constexpr uint64_t tolerable = 10'000;

std::string percent_text(double part, double whole) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3g %%", whole > 0 ? 100 * part / whole : 0);
    return text;
}

std::string causes_text(const std::map<std::string, uint64_t>& causes) {
    std::vector<std::pair<uint64_t, std::string>> sorted;
    for (const auto& [cause, n] : causes)
        sorted.emplace_back(n, cause);
    std::ranges::sort(sorted, std::greater{});
    return joined(sorted, ", ",
                  [](const auto& each) { return each.second + " " + std::to_string(each.first); });
}

void add_losses(SliceAccount& account, const std::vector<std::string>& lost_by) {
    for (const std::string& each : lost_by) {
        const size_t equals = each.rfind('=');
        if (equals == each.npos) continue;
        account.lost_by[each.substr(0, equals)] += parse_number(each.substr(equals + 1)).value_or(0);
    }
}

void add_event_times(Server& server, const std::string& condition, const Chosen& chosen,
                     SliceAccount& account) {
    const Rows times = server.query(
        "SELECT sum(enabled_ns), sum(running_ns), countIf(throttled != 0) FROM slice_events FINAL WHERE " +
            condition,
        chosen.tables());
    if (times.empty()) return;
    account.enabled_ns = times.number(0, 0);
    account.running_ns = times.number(0, 1);
    account.throttled = times.number(0, 2);
}

/// The slices with samples of chosen programs, images or releases. Summaries have no slices, but hosts.
std::string sampled_slices(const Chosen& chosen, const std::string& of_event) {
    std::vector<std::string> parts;
    if (!chosen.is_all_summarised)
        parts.push_back("SELECT slice FROM samples WHERE " + chosen.condition() +
                        day_condition(chosen.summarised_days(), false));
    if (!chosen.summarised.empty())
        parts.push_back("SELECT slice FROM slices WHERE " + chosen.slice_condition() +
                        day_condition(chosen.summarised_days(), true) +
                        " AND slice IN (SELECT slice FROM slice_events WHERE " + of_event +
                        ") AND (day, host) IN (SELECT day, host FROM " + summary_rows("day, host", chosen) +
                        ")");
    return "SELECT slice FROM (" + joined(parts, " UNION ALL ") + ")";
}

}  // namespace

SliceAccount account_of(Server& server, const Chosen& chosen) {
    const std::string days = "day >= '" + chosen.from.text() + "' AND day <= '" + chosen.until.text() + "'";
    const std::string of_event = days + " AND event = " + std::to_string(chosen.event.number);
    const bool is_all = !chosen.apps && !chosen.images && !chosen.release_images;
    const std::string slices =
        " FROM slices FINAL WHERE " + chosen.slice_condition() + " AND slice IN (" +
        (is_all ? "SELECT slice FROM slice_events WHERE " + of_event : sampled_slices(chosen, of_event)) +
        ")";
    SliceAccount account;
    const Rows sums = server.query(
        "SELECT count(), countIf(sealed = 0), uniqExact(host), sum(sampled), sum(lost), sum(wall_ms), "
        "sum(mhz), "
        "countIf(mhz > 0)" +
            slices,
        chosen.tables());
    if (sums.size() != 1) return account;
    account.slices = sums.number(0, 0);
    account.unsealed = sums.number(0, 1);
    account.hosts = sums.number(0, 2);
    account.sampled = sums.number(0, 3);
    account.lost = sums.number(0, 4);
    account.wall_ms = sums.number(0, 5);
    if (const uint64_t known = sums.number(0, 7); known > 0)
        account.mhz = sums.real(0, 6) / static_cast<double>(known);
    const Rows losses = server.query("SELECT lost_by" + slices + " AND lost > 0", chosen.tables());
    for (size_t row = 0; row < losses.size(); ++row)
        add_losses(account, losses.strings(row, 0));
    add_event_times(server, of_event + " AND slice IN (SELECT slice" + slices + ")", chosen, account);
    return account;
}

std::vector<std::string> account_remarks(const SliceAccount& account) {
    std::vector<std::string> lines;
    if (account.unsealed > 0)
        lines.push_back(counted(account.unsealed, "slice is", "slices are") + " not complete, of " +
                        std::to_string(account.slices) + ": there may be more samples");
    if (account.lost > 0 && account.lost >= account.sampled / tolerable)
        lines.push_back(
            counted(account.lost, "sample was", "samples were") + " lost while recording, " +
            percent_text(static_cast<double>(account.lost), static_cast<double>(account.sampled)) + ": " +
            causes_text(account.lost_by));
    if (account.running_ns < account.enabled_ns - account.enabled_ns / tolerable)
        lines.push_back(
            "the event was counted for " +
            percent_text(static_cast<double>(account.running_ns), static_cast<double>(account.enabled_ns)) +
            " of the time; samples are as they were taken");
    if (account.throttled > 0)
        lines.push_back("the kernel held the event back in " + counted(account.throttled, "slice"));
    return lines;
}

std::optional<double> seconds_per_sample(const FleetEvent& event, double mhz) {
    if (std::ranges::find(clocks, event.name) != clocks.end())
        return static_cast<double>(event.period) * 1e-9;
    if (std::ranges::find(cycles, event.name) != cycles.end() && mhz > 0)
        return static_cast<double>(event.period) / (mhz * 1e6);
    return std::nullopt;
}

std::optional<double> average_cores(uint64_t samples, const FleetEvent& event, const SliceAccount& account) {
    const auto seconds = seconds_per_sample(event, account.mhz);
    if (!seconds || account.wall_ms == 0) return std::nullopt;
    const double recorded = static_cast<double>(account.wall_ms) / 1e3 / static_cast<double>(account.hosts);
    return static_cast<double>(samples) * *seconds / recorded;
}

}  // namespace op::fleet
