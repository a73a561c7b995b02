// SPDX-License-Identifier: GPL-2.0-or-later
// Parsing event descriptions.
#include "libop/events/event_file.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "libop/base/tagged_lines.h"
#include "libop/base/text.h"

namespace op {

namespace {

constexpr size_t deepest_include = 8;
constexpr size_t most_merged = 64;
constexpr unsigned greatest_filter = 31, greatest_counter = 31;

/// The CPU type that an include line names; nothing for any other line.
std::optional<std::string> included_type(std::string_view line, const FileLine& place) {
    constexpr std::string_view tag = "include:";
    line = skip_blanks(line);
    if (!line.starts_with(tag)) return std::nullopt;
    line.remove_prefix(tag.size());
    const std::string_view name = line.substr(0, line.find_first_of(" \t\r#"));
    const std::string_view rest = skip_blanks(line.substr(name.size()));
    if (name.empty()) place.fail("include: names no CPU type");
    if (!rest.empty() && rest.front() != '#') place.fail("include: needs a line of its own");
    return std::string(name);
}

/// A set with where it is from.
struct PlacedSet {
    std::shared_ptr<const UnitMaskSet> set;
    FileLine place;
    size_t depth = 0;  ///< of includes
    bool is_used = false;
};

/// An event with where it is from.
struct PlacedEvent {
    EventDescription event;
    size_t depth = 0;  ///< of includes
};

class UnitMaskParser {
public:
    /// Adds a file's sets to `sets`.
    UnitMaskParser(std::map<std::string, PlacedSet, std::less<>>& sets, size_t depth)
        : sets_(sets), depth_(depth) {}

    void header(std::string_view line, const FileLine& place) {
        finish();
        place_ = place;
        set_.emplace();
        Tags tags(line, place_, false);
        set_->name = tags.take("name");
        set_->kind = kind(tags.take("type"));
        default_of(tags.take("default"));
        tags.expect_no_more();
    }

    void entry(std::string_view line, const FileLine& place) {
        if (!set_) place.fail("an entry before the first 'name:' line");
        UnitMaskEntry entry;
        entry.value = parse_hex(take_word(line), place);
        line = trimmed(line);
        if (line.starts_with("extra:")) extra(line, entry, place);
        entry.description = trimmed(line);
        set_->entries.push_back(std::move(entry));
    }

    /// To be called at the file's end.
    void finish() {
        if (!set_) return;
        if (const std::string fault = unit_mask_fault(*set_); !fault.empty())
            place_.fail("unit masks '" + set_->name + "': " + fault);
        const auto known = sets_.find(set_->name);
        if (known == sets_.end() || known->second.depth > depth_)
            sets_[set_->name] = {std::make_shared<const UnitMaskSet>(*set_), place_, depth_, false};
        else if (known->second.place.file == place_.file)
            place_.fail("unit masks '" + set_->name + "' are already in line " +
                        std::to_string(known->second.place.line));
        set_.reset();
    }

private:
    UnitMaskKind kind(std::string_view word) const {
        for (const auto kind : {UnitMaskKind::mandatory, UnitMaskKind::bitmask, UnitMaskKind::exclusive})
            if (word == to_text(kind)) return kind;
        place_.fail("type '" + std::string(word) + "' is not mandatory, bitmask or exclusive");
    }

    void default_of(std::string_view word) {
        if (word.starts_with("0x") || word.starts_with("0X"))
            set_->default_value = parse_hex(word, place_);
        else
            set_->default_name = word;
    }

    static void extra(std::string_view& line, UnitMaskEntry& entry, const FileLine& place) {
        std::string_view flags = take_word(line);
        flags.remove_prefix(flags.find(':') + 1);
        for (const std::string_view flag : split(flags, ','))
            if (!flag.empty()) entry.extra |= extra_flag(flag, place);
        if (flags.empty()) entry.extra = extra_bits::named;
        if (entry.extra & extra_bits::real) entry.extra |= static_cast<uint32_t>(entry.value & 0xff) << 8;
        entry.name = take_word(line);
        if (entry.name.empty()) place.fail("no name after extra:");
        if (parse_c_integer(entry.name)) place.fail("the name '" + entry.name + "' is a number");
        if (entry.name.find_first_of(":,") != std::string::npos)
            place.fail("the name '" + entry.name + "' holds a ':' or ','");
    }

    static uint32_t extra_flag(std::string_view flag, const FileLine& place) {
        constexpr std::string_view mask = "cmask=";
        if (flag == "edge") return extra_bits::edge;
        if (flag == "any") return extra_bits::any;
        if (flag == "inv") return extra_bits::inverted;
        if (flag == "pebs") return extra_bits::pebs;
        if (!flag.starts_with(mask)) place.fail("unknown flag '" + std::string(flag) + "' after extra:");
        std::string_view digits = flag.substr(mask.size());
        if (digits.starts_with("0x") || digits.starts_with("0X")) digits.remove_prefix(2);
        const auto value = parse_number(digits, 16);
        if (!value || *value > 0xff) place.fail("'" + std::string(flag) + "' is not cmask=HEX up to ff");
        return static_cast<uint32_t>(*value) << extra_bits::counter_mask_shift;
    }

    std::map<std::string, PlacedSet, std::less<>>& sets_;
    size_t depth_;
    FileLine place_;
    std::optional<UnitMaskSet> set_;
};

/// Reads texts and what they include: first all unit masks, then the events, which name them.
class EventParser {
public:
    explicit EventParser(const EventIncluder& include) : include_(include) {}

