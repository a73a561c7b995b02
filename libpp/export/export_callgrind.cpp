// SPDX-License-Identifier: GPL-2.0-or-later
// A profile in the format of callgrind, version 1 ("Callgrind Format Specification" of the Valgrind manual).
// Positions are absolute: callgrind_annotate misreads relative addresses.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "libop/base/text.h"
#include "libop/session/event_label.h"
#include "libop/session/ledger.h"
#include "libpp/export/exporter.h"

namespace op::pp {

namespace {

constexpr std::string_view unknown = "???";  // as callgrind writes it

/// A function: a symbol, or with no_symbol what of an image lies outside its symbols.
struct FunctionKey {
    uint32_t image, symbol;  ///< indexes into Profile::images and Profile::symbols

    auto operator<=>(const FunctionKey&) const = default;
};

/// Costs at an address of a function: its own, or of calls from there.
struct Cost {
    ImageOffset at;
    std::optional<FunctionKey> callee;
    size_t counts;  ///< index of the first in Costs::counts

    auto place() const { return std::tie(at, callee); }
};

/// The content of a profile, by function.
struct Costs {
    std::map<FunctionKey, std::vector<Cost>> functions;
    std::vector<uint64_t> counts;
};

/// Adds up samples by address, and calls by address and callee.
class CostCollector {
public:
    explicit CostCollector(const Profile& profile) : profile_(profile), width_(profile.columns.size()) {}

    Costs collect() && {
        for (size_t i = 0; i < profile_.samples.size(); ++i)
            add({profile_.leaf(i), CodeAddress::instruction, std::nullopt}, &profile_.counts[i * width_]);
        for (size_t i = 0; i < profile_.arcs.size(); ++i) {
            const Arc& arc = profile_.arcs[i];
            const Location& caller = profile_.locations[arc.caller];
            add({caller, CodeAddress::return_address, function_of(profile_.locations[arc.callee])},
                &profile_.arc_counts[i * width_]);
        }
        if (!profile_.stacks.is_empty()) add_stacks();
        for (auto& [key, costs] : costs_.functions)
            std::ranges::sort(costs, {}, &Cost::place);
        return std::move(costs_);
    }

private:
    struct Place {
        const Location& location;
        CodeAddress kind;  ///< the byte before a return address is the call's
        std::optional<FunctionKey> callee;
    };

    static FunctionKey function_of(const Location& location) { return {location.image, location.symbol}; }

    /// A stack that has a call several times counts once for it.
    void add_stacks() {
        const StackTree& tree = profile_.stacks;
        const auto call_of = [&](uint32_t node) {
            const StackNode& callee = tree.nodes[node];
            const StackNode& caller = tree.nodes[callee.parent];
            if (!callee.is_code() || !caller.is_code()) return not_counted;
            return first_count({profile_.locations[caller.location], address_kind(caller),
                                function_of(profile_.locations[callee.location])}) /
                   width_;
        };
        sum_once(tree, width_, call_of,
                 [this](size_t call, const uint64_t* counts) { add_counts(call * width_, counts); });
    }

    void add(const Place& place, const uint64_t* counts) { add_counts(first_count(place), counts); }

    void add_counts(size_t first, const uint64_t* counts) {
        for (size_t column = 0; column < width_; ++column) {
            uint64_t& sum = costs_.counts[first + column];
            sum = add_saturating(sum, counts[column]);
        }
    }

    /// The index of a place's first count.
    size_t first_count(const Place& place) {
        const ImageOffset at = code_byte(place.location.offset, place.kind);
        const FunctionKey function = function_of(place.location);
        const auto [found, is_new] = places_.try_emplace({function, at, place.callee}, costs_.counts.size());
        if (is_new) {
            costs_.functions[function].push_back({at, place.callee, found->second});
            costs_.counts.resize(costs_.counts.size() + width_);
        }
        if (place.callee) costs_.functions.try_emplace(*place.callee);
        return found->second;
    }

