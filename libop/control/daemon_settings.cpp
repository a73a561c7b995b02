// SPDX-License-Identifier: GPL-2.0-or-later
// The daemonrc file: one table of keys serves reading and writing.
#include "libop/control/daemon_settings.h"

#include <algorithm>
#include <optional>
#include <variant>

#include "libop/base/error.h"
#include "libop/base/text.h"

namespace op {

namespace {

constexpr size_t longest_value = 4096;
constexpr std::string_view event_key = "CHOSEN_EVENTS_";
constexpr std::string_view event_number_key = "NR_CHOSEN";

using Settings = DaemonSettings;
using Text = std::string Settings::*;
using Number = uint64_t Settings::*;
using Flag = bool Separation::*;

struct Key {
    std::string_view name;
    std::variant<Text, Number, Flag> member;
};

// In the order in which they are written.
constexpr Key keys[] = {
    {"SESSION_DIR", &Settings::session_dir},
    {"SEPARATE_LIB", &Separation::library},
    {"SEPARATE_KERNEL", &Separation::kernel},
    {"SEPARATE_THREAD", &Separation::thread},
    {"SEPARATE_CPU", &Separation::cpu},
    {"VMLINUX", &Settings::vmlinux},
    {"KERNEL_RANGE", &Settings::kernel_range},
    {"IMAGE_FILTER", &Settings::image_filter},
    {"BUF_SIZE", &Settings::buffer_size},
    {"BUF_WATERSHED", &Settings::buffer_watershed},
    {"CPU_BUF_SIZE", &Settings::cpu_buffer_size},
    {"CALLGRAPH", &Settings::callgraph},
    {"CALLGRAPH_FILES", &Settings::callgraph_files},
    {"PID_FILTER", &Settings::pid_filter},
    {"PGRP_FILTER", &Settings::pgrp_filter},
    {"ROTATE", &Settings::rotate},
    {"KEEP", &Settings::keep},
    {"MAX_DISK", &Settings::max_disk},
};

constexpr std::string_view small_letters = "abcdefghijklmnopqrstuvwxyz";
constexpr std::string_view capitals = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
constexpr std::string_view digits = "0123456789";

constexpr bool has(std::string_view set, char c) {
    return set.find(c) != set.npos;
}

bool is_key(std::string_view text) {
    return !text.empty() && text.size() <= 64 && has(capitals, text[0]) &&
           std::ranges::all_of(text, [](char c) { return has(capitals, c) || has(digits, c) || c == '_'; });
}

/// Reads the lines of one file into settings.
class Reader {
public:
    explicit Reader(std::string_view label) : label_(label) {}

    void take(std::string_view line) {
        ++line_;
        if (line.empty() || line.front() == '#') return;
        const size_t equals = line.find('=');
        if (equals == line.npos || !is_key(line.substr(0, equals))) fail("not a line KEY=value");
        const std::string_view value = line.substr(equals + 1);
        if (!is_setting_value(value))
            fail(std::string("the value holds a character other than ") + setting_characters);
        store(line.substr(0, equals), value);
    }

    Settings finish() && {
        const size_t wanted = number_of_events_.value_or(events_.size());
        if (wanted > most_chosen_events) fail("more than " + std::to_string(most_chosen_events) + " events");
        for (size_t i = 0; i < wanted; ++i) {
            const auto found = events_.find(i);
            if (found == events_.end()) fail(std::string(event_key) + std::to_string(i) + " is missing");
            settings_.events.push_back(found->second);
        }
        settings_.separation.library |= settings_.separation.kernel;
        return std::move(settings_);
    }

private:
    [[noreturn]] void fail(const std::string& why) const {
        throw_input(printable(label_) + ":" + std::to_string(line_) + ": " + why +
                    "; fix the line or delete the file");
    }

    uint64_t number(std::string_view value) const {
        if (value.empty()) return 0;
        const auto parsed = parse_c_integer(value);
        if (!parsed) fail(std::string(c_integer_fault(value)) + ": " + printable(value));
        return *parsed;
    }

    void store(std::string_view name, std::string_view value) {
        const auto key = std::ranges::find(keys, name, &Key::name);
        if (key != std::end(keys))
            assign(key->member, value);
        else if (name == event_number_key)
            number_of_events_ = number(value);
        else if (name.starts_with(event_key))
            store_event(name.substr(event_key.size()), value);
        else
            settings_.others[std::string(name)] = value;
    }

    void assign(const decltype(Key::member)& member, std::string_view value) {
        if (const Text* text = std::get_if<Text>(&member))
            settings_.*(*text) = value;
        else if (const Number* n = std::get_if<Number>(&member))
            settings_.*(*n) = number(value);
        else
            settings_.separation.*std::get<Flag>(member) = number(value) != 0;
    }

    void store_event(std::string_view index_text, std::string_view value) {
        const auto index = parse_number(index_text);
        if (!index || *index >= most_chosen_events) fail("no such event number: " + printable(index_text));
        if (value.empty())
            events_.erase(*index);
        else
            events_[*index] = value;
    }

    std::string_view label_;
    size_t line_ = 0;
    Settings settings_;
    std::map<size_t, std::string> events_;
    std::optional<size_t> number_of_events_;
};

void add(std::string& file, std::string_view key, std::string_view value) {
    if (!is_setting_value(value))
        throw_usage(printable(value) + ": only the characters " + setting_characters + " can be used here");
    file.append(key).append("=").append(value).append("\n");
}

std::string value_of(const Settings& settings, const decltype(Key::member)& member) {
    if (const Text* text = std::get_if<Text>(&member)) return settings.*(*text);
    if (const Number* n = std::get_if<Number>(&member)) return std::to_string(settings.*(*n));
    return settings.separation.*std::get<Flag>(member) ? "1" : "0";
}

}  // namespace

bool is_setting_value(std::string_view text) noexcept {
    return text.size() <= longest_value && std::ranges::all_of(text, [](char c) {
               return has(small_letters, c) || has(capitals, c) || has(digits, c) || has("_:,./@-", c);
           });
}

DaemonSettings parse_daemon_settings(std::span<const std::byte> file, std::string_view label) {
    std::string_view rest(reinterpret_cast<const char*>(file.data()), file.size());
    Reader reader(label);
    while (!rest.empty())
        reader.take(take_line(rest));
    return std::move(reader).finish();
}

std::string to_text(const DaemonSettings& settings) {
    std::string file;
    for (size_t i = 0; i < settings.events.size(); ++i)
        add(file, std::string(event_key) + std::to_string(i), settings.events[i]);
    add(file, event_number_key, std::to_string(settings.events.size()));
    for (const Key& key : keys)
        add(file, key.name, value_of(settings, key.member));
    for (const auto& [key, value] : settings.others)
        add(file, key, value);
    return file;
}

}  // namespace op
