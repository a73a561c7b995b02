// SPDX-License-Identifier: GPL-2.0-or-later
// Event specifications: syntax. Does not know which events there are.
#include "libop/events/event_spec.h"

#include <algorithm>
#include <map>

#include "libop/base/error.h"
#include "libop/base/text.h"

namespace op {

namespace {

constexpr size_t most_events = 24;
constexpr std::string_view form = "name[:count[:unitmask[:kernel[:user]]]]";
constexpr std::string_view countless_form = "name[:unitmask[:kernel[:user]]]";

/// The field parsers share the text they complain about.
class SpecParser {
public:
    SpecParser(std::string_view text, bool has_count)
        : text_(text), fields_(split(text, ':')), has_count_(has_count) {
        if (!has_count) fields_.insert(fields_.begin() + 1, std::string_view());
    }

    EventSpec parse() const {
        if (fields_.size() > 5) fail("too many fields; write " + own_form());
        EventSpec spec;
        spec.name = name();
        spec.count = count();
        unit_mask(spec);
        spec.kernel = flag(3, "kernel");
        spec.user = flag(4, "user");
        if (!spec.kernel && !spec.user) fail("kernel and user are both 0, so nothing would be counted");
        return spec;
    }

private:
    [[noreturn]] void fail(const std::string& reason) const {
        throw_usage("event '" + printable(text_) + "': " + reason);
    }

    std::string own_form() const { return std::string(has_count_ ? form : countless_form); }

    std::string_view field(size_t index) const {
        return index < fields_.size() ? fields_[index] : std::string_view();
    }

    std::string name() const {
        const auto is_bad = [](unsigned char c) { return c <= ' ' || c == 0x7f || c == '.' || c == '/'; };
        const std::string_view name = field(0);
        if (name.empty()) fail("no event name; write " + own_form());
        if (std::any_of(name.begin(), name.end(), is_bad))
            fail("an event name holds no '.', '/', blank or control character");
        return std::string(name);
    }

    uint64_t count() const {
        if (field(1).empty()) return 0;
        const auto count = parse_c_integer(field(1));
        if (!count) fail("count '" + printable(field(1)) + "' is " + std::string(c_integer_fault(field(1))));
        if (*count == 0) fail("the count must not be 0");
        return *count;
    }

    void unit_mask(EventSpec& spec) const {
        const std::string_view mask = field(2);
        if (mask.empty()) return;
        spec.unit_mask = parse_c_integer(mask);
        if (spec.unit_mask) return;
        const bool is_number = mask.starts_with("0x") || c_integer_fault(mask) == "too large";
        if (is_number) fail("unit mask '" + printable(mask) + "' is " + std::string(c_integer_fault(mask)));
        spec.unit_mask_name = mask;
    }

    bool flag(size_t index, const std::string& what) const {
        const std::string_view flag = field(index);
        if (!flag.empty() && flag != "0" && flag != "1")
            fail(what + " is '" + printable(flag) + "'; it must be 0 or 1");
        return flag != "0";
    }

    std::string_view text_;
    std::vector<std::string_view> fields_;
    bool has_count_;
};

}  // namespace

namespace {

/// name:code:counter:count:unitmask:kernel:user has two fields more than ours, right after the name.
DaemonEventSpec parse_daemon_event_spec(std::string_view text) {
    constexpr size_t classic_fields = 7;
    constexpr uint64_t most_counters = 1024;
    const auto fields = split(text, ':');
    if (fields.size() != classic_fields) return {parse_event_spec(text), {}, {}};
    const auto code = parse_c_integer(fields[1]), counter = parse_c_integer(fields[2]);
    if (!code || *code > UINT32_MAX || !counter || *counter >= most_counters)
        throw_usage("event '" + printable(text) + "': code or counter is not a number, or too large");
    std::vector<std::string> ours(fields.begin(), fields.end());
    ours.erase(ours.begin() + 1, ours.begin() + 3);
    return {parse_event_spec(joined(ours, ":")), static_cast<uint32_t>(*code), static_cast<int>(*counter)};
}

/// Parses comma-separated lists; sorted by text, without duplicates.
std::vector<EventSpec> parse_list(const std::vector<std::string>& options, bool has_count) {
    std::map<std::string_view, EventSpec> by_text;
    for (const std::string& option : options)
        for (const std::string_view text : split(option, ','))
            by_text.emplace(text, SpecParser(text, has_count).parse());
    std::vector<EventSpec> specs;
    for (auto& [text, spec] : by_text)
        if (std::find(specs.begin(), specs.end(), spec) == specs.end()) specs.push_back(std::move(spec));
    if (specs.empty()) throw_usage("no event given; write " + std::string(has_count ? form : countless_form));
    if (specs.size() > most_events)
        throw_usage(std::to_string(specs.size()) + " events asked for; at most " +
                    std::to_string(most_events) + " can be counted at once");
    return specs;
}

}  // namespace

EventSpec parse_event_spec(std::string_view text) {
    return SpecParser(text, true).parse();
}

EventSpec parse_countless_event_spec(std::string_view text) {
    return SpecParser(text, false).parse();
}

std::vector<EventSpec> parse_event_specs(const std::vector<std::string>& options) {
    return parse_list(options, true);
}

std::vector<EventSpec> parse_countless_event_specs(const std::vector<std::string>& options) {
    return parse_list(options, false);
}

std::vector<DaemonEventSpec> parse_daemon_event_specs(const std::vector<std::string>& options) {
    std::vector<DaemonEventSpec> specs;
    for (const std::string& option : options)
        for (const std::string_view text : split(option, ','))
            if (!text.empty()) specs.push_back(parse_daemon_event_spec(text));
    if (specs.size() > most_events)
        throw_usage("more than " + std::to_string(most_events) + " events were asked for");
    return specs;
}

}  // namespace op
