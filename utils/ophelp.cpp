// SPDX-License-Identifier: GPL-2.0-or-later
// ophelp: what can be counted, here or on other processors, and whether events can be counted together.
#include <algorithm>
#include <iterator>

#include "libop/base/error.h"
#include "libop/base/nearest.h"
#include "libop/base/text.h"
#include "libop/events/event_mapping.h"
#include "libop/events/event_table.h"
#include "libop/events/ibs_rules.h"
#include "libop/events/kernel_events.h"
#include "libop/events/software_events.h"
#include "libop/session/event_label.h"
#include "utils/event_support.h"
#include "utils/shared/event_listing.h"
#include "utils/shared/options.h"
#include "utils/shared/output.h"
#include "utils/shared/tool.h"

namespace op::tool {
namespace {

/// The answer for processors that no row of the table recognises.
constexpr const char* timer_text =
    "The counters of this machine's processor, if it has any, are not known to oprofile: it samples by the "
    "CPU\nclock, event TIMER:NANOSECONDS, of which there is one for every processor. If an opcontrol of old "
    "occupies\ncounters, opcontrol --deinit sets them free.\n";

struct Options {
    std::string cpu_type;
    bool check = false, ignore_count = false, unit_mask = false, extra_mask = false;
    bool get_cpu_type = false, get_default_event = false, xml = false;
    std::optional<uint64_t> callgraph;
    ShowOptions show;
    std::vector<std::string> words;

    uint64_t count_factor() const { return callgraph.value_or(0) != 0 ? callgraph_count_factor : 1; }
};

CommandSyntax syntax(Options& o) {
    CommandSyntax s;
    s.synopsis = "[EVENT | EVENT:COUNT[:UNITMASK[:KERNEL[:USER]]]... | WORD...]";
    s.options = {
        {"cpu-type", 'c', &o.cpu_type, "use this CPU type (name or number) instead of the machine's", "TYPE"},
        {"check-events", 'e', &o.check, "check events and print the counter of each"},
        {"ignore-count", 'i', &o.ignore_count, "events have no count"},
        {"unit-mask", 'u', &o.unit_mask, "print the unit mask of an event"},
        {"extra-mask", 'E', &o.extra_mask, "print the extra bits of an event's unit mask"},
        {"get-cpu-type", 'r', &o.get_cpu_type, "print the name of the CPU type"},
        {"get-default-event", 'd', &o.get_default_event, "print the event that is counted by default"},
        {"callgraph", 0, &o.callgraph, "check counts for call chains of this depth", "DEPTH"},
        {"xml", 'X', &o.xml, "list events as XML"},
        {"no-pager", 0, &o.show.no_pager, "on a terminal: do not show long lists through a pager"},
    };
    return s;
}

/// The type asked for by name or number.
const CpuModel& asked_type(const CpuModels& models, const std::string& asked) {
    const auto number = parse_number(asked);
    const CpuModel* const model = number && *number < cpu_type_dropped
                                      ? models.find_number(static_cast<uint32_t>(*number))
                                      : models.find(asked);
    if (model) return *model;
    std::vector<std::string> names;
    for (const CpuModel& row : models.rows())
        names.push_back(row.name);
    throw_usage("--cpu-type=" + printable(asked) + ": no such CPU type" +
                did_you_mean(nearest_names(asked, names)));
}

/// One command line at work.
class Help {
public:
    Help(Tool& tool, const Options& options)
        : tool_(tool), o_(options), dir_(events_directory()), models_(cpu_models()) {
        CatalogueSources sources{dir_, {}, true, ""};
        if (o_.cpu_type.empty()) {
            sources.machine = running_processor();
            sources.devices = event_source_devices();
            model_ = &models_.detect(*sources.machine);
        } else {
            model_ = &asked_type(models_, o_.cpu_type);
        }
        if (o_.get_cpu_type) return;
        catalogue_ = load_catalogue(*model_, sources);
        if (!catalogue_.events_are_here()) tool_.notes.warn(no_event_files(dir_));
    }

