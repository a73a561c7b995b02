// SPDX-License-Identifier: GPL-2.0-or-later
// Words become numbers by what the server has; numbers go along with a query as tables.
#include "fleet/selection.h"

#include <algorithm>
#include <map>

#include "libop/base/error.h"
#include "libop/base/text.h"
#include "libop/session/session_info.h"

namespace op::fleet {
namespace {

// The tables that conditions refer to.
constexpr const char* app_table = "chosen_apps";
constexpr const char* image_table = "chosen_images";
constexpr const char* host_table = "chosen_hosts";
constexpr const char* release_table = "chosen_release_images";
constexpr const char* used_table = "used_images";

std::string in(std::string_view column, std::string_view table) {
    return std::string(column) + " IN (SELECT value FROM " + std::string(table) + ")";
}

std::string day_condition(Day from, Day until) {
    return "day >= '" + from.text() + "' AND day <= '" + until.text() + "'";
}

using Numbers = std::vector<uint64_t>;

/// The numbers of all words, sorted, each once; nothing without words. Throws if a word has none.
template <class NumbersOf>
std::optional<Numbers> numbers_of(const std::vector<std::string>& words, const char* option,
                                  NumbersOf numbers) {
    if (words.empty()) return std::nullopt;
    Numbers all;
    for (const std::string& word : words) {
        const Numbers some = numbers(word);
        if (some.empty())
            throw_usage(std::string("--") + option + "=" + printable(word).substr(0, 200) +
                        ": the server has none");
        all.insert(all.end(), some.begin(), some.end());
    }
    std::ranges::sort(all);
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
}

std::optional<Numbers> chosen_hosts(Server& server, const std::vector<std::string>& words) {
    if (words.empty()) return std::nullopt;
    const Rows rows = server.query("SELECT DISTINCT host, hostname FROM slices");
    return numbers_of(words, "host", [&](const std::string& word) {
        Numbers hosts;
        for (size_t row = 0; row < rows.size(); ++row)
            if (matches_word(word, rows.text(row, 1))) hosts.push_back(rows.number(row, 0));
        return hosts;
    });
}

void choose_days(Server& server, const Selection& selection, Chosen& chosen) {
    const Rows rows = server.query("SELECT min(day), max(day), count() FROM slices");
    if (rows.size() != 1 || rows.number(0, 2) == 0)
        throw_input(server.url().text() + " has no session yet; send some with oppush");
    chosen.from = selection.from.value_or(parse_day(rows.text(0, 0)).value_or(Day()));
    chosen.until = selection.until.value_or(parse_day(rows.text(0, 1)).value_or(Day()));
    if (chosen.until < chosen.from && selection.from && selection.until)
        throw_usage("--until=" + chosen.until.text() + " is before --from=" + chosen.from.text());
}

std::map<uint64_t, FleetEvent> read_events(Server& server) {
    const Rows rows = server.query("SELECT event, name, period, unit_mask, kernel, user FROM events FINAL");
    std::map<uint64_t, FleetEvent> events;
    for (size_t row = 0; row < rows.size(); ++row)
        events[rows.number(row, 0)] = {rows.number(row, 0),      rows.text(row, 1),
                                       rows.number(row, 2),      rows.number(row, 3),
                                       rows.number(row, 4) != 0, rows.number(row, 5) != 0};
    return events;
}

class EventChoice {
public:
    EventChoice(Server& server, const Selection& selection) : server_(server), selection_(selection) {}

    void choose(Chosen& chosen) {
        chosen_ = &chosen;
        const auto known = read_events(server_);
        std::vector<FleetEvent> candidates = counted(known);
        if (candidates.empty() && !selection_.event.empty())
            throw_usage("--event=" + printable(selection_.event).substr(0, 200) + ": the server has none" +
                        others(known));
        if (candidates.size() > 1) sort_by_samples(candidates);
        if (candidates.empty())
            throw_input("no samples of " + chosen.from.text() + " to " + chosen.until.text() + " match");
        chosen.event = candidates.front();
        chosen.other_events.assign(candidates.begin() + 1, candidates.end());
    }

private:
    /// Those of the slices that match the word.
    std::vector<FleetEvent> counted(const std::map<uint64_t, FleetEvent>& known) {
        const Rows rows = server_.query("SELECT DISTINCT event FROM slice_events WHERE " +
                                        day_condition(chosen_->from, chosen_->until));
        std::vector<FleetEvent> events;
        for (size_t row = 0; row < rows.size(); ++row) {
            const auto at = known.find(rows.number(row, 0));
            if (at != known.end() && at->second.matches(selection_.event)) events.push_back(at->second);
        }
        return events;
    }