    const Profile& profile_;
    size_t width_;
    Costs costs_;
    std::map<std::tuple<FunctionKey, ImageOffset, std::optional<FunctionKey>>, size_t> places_;
};

/// Names written once and then by number, as the format has it: "(1) name", later "(1)".
template <class Key>
class Numbered {
public:
    template <class Name>
    std::string text(const Key& key, Name name) {
        const auto [at, is_new] = numbers_.try_emplace(key, numbers_.size() + 1);
        std::string text = "(" + std::to_string(at->second) + ")";
        if (is_new) text += " " + printable(name());
        return text;
    }

private:
    std::map<Key, size_t> numbers_;
};

/// The place of code in the sources.
struct Place {
    std::string_view file;
    uint32_t line;
};

class CallgrindWriter {
public:
    CallgrindWriter(const Profile& profile, const ExportContext& context)
        : profile_(profile),
          context_(context),
          width_(profile.columns.size()),
          costs_(CostCollector(profile).collect()) {}

    std::string write() && {
        put_head();
        for (const auto& [function, costs] : costs_.functions)
            if (!costs.empty()) put_function(function, costs);
        text_ += "\ntotals:" + numbers(totals()) + "\n";
        return std::move(text_);
    }

private:
    // Head

    void put_head() {
        text_ = "# callgrind format\nversion: 1\ncreator: oprofile-ng\n";
        const ProfileClass& first = profile_.columns.front();
        if (first.tgid && is_common(&ProfileClass::tgid))
            text_ += "pid: " + std::to_string(*first.tgid) + "\n";
        if (first.tid && is_common(&ProfileClass::tid))
            text_ += "thread: " + std::to_string(*first.tid) + "\n";
        if (const std::string target = target_name(); !target.empty()) text_ += "cmd: " + target + "\n";
        for (const std::string& remark : context_.remarks)
            text_ += "desc: Note: " + printable(remark) + "\n";
        text_ += "positions: instr line\n";
        put_events();
        text_ += "summary:" + numbers(totals()) + "\n";
    }

    /// True if no two columns differ in that.
    bool is_common(std::optional<uint32_t> ProfileClass::*member) const {
        return std::ranges::all_of(profile_.columns, [&](const ProfileClass& column) {
            return column.*member == profile_.columns.front().*member;
        });
    }

    /// The profiled program: the application if there is only one, otherwise the manifest's.
    std::string target_name() const {
        std::set<uint32_t> apps;
        for (const StackSamples& sample : profile_.samples)
            apps.insert(sample.app);
        if (apps.size() == 1) return printable(profile_.images[*apps.begin()].name.display());
        return context_.info ? printable(context_.info->command) : "";
    }

    void put_events() {
        const auto names = event_names(profile_.columns);
        std::vector<std::string> list;
        for (size_t i = 0; i < width_; ++i) {
            const std::string name = column_name(names[i], profile_.columns[i]);
            text_ += "event: " + name + " : " + column_title(profile_.columns[i]) + "\n";
            list.push_back(name);
        }
        text_ += "events: " + joined(list, " ") + "\n";
    }

    /// A word of letters, digits and '_', which readers of the format accept. It contains whatever
    /// distinguishes the column from the others.
    std::string column_name(std::string event, const ProfileClass& column) const {
        const auto add = [&](const char* what, std::optional<uint32_t> ProfileClass::*member) {
            if (column.*member && !is_common(member)) event += what + std::to_string(*(column.*member));
        };
        add("_tgid", &ProfileClass::tgid);
        add("_tid", &ProfileClass::tid);
        add("_cpu", &ProfileClass::cpu);
        const auto is_word = [](char c) {
            return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
        };
        std::ranges::replace_if(
            event, [&](char c) { return !is_word(c); }, '_');
        const bool begins_with_letter = !event.empty() && (event[0] < '0' || event[0] > '9');
        return begins_with_letter ? event : "e" + event;
    }