    void run() {
        if (o_.get_cpu_type) return write_stdout(model_->title + "\n");
        if (o_.get_default_event) return print_default_event();
        if (is_clock_only() && !o_.xml) return print_timer();
        if (o_.unit_mask || o_.extra_mask) return print_unit_mask();
        if (o_.check) return check_events();
        if (o_.words.empty()) return list_all();
        if (are_specs())
            return o_.words.size() == 1 && is_bare(o_.words[0]) ? print_code() : print_counters();
        search();
    }

private:
    /// A CPU type without a default event prints nothing, as in 1.x; scripts depend on it.
    void print_default_event() const {
        if (!model_->default_event) return;
        const EventSpec& spec = *model_->default_event;
        const ResolvedEvent event = resolve_event(catalogue_, spec);
        const uint32_t mask = event.unit_mask.value;
        const std::string number = mask == 0 ? "0" : "0x" + hex(mask);
        write_stdout(event_label(spec.name, spec.count) + ":" +
                     (needs_name(event) ? event.unit_mask.name : number) + ":1:1\n");
    }

    /// True if the number does not identify the unit mask.
    bool needs_name(const ResolvedEvent& event) const {
        if (event.unit_mask.extra & extra_bits::real) return true;
        EventSpec by_number = event.spec;
        by_number.unit_mask = event.unit_mask.value;
        by_number.unit_mask_name.clear();
        const bool zero_always = catalogue_.takes_mask_0();
        return std::holds_alternative<Refusal>(
            choose_unit_mask(*event.event->unit_masks, by_number, zero_always));
    }

    /// True if there is nothing to count by but the clock: of the type timer, on another machine.
    bool is_clock_only() const {
        const auto is_clock = [](const CatalogueEvent& event) { return event.origin == EventOrigin::clock; };
        return std::ranges::all_of(catalogue_.events, is_clock) && model_->number == cpu_type_timer;
    }

    void print_timer() const {
        if (!o_.check) write_stdout(timer_text);
    }

    EventSpec parse(const std::string& word) const {
        return o_.ignore_count ? parse_countless_event_spec(word) : parse_event_spec(word);
    }

    ResolvedEvent resolve(const EventSpec& spec) const {
        return resolve_event(catalogue_, spec, {o_.count_factor(), o_.ignore_count});
    }

    void print_unit_mask() const {
        if (o_.words.size() != 1) throw_usage("--unit-mask and --extra-mask take one event");
        const ResolvedEvent event = resolve(parse(o_.words[0]));
        const UnitMaskChoice& mask = event.unit_mask;
        if (o_.extra_mask) return write_stdout(std::to_string(mask.extra) + "\n");
        write_stdout((needs_name(event) ? mask.name : std::to_string(mask.value)) + "\n");
    }

    /// The counter of each event asked for, as words.
    std::vector<std::string> counters() const {
        std::vector<EventSpec> specs;
        std::vector<ResolvedEvent> events;
        std::vector<CounterMask> masks;
        for (const std::string& word : o_.words) {
            specs.push_back(parse(word));
            events.push_back(resolve(specs.back()));
            masks.push_back(events.back().event->counter_mask());
            if (std::ranges::find(specs, specs.back()) != specs.end() - 1)
                throw_usage("event '" + printable(word) + "': asked for twice; events must be distinct");
        }
        check_ibs_events(model_->name, events);
        const auto numbers = allocate(masks);
        EventList list;
        for (const ResolvedEvent& resolved : events)
            list.push_back(resolved.event);
        note_obstacles_of(list, needs_of(events));
        std::vector<std::string> texts;
        for (size_t i = 0; i < events.size(); ++i) {
            const std::string& extended = events[i].event->extended;
            texts.push_back(numbers[i] >= 0    ? std::to_string(numbers[i])
                            : extended.empty() ? "N/A"
                                               : extended);
        }
        return texts;
    }

    std::vector<int> allocate(const std::vector<CounterMask>& masks) const {
        const auto wanted = static_cast<size_t>(
            std::ranges::count_if(masks, [](const CounterMask& mask) { return mask.has_value(); }));
        if (wanted > catalogue_.counters)
            throw_usage(std::to_string(wanted) + " events need as many counters, but " + model_->title +
                        " has " + std::to_string(catalogue_.counters) + "; ask for fewer");
        if (auto numbers = allocate_counters(masks, catalogue_.counters)) return *numbers;
        throw_usage(
            "these events cannot be counted at once: several of them need the same counter; count them one "
            "after the other");
    }

    void check_events() const {
        if (o_.words.empty()) throw_usage("--check-events: no event given");
        std::string line;
        for (const std::string& counter : counters())
            line += counter + " ";
        write_stdout(line + "\n");
    }

