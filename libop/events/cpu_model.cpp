// SPDX-License-Identifier: GPL-2.0-or-later
// Parsing the table of CPU models. Which row a machine is, is libop/events/cpu_detect.cpp.
#include "libop/events/cpu_model.h"

#include <algorithm>

#include "libop/base/error.h"
#include "libop/base/tagged_lines.h"
#include "libop/base/text.h"
#include "libop/events/cpu_models_data.h"

namespace op {

namespace {

constexpr uint32_t greatest_number = 0xffff;
constexpr uint64_t most_counters = 32;

NumberRange parse_range(std::string_view text, const FileLine& place) {
    const size_t dash = text.find('-');
    const auto first = parse_number(text.substr(0, dash), 16);
    const auto last = dash == text.npos ? first : parse_number(text.substr(dash + 1), 16);
    if (!first || !last || *last > UINT32_MAX || *first > *last)
        place.fail("'" + std::string(text) + "' is no hexadecimal number or range");
    return {static_cast<uint32_t>(*first), static_cast<uint32_t>(*last)};
}

NumberRanges parse_ranges(std::string_view text, const FileLine& place) {
    if (text == "*") return {NumberRange{}};
    NumberRanges ranges;
    for (const std::string_view part : split(text, ','))
        ranges.push_back(parse_range(part, place));
    return ranges;
}

/// The rest of a line as words.
std::vector<std::string_view> words(std::string_view text) {
    std::vector<std::string_view> all;
    for (auto word = take_word(text); !word.empty(); word = take_word(text))
        all.push_back(word);
    return all;
}

/// Names apart by commas or blanks.
std::vector<std::string> names_of(std::string_view text) {
    std::vector<std::string> names;
    for (const std::string_view word : words(text))
        for (const std::string_view name : split(word, ','))
            if (!name.empty()) names.emplace_back(name);
    return names;
}

CpuRule x86_rule(std::string_view text, const FileLine& place) {
    constexpr std::string_view siblings = "siblings:";
    CpuRule rule;
    const auto fields = words(text);
    if (fields.size() < 3) place.fail("x86: takes a vendor, families and models");
    rule.key = fields[0];
    rule.families = parse_ranges(fields[1], place);
    rule.models = parse_ranges(fields[2], place);
    for (size_t i = 3; i < fields.size(); ++i) {
        if (fields[i] == "perfmon" || fields[i] == "noperfmon")
            rule.perfmon = fields[i] == "perfmon";
        else if (fields[i].starts_with(siblings))
            rule.siblings =
                static_cast<uint32_t>(parse_decimal(fields[i].substr(siblings.size()), UINT32_MAX, place));
        else
            place.fail("'" + std::string(fields[i]) + "' is not perfmon, noperfmon or siblings:N");
    }
    return rule;
}

CpuRule arm_rule(std::string_view text, const FileLine& place) {
    CpuRule rule;
    rule.kind = CpuRule::Kind::arm;
    const auto fields = words(text);
    if (fields.size() != 2) place.fail("arm: takes an implementer and parts");
    rule.families = parse_ranges(fields[0], place);
    rule.models = parse_ranges(fields[1], place);
    return rule;
}

CpuRule names_rule(CpuRule::Kind kind, std::string_view text) {
    CpuRule rule;
    rule.kind = kind;
    rule.names = names_of(text);
    return rule;
}

CpuRule cpuinfo_rule(std::string_view text, const FileLine& place) {
    CpuRule rule;
    rule.kind = CpuRule::Kind::cpuinfo;
    rule.key = take_word(text);
    rule.names.emplace_back(trimmed(text));
    if (rule.names.front().empty()) place.fail("cpuinfo: takes a key and what its value begins with");
    return rule;
}

class Parser {
public:
    explicit Parser(const std::string& label) : place_{label, 0} {}

    std::vector<CpuModel> parse(std::string_view text) {
        each_line(text, place_, [this](std::string_view line) {
            if (line.front() != '\t') return header(line);
            if (rows_.empty()) place_.fail("no 'cpu:NAME' line comes before this one");
            more(skip_blanks(line));
        });
        place_.line = 1;
        if (std::ranges::find(rows_, cpu_type_timer, &CpuModel::number) == rows_.end())
            place_.fail("no row has number:" + std::to_string(cpu_type_timer) + ", the timer");
        return std::move(rows_);
    }

private:
    void header(std::string_view line) {
        Tags tags(line, place_, true);
        CpuModel row;
        row.title = line;
        row.name = tags.take("cpu");
        check_name(row.name);
        numbers(tags, row);
        if (const auto counters = tags.take("counters"); counters != "cpuid")
            row.counters = static_cast<uint32_t>(parse_decimal(counters, most_counters, place_));
        if (const auto spec = tags.take_optional("default")) row.default_event = default_event(*spec);
        tags.expect_no_more();
        rows_.push_back(std::move(row));
    }