    static std::string column_title(const ProfileClass& column) {
        return event_label(printable(column.event), column.count, column.unit_mask);
    }

    std::vector<uint64_t> totals() const {
        std::vector<uint64_t> sums(width_);
        for (size_t i = 0; i < profile_.counts.size(); ++i)
            sums[i % width_] = add_saturating(sums[i % width_], profile_.counts[i]);
        return sums;
    }

    static std::string numbers(std::span<const uint64_t> counts) {
        std::string text;
        for (const uint64_t count : counts)
            text += " " + std::to_string(count);
        return text;
    }

    // Body

    ImageSymbols& symbols(uint32_t image) const { return *profile_.images[image].symbols; }
    const ImageSymbol* symbol(const FunctionKey& function) const {
        return function.symbol == Location::no_symbol ? nullptr : profile_.symbols[function.symbol].symbol;
    }

    /// Where a function is declared.
    Place home(const FunctionKey& function) {
        const auto [at, is_new] = homes_.try_emplace(function, Place{unknown, 0});
        const ImageSymbol* const found = is_new ? symbol(function) : nullptr;
        if (found)
            if (const auto line = symbols(function.image).line_of(*found))
                at->second = {line->file, line->line};
        return at->second;
    }

    std::string object_text(const FunctionKey& function) {
        return objects_.text(function.image, [&] { return profile_.images[function.image].name.display(); });
    }
    std::string file_text(std::string_view file) {
        return files_.text(file, [&] { return file; });
    }
    std::string function_text(const FunctionKey& function) {
        return functions_.text(function, [&] {
            const ImageSymbol* const found = symbol(function);
            return found ? symbols(function.image).name(*found, context_.demangle) : unknown;
        });
    }

    void put_function(const FunctionKey& function, const std::vector<Cost>& costs) {
        const std::string_view home_file = home(function).file;
        text_ += "\nob=" + object_text(function) + "\nfl=" + file_text(home_file) +
                 "\nfn=" + function_text(function) + "\n";
        std::string_view file = home_file;
        for (const Cost& cost : costs) {
            const auto line = symbols(function.image).line(cost.at);
            const Place place = line ? Place{line->file, line->line} : Place{file, 0};
            if (place.file != file)
                text_ += (place.file == home_file ? "fe=" : "fi=") + file_text(place.file) + "\n";
            file = place.file;
            if (cost.callee) put_call(*cost.callee, cost);
            put_position(function.image, cost.at, place.line);
            text_ += numbers({&costs_.counts[cost.counts], width_}) + "\n";
        }
    }

    void put_position(uint32_t image, ImageOffset at, uint32_t line) {
        text_ += "0x" + hex(symbols(image).link_address(at).value()) + " " + std::to_string(line);
    }

    /// Calls are not counted; the number of samples in them is written as the number of calls.
    void put_call(const FunctionKey& callee, const Cost& cost) {
        const auto first = costs_.counts.begin() + static_cast<ptrdiff_t>(cost.counts);
        const uint64_t calls = *std::max_element(first, first + static_cast<ptrdiff_t>(width_));
        const Place target = home(callee);
        text_ += "cob=" + object_text(callee) + "\ncfi=" + file_text(target.file) +
                 "\ncfn=" + function_text(callee) + "\ncalls=" + std::to_string(calls) + " ";
        const ImageSymbol* const found = symbol(callee);
        text_ += "0x" + hex(found ? found->address.value() : 0) + " " + std::to_string(target.line) + "\n";
    }

    const Profile& profile_;
    const ExportContext& context_;
    size_t width_;
    Costs costs_;
    std::string text_;
    std::map<FunctionKey, Place> homes_;
    Numbered<uint32_t> objects_;
    Numbered<std::string_view> files_;
    Numbered<FunctionKey> functions_;
};

}  // namespace

std::string export_callgrind(const Profile& profile, const ExportContext& context) {
    return CallgrindWriter(profile, context).write();
}

}  // namespace op::pp