    void print_counters() const {
        std::string lines;
        for (const std::string& counter : counters())
            lines += counter + "\n";
        write_stdout(lines);
    }

    void print_code() const {
        const ResolvedEvent event = resolve(parse(o_.words[0]));
        note_obstacles_of({event.event}, needs_of({&event, 1}));
        const uint32_t code = event.event->code;
        const auto mappings = load_event_mappings(dir_, model_->name);
        const auto mapping = mappings.find(code);
        write_stdout(std::to_string(code) + " " +
                     (mapping == mappings.end() ? "" : to_text(mapping->second)) + "\n");
    }

    static bool is_bare(const std::string& word) { return word.find(':') == std::string::npos; }

    /// Words are events if one has a colon or the first looks like a name; else they are searched for.
    bool are_specs() const {
        const auto is_lower = [](char c) { return c >= 'a' && c <= 'z'; };
        const std::string& first = o_.words[0];
        return !std::ranges::all_of(o_.words, is_bare) || catalogue_.knows(first) ||
               catalogue_.lacks(first) || (o_.words.size() == 1 && std::ranges::none_of(first, is_lower));
    }

    void search() const {
        const EventList found = search_events(catalogue_, o_.words);
        if (found.empty()) fail_search();
        note_obstacles_of(found, needs_of_all(found));
        show(o_.xml ? listing_xml(catalogue_, found, o_.count_factor())
                    : listing_text(catalogue_, found, o_.count_factor()));
    }

    [[noreturn]] void fail_search() const {
        std::string fault = "no event of " + model_->title + " mentions ";
        if (o_.words.size() > 1)
            fault += "all of these words";
        else
            fault += "'" + printable(o_.words[0]) + "'" +
                     did_you_mean(nearest_names(o_.words[0], catalogue_.names()));
        throw_usage(fault + (model_->number == cpu_type_timer ? why_only_clock() : ""));
    }

    /// What there is where the counters are not known, and why nothing else.
    std::string why_only_clock() const {
        std::vector<std::string> names{std::string(timer_event)};
        for (const SoftwareEvent& event : software_events())
            names.emplace_back(event.name);
        return "; the kernel offers no hardware counters here, as in most virtual machines, or those of this "
               "processor are not known, so there are only events of the kernel: " +
               joined(names) + "; --cpu-type=TYPE searches those of another processor";
    }

    void list_all() const {
        if (catalogue_.events.empty())
            throw_usage("no events of " + model_->title + " are known: there is no " + dir_ + "/" +
                        model_->name + "/events, and nothing else knows the processor");
        note_missing();
        const EventList all = all_events(catalogue_);
        note_obstacles_of(all, needs_of_all(all));
        const std::string notice = model_->number == cpu_type_timer ? timer_text + std::string("\n") : "";
        show(o_.xml ? listing_xml(catalogue_, all, o_.count_factor())
                    : listing_head(catalogue_) + notice + listing_text(catalogue_, all, o_.count_factor()));
    }

    void show(const std::string& text) const { show_output(o_.show, "", text); }

    /// Warns of what cannot be counted on any machine or, if they are for this machine, on it.
    void note_obstacles_of(const EventList& events, const EventNeeds& needs) const {
        note_uncounted(*model_, events, tool_.notes);
        if (o_.cpu_type.empty()) note_obstacles(needs, catalogue_.devices, tool_.notes);
    }

    void note_missing() const {
        if (o_.cpu_type.empty() && !catalogue_.missing.empty())
            tool_.notes.warn("not listed, since this processor lacks them (by CPUID leaf 0xA): " +
                             joined(catalogue_.missing));
    }

    Tool& tool_;
    const Options& o_;
    std::string dir_;
    const CpuModels& models_;
    const CpuModel* model_ = nullptr;
    EventCatalogue catalogue_;
};

int ophelp(Tool& tool, int argc, char** argv) {
    Options options;
    const ParsedOptions parsed = parse_options(argc, argv, syntax(options));
    if (parsed.exit_status) return *parsed.exit_status;
    options.words = parsed.words;
    Help(tool, options).run();
    return 0;
}

}  // namespace
}  // namespace op::tool

int main(int argc, char** argv) {
    return op::tool::run(argc, argv, op::tool::ophelp);
}