    void check_name(const std::string& name) const {
        if (!is_cpu_type_name(name)) place_.fail("'" + name + "' is no name of a CPU type");
        if (std::ranges::find(rows_, name, &CpuModel::name) != rows_.end())
            place_.fail("'" + name + "' has a row already");
    }

    void numbers(Tags& tags, CpuModel& row) const {
        if (const auto text = tags.take_optional("number_0_9")) {
            row.number_0_9 = static_cast<uint32_t>(parse_decimal(*text, greatest_number, place_));
            row.number = cpu_type_dropped + *row.number_0_9;
        }
        if (const auto text = tags.take_optional("number"))
            row.number = static_cast<uint32_t>(parse_decimal(*text, greatest_number, place_));
        for (const CpuModel& other : rows_)
            if ((row.number != cpu_type_unnumbered && other.number == row.number) ||
                (row.number_0_9 && other.number_0_9 == row.number_0_9))
                place_.fail("'" + other.name + "' has that number already");
    }

    EventSpec default_event(std::string_view text) const {
        try {
            return parse_event_spec(text);
        } catch (const Error& error) {
            place_.fail(error.what());
        }
    }

    void more(std::string_view line) {
        CpuModel& row = rows_.back();
        const std::string_view tag = take_word(line);
        const std::string_view rest = trimmed(line);
        if (rest.empty()) place_.fail("'" + std::string(tag) + "' has no value");
        if (tag == "x86:")
            row.rules.push_back(x86_rule(rest, place_));
        else if (tag == "arm:")
            row.rules.push_back(arm_rule(rest, place_));
        else if (tag == "ppc:")
            row.rules.push_back(names_rule(CpuRule::Kind::ppc, rest));
        else if (tag == "s390:")
            row.rules.push_back(names_rule(CpuRule::Kind::s390, rest));
        else if (tag == "cpuinfo:")
            row.rules.push_back(cpuinfo_rule(rest, place_));
        else if (tag == "pfm:")
            row.pmus = names_of(rest);
        else if (tag == "filter:" && rest == "arch_perfmon")
            row.has_perfmon_filter = true;
        else if (tag == "not_counted:")
            row.not_counted = rest;
        else
            place_.fail("'" + printable(line.empty() ? tag : std::string(tag) + " " + std::string(rest)) +
                        "' is not known here");
    }

    FileLine place_;
    std::vector<CpuModel> rows_;
};

template <class Key, class Value>
const CpuModel* find_row(std::span<const CpuModel> rows, Key key, const Value& value) {
    const auto row = std::ranges::find(rows, value, key);
    return row == rows.end() ? nullptr : &*row;
}

}  // namespace

bool is_cpu_type_name(std::string_view name) {
    return std::ranges::all_of(split(name, '/'),
                               [](std::string_view part) { return !part.empty() && part.front() != '.'; });
}

CpuModels CpuModels::parse(std::string_view text, const std::string& label) {
    CpuModels models;
    models.rows_ = Parser(label).parse(text);
    return models;
}

const CpuModel* CpuModels::find(std::string_view name) const {
    return find_row(rows_, &CpuModel::name, name);
}

const CpuModel* CpuModels::find_number(uint32_t number) const {
    return number == cpu_type_unnumbered ? nullptr : find_row(rows_, &CpuModel::number, number);
}

const CpuModel* CpuModels::find_number_0_9(uint32_t number) const {
    return find_row(rows_, &CpuModel::number_0_9, std::optional(number));
}

uint32_t CpuModels::number_of_0_9(uint32_t number) const {
    const CpuModel* const type = find_number_0_9(number);
    return type ? type->number : cpu_type_dropped;
}

const CpuModels& builtin_cpu_models() {
    static const CpuModels models = CpuModels::parse(cpu_models_data, "events/cpu_models");
    return models;
}

}  // namespace op