    /// The one with most samples first, those without any dropped.
    void sort_by_samples(std::vector<FleetEvent>& events) {
        const Chosen& c = *chosen_;
        std::map<uint64_t, uint64_t> samples;
        // Days whose samples were dropped are in function_days.
        for (const char* const table : {"samples", "function_days"}) {
            const Rows rows = server_.query("SELECT event, sum(hits) FROM " + std::string(table) + " WHERE " +
                                                c.condition() + " GROUP BY event",
                                            c.tables());
            for (size_t row = 0; row < rows.size(); ++row)
                samples[rows.number(row, 0)] = std::max(samples[rows.number(row, 0)], rows.number(row, 1));
        }
        std::erase_if(events, [&](const FleetEvent& event) { return samples[event.number] == 0; });
        std::ranges::sort(events, [&](const FleetEvent& a, const FleetEvent& b) {
            const uint64_t in_a = samples[a.number], in_b = samples[b.number];
            return in_a != in_b ? in_a > in_b : a.spec() < b.spec();
        });
    }

    static std::string others(const std::map<uint64_t, FleetEvent>& known) {
        std::vector<std::string> specs;
        for (const auto& [number, event] : known)
            specs.push_back(printable(event.spec()));
        return specs.empty() ? "" : "; it has " + short_list(specs);
    }

    Server& server_;
    const Selection& selection_;
    Chosen* chosen_ = nullptr;
};

}  // namespace

std::string FleetEvent::spec() const {
    return RecordedEvent{
        .name = name, .count = period, .unit_mask = unit_mask, .kernel = kernel, .user = user}
        .spec();
}

bool FleetEvent::matches(std::string_view words) const {
    const std::string whole = spec();
    return words.empty() || whole == words || (whole.starts_with(words) && whole[words.size()] == ':');
}

InputTable input_numbers(std::string name, const std::vector<uint64_t>& values) {
    InputTable table{std::move(name), "value UInt64", {}};
    for (const uint64_t value : values) {
        table.rows.add_u64(value);
        table.rows.end_row();
    }
    return table;
}

std::string Chosen::condition(SampleTable table) const {
    std::string text = slice_condition();
    if (event.number != 0) text += " AND event = " + std::to_string(event.number);
    if (apps) text += " AND " + in("app", app_table);
    const bool has_image = table == SampleTable::with_image;
    if (images && has_image) text += " AND " + in("image", image_table);
    if (used_images && has_image) text += " AND " + in("image", used_table);
    if (release_images)
        text += has_image ? " AND (" + in("app", release_table) + " OR " + in("image", release_table) + ")"
                          : " AND " + in("app", release_table);
    return text;
}

std::string Chosen::slice_condition() const {
    std::string text = day_condition(from, until);
    if (hosts) text += " AND " + in("host", host_table);
    return text;
}

std::vector<Day> Chosen::summarised_days() const {
    std::vector<Day> days;
    for (const DaySummary& summary : summarised)
        days.push_back(summary.day);
    return days;
}

std::vector<InputTable> Chosen::tables() const {
    std::vector<InputTable> tables;
    const auto add = [&](const char* name, const std::optional<Numbers>& numbers) {
        if (numbers) tables.push_back(input_numbers(name, *numbers));
    };
    add(app_table, apps);
    add(image_table, images);
    add(host_table, hosts);
    add(release_table, release_images);
    add(used_table, used_images);
    return tables;
}

Chosen choose_slices(Server& server, const Selection& selection) {
    Chosen chosen;
    choose_days(server, selection, chosen);
    chosen.hosts = chosen_hosts(server, selection.hosts);
    return chosen;
}

Chosen choose(Server& server, const Selection& selection, const FleetImages& images) {
    Chosen chosen = choose_slices(server, selection);
    const auto matching = [&](const std::string& word) { return images.matching(word); };
    chosen.apps = numbers_of(selection.apps, "app", matching);
    chosen.images = numbers_of(selection.images, "image", matching);
    chosen.release_images = numbers_of(selection.releases, "release",
                                       [&](const std::string& word) { return images.of_release(word); });
    EventChoice(server, selection).choose(chosen);
    return chosen;
}

}  // namespace op::fleet
