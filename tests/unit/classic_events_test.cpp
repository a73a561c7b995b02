// SPDX-License-Identifier: GPL-2.0-or-later
// The installed event files against what the classic suite knows: tests/fixtures/events/classic, whose head
// has the format.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "libop/base/fd.h"
#include "libop/base/tagged_lines.h"
#include "libop/base/text.h"
#include "libop/events/event_catalogue.h"
#include "tests/unit/fixtures.h"

namespace op {

namespace {

/// A value of a unit mask and its flags that reach the hardware.
using MaskValue = std::pair<uint64_t, uint32_t>;

/// An event of the classic suite.
struct ClassicEvent {
    std::string name;
    uint32_t code = 0;
    std::string counters;  ///< as in the event files; "-": not known
    std::string sets;      ///< with commas between
    uint64_t minimum_count = 0;
};

/// A type of the classic suite.
struct ClassicType {
    std::vector<std::string> includes;
    std::map<std::string, std::set<MaskValue>> sets{{"zero", {{0, 0}}}};
    std::vector<ClassicEvent> events;
};
using ClassicTypes = std::map<std::string, ClassicType>;

uint32_t flag_bits(std::string_view text) {
    constexpr std::string_view counter_mask = "cmask=";
    if (text == "edge") return extra_bits::edge;
    if (text == "any") return extra_bits::any;
    if (text == "inv") return extra_bits::inverted;
    const uint64_t value = parse_number(text.substr(counter_mask.size()), 16).value();
    return static_cast<uint32_t>(value) << extra_bits::counter_mask_shift;
}

MaskValue mask_value(std::string_view text) {
    const size_t slash = text.find('/');
    MaskValue value{parse_number(text.substr(0, slash), 16).value(), 0};
    if (slash == text.npos) return value;
    for (const std::string_view flag : split(text.substr(slash + 1), ','))
        value.second |= flag_bits(flag);
    return value;
}

class ClassicReader {
public:
    ClassicTypes read(std::string_view text) {
        FileLine place{"classic", 0};
        each_line(text, place, [this](std::string_view line) {
            if (line.front() == ' ') return rest(line);
            std::string_view words = line;
            kind_ = take_word(words);
            if (kind_ == "type")
                type_ = &types_[std::string(trimmed(words))];
            else if (kind_ == "include")
                type_->includes.emplace_back(trimmed(words));
            else if (kind_ == "=")
                heading(words);
            else if (kind_ == "set")
                set(words);
            else
                rest(line);
        });
        return std::move(types_);
    }

private:
    void heading(std::string_view words) {
        model_.counters = take_word(words);
        model_.sets = take_word(words);
        model_.minimum_count = parse_number(take_word(words)).value();
    }

    void set(std::string_view words) {
        set_ = &type_->sets[std::string(take_word(words))];
        rest(words);
    }

    void rest(std::string_view words) {
        for (auto word = take_word(words); !word.empty(); word = take_word(words)) {
            if (kind_ == "set")
                set_->insert(mask_value(word));
            else if (word.front() == '%')
                grouped(word.substr(1));
            else
                event(word);
        }
    }

    void event(std::string_view word) {
        const size_t colon = word.find(':');
        model_.code = static_cast<uint32_t>(parse_number(word.substr(0, colon), 16).value());
        model_.name = word.substr(colon + 1);
        type_->events.push_back(model_);
    }

    void grouped(std::string_view word) {
        const size_t colon = word.find(':');
        for (const std::string_view group : split(word.substr(colon + 1), ',')) {
            model_.name = std::string(word.substr(0, colon)) + "_GRP" + std::string(group);
            model_.code = static_cast<uint32_t>(parse_number(group).value() * 16 +
                                                parse_number(model_.counters).value());
            type_->events.push_back(model_);
        }
    }

    ClassicTypes types_;
    ClassicType* type_ = nullptr;
    std::set<MaskValue>* set_ = nullptr;
    std::string kind_;
    ClassicEvent model_;
};

/// The type with all it includes.
ClassicType whole_type(const ClassicTypes& types, const std::string& name) {
    ClassicType whole = types.at(name);
    for (const std::string& include : types.at(name).includes) {
        const ClassicType other = whole_type(types, include);
        whole.sets.insert(other.sets.begin(), other.sets.end());
        whole.events.insert(whole.events.end(), other.events.begin(), other.events.end());
    }
    return whole;
}

uint32_t counter_bits(const std::string& list) {
    uint32_t bits = 0;
    for (const std::string_view counter : split(list, ','))
        bits |= 1u << parse_number(counter).value();
    return bits;
}

bool has_counters(const CatalogueEvent& ours, const std::string& theirs) {
    constexpr std::string_view facility = "ext:";
    if (theirs == "-") return true;
    if (theirs.starts_with(facility)) return ours.extended == theirs.substr(facility.size());
    return theirs == "cpuid" ? ours.counters_of_cpuid : ours.counters == counter_bits(theirs);
}

/// True if our event has each unit mask of the classic type's sets.
bool has_masks(const CatalogueEvent& ours, const ClassicType& type, const std::string& sets) {
    std::set<MaskValue> values;
    for (const UnitMaskEntry& entry : ours.unit_masks->entries)
        values.insert({entry.value, entry.extra & extra_bits::real});
    for (const std::string_view set : split(sets, ','))
        if (!std::ranges::includes(values, type.sets.at(std::string(set)))) return false;
    return true;
}

struct Score {
    size_t events = 0, unknown = 0, different = 0;
    std::string first;  ///< of the differences, a few
};

void compare(const EventCatalogue& catalogue, const ClassicType& type, Score& score) {
    std::map<std::string_view, std::vector<const CatalogueEvent*>> by_name;
    for (const CatalogueEvent& event : catalogue.events)
        by_name[event.name].push_back(&event);
    for (const ClassicEvent& theirs : type.events) {
        ++score.events;
        const auto& known = by_name[theirs.name];
        if (known.empty()) ++score.unknown;
        const auto is_same = [&](const CatalogueEvent* ours) {
            return ours->code == theirs.code && has_counters(*ours, theirs.counters) &&
                   ours->minimum_count == theirs.minimum_count && has_masks(*ours, type, theirs.sets);
        };
        if (std::ranges::any_of(known, is_same)) continue;
        ++score.different;
        score.first += catalogue.model.name + " " + theirs.name + "\n";
    }
}

}  // namespace

TEST(ClassicEvents, are_known_with_their_codes_counters_unit_masks_and_minimum_counts) {
    const char* const source = std::getenv("srcdir");
    const std::string dir = std::string(source ? source : ".") + "/events";
    const CpuModels models = load_cpu_models(dir);
    const ClassicTypes types =
        ClassicReader().read(read_file_if_any(test::fixture("events/classic")).value());
    Score score;
    size_t compared = 0;
    for (const auto& [name, type] : types) {
        const CpuModel* const model = models.find(name);
        if (!model) continue;  // is only there to be included
        ++compared;
        compare(load_catalogue(*model, {dir, {}, false, ""}), whole_type(types, name), score);
    }
    EXPECT_EQ(compared, 97u);
    EXPECT_EQ(score.events, 14045u);
    EXPECT_EQ(score.unknown, 0u);
    EXPECT_LE(score.different, score.events / 100) << score.first;
}

}  // namespace op