    std::vector<EventDescription> parse(const EventTexts& texts) {
        read_unit_masks(texts);
        seen_.clear();
        read_events(texts);
        for (const auto& [name, placed] : sets_)
            if (!placed.is_used && placed.depth == 0)
                placed.place.fail("unit masks '" + name + "' are used by no event");
        return outermost_events();
    }

private:
    void read_unit_masks(const EventTexts& texts) {
        FileLine place{texts.label + "/unit_masks", 0};
        UnitMaskParser parser(sets_, depth_);
        each_line(texts.unit_masks, place, [&](std::string_view line) {
            if (line.front() == '\t' || line.front() == ' ') return parser.entry(line, place);
            const auto type = included_type(line, place);
            if (!type) return parser.header(line, place);
            parser.finish();
            include(*type, place, [this](const EventTexts& other) { read_unit_masks(other); });
        });
        parser.finish();
    }

    void read_events(const EventTexts& texts) {
        FileLine place{texts.label + "/events", 0};
        each_line(texts.events, place, [&](std::string_view line) {
            const auto type = included_type(line, place);
            if (!type) return event(line, place);
            include(*type, place, [this](const EventTexts& other) { read_events(other); });
        });
    }

    template <class Read>
    void include(const std::string& type, const FileLine& place, Read read) {
        if (std::ranges::find(path_, type) != path_.end()) place.fail("'" + type + "' includes itself");
        if (!seen_.insert(type).second) return;
        if (depth_ == deepest_include)
            place.fail("more than " + std::to_string(deepest_include) + " includes in one another");
        const auto texts = include_(type);
        if (!texts) place.fail("there are no event files of '" + type + "'");
        path_.push_back(type);
        ++depth_;
        read(*texts);
        --depth_;
        path_.pop_back();
    }

    void event(std::string_view line, const FileLine& place) {
        EventDescription event;
        Tags tags(line, place, true);
        event.description = line;
        event.name = tags.take("name");
        if (event.name.find_first_of("/.,:") != std::string::npos)
            place.fail("the name '" + event.name + "' holds a '/', '.', ',' or ':'");
        event.code = parse_hex(tags.take("event"), place);
        event.minimum_count = parse_decimal(tags.take("minimum"), UINT32_MAX, place);
        if (const auto filter = tags.take_optional("filter"))
            event.filter = static_cast<unsigned>(parse_decimal(*filter, greatest_filter, place));
        if (const auto extended = tags.take_optional("ext")) event.extended = *extended;
        counters(tags, event, place);
        event.unit_masks = unit_masks(tags.take("um"), place);
        tags.expect_no_more();
        const auto known = least_depth_.try_emplace(event.name, depth_).first;
        known->second = std::min(known->second, depth_);
        events_.push_back({std::move(event), depth_});
    }

    /// The events but for those whose name a file above has.
    std::vector<EventDescription> outermost_events() {
        std::vector<EventDescription> kept;
        for (PlacedEvent& placed : events_)
            if (placed.depth == least_depth_.at(placed.event.name)) kept.push_back(std::move(placed.event));
        return kept;
    }

    static void counters(Tags& tags, EventDescription& event, const FileLine& place) {
        const auto list = tags.take_optional("counters");
        if (!list && event.extended.empty()) place.fail("no tag 'counters:'");
        if (!list) return;
        event.counters_of_cpuid = *list == "cpuid";
        if (event.counters_of_cpuid) return;
        for (const std::string_view number : split(*list, ','))
            event.counters |= 1u << parse_decimal(number, greatest_counter, place);
    }

    std::shared_ptr<const UnitMaskSet> unit_masks(std::string_view names, const FileLine& place) {
        if (const auto known = sets_.find(names); known != sets_.end()) {
            known->second.is_used = true;
            return known->second.set;
        }
        UnitMaskSet merged;
        merged.name = names;
        for (const std::string_view name : split(names, ',')) {
            const auto part = sets_.find(name);
            if (part == sets_.end()) place.fail("there are no unit masks '" + std::string(name) + "'");
            part->second.is_used = true;
            merge(merged, *part->second.set, place);
        }
        if (const std::string fault = unit_mask_fault(merged, true); !fault.empty())
            place.fail("unit masks '" + merged.name + "' joined: " + fault);
        const PlacedSet placed{std::make_shared<const UnitMaskSet>(std::move(merged)), place, 0, true};
        return sets_.emplace(names, placed).first->second.set;
    }

    static void merge(UnitMaskSet& merged, const UnitMaskSet& part, const FileLine& place) {
        if (part.kind == UnitMaskKind::mandatory)
            place.fail("unit masks '" + part.name + "' are mandatory, which cannot be joined");
        if (!merged.entries.empty() && merged.kind != part.kind)
            place.fail("unit masks '" + merged.name + "' are of different types");
        if (merged.entries.size() + part.entries.size() > most_merged)
            place.fail("unit masks '" + merged.name + "' have more than " + std::to_string(most_merged) +
                       " entries");
        const UnitMaskEntry* const entry = default_entry(part);
        if (!part.default_name.empty() || (entry && (entry->extra & extra_bits::real)))
            place.fail("unit masks '" + part.name +
                       "' have a default that is more than a number, which cannot be joined");
        merged.kind = part.kind;
        merged.default_value |= entry ? entry->value : part.default_value;
        merged.entries.insert(merged.entries.end(), part.entries.begin(), part.entries.end());
    }

    const EventIncluder& include_;
    size_t depth_ = 0;
    std::vector<std::string> path_;  ///< the types being included, outermost first
    std::set<std::string> seen_;
    std::map<std::string, PlacedSet, std::less<>> sets_;
    std::vector<PlacedEvent> events_;
    std::unordered_map<std::string, size_t> least_depth_;  ///< of includes, by event name
};

}  // namespace

std::vector<EventDescription> parse_events(const EventTexts& texts, const EventIncluder& include) {
    return EventParser(include).parse(texts);
}

}  // namespace op
