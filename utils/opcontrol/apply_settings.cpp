// SPDX-License-Identifier: GPL-2.0-or-later
// From the command line's settings to those that are kept.
#include <algorithm>

#include "daemon/source/kernel_map.h"
#include "libop/base/error.h"
#include "libop/base/path.h"
#include "libop/base/text.h"
#include "libop/events/event_spec.h"
#include "utils/opcontrol/control_options.h"
#include "utils/opcontrol/control_paths.h"

namespace op::tool {

namespace {

constexpr uint64_t deepest_callgraph = 64;

void require_value(const char* option, const std::string& value) {
    if (!is_setting_value(value))
        throw_usage(std::string(option) + " " + printable(value) + ": only the characters " +
                    setting_characters + " can be used here");
}

void set_number(const char* option, const std::optional<uint64_t>& given, uint64_t greatest,
                uint64_t& value) {
    if (!given) return;
    if (*given > greatest)
        throw_usage(std::string(option) + " " + std::to_string(*given) + ": at most " +
                    std::to_string(greatest));
    value = *given;
}

/// The first --event forgets those of before; `default` alone asks for the CPU's own.
void set_events(const std::vector<std::string>& given, std::vector<std::string>& events) {
    if (given.empty()) return;
    events.clear();
    for (const std::string& text : given) {
        if (text == "default") continue;
        require_value("--event", text);
        parse_event_spec(text);
        if (std::ranges::find(events, text) == events.end()) events.push_back(text);
    }
    if (!events.empty() && std::ranges::find(given, "default") != given.end())
        throw_usage("--event default cannot be combined with other events");
    if (events.size() > most_chosen_events)
        throw_usage("--event: at most " + std::to_string(most_chosen_events) + " events");
}

void separate_by(const std::string& word, Separation& separation) {
    if (word == "none") {
        separation = {};
    } else if (word == "lib" || word == "library") {
        separation.library = true;
    } else if (word == "kernel") {
        separation.library = separation.kernel = true;
    } else if (word == "thread") {
        separation.thread = true;
    } else if (word == "cpu") {
        separation.cpu = true;
    } else if (word == "all") {
        separation = {true, true, true, true};
    } else {
        throw_usage("--separate " + printable(word) + ": not one of none, library, kernel, thread, cpu, all");
    }
}

void set_separation(const std::vector<std::string>& given, Separation& separation) {
    if (given.empty()) return;
    separation = {};
    for (const std::string& word : given)
        separate_by(word, separation);
}

void set_kernel_image(const ControlOptions& o, std::string& vmlinux) {
    if (o.no_vmlinux && o.vmlinux && *o.vmlinux != vmlinux_none)
        throw_usage("--vmlinux and --no-vmlinux contradict each other");
    if (o.no_vmlinux || (o.vmlinux && *o.vmlinux == vmlinux_none)) {
        vmlinux = vmlinux_none;
    } else if (o.vmlinux) {
        vmlinux = collect::checked_vmlinux(*o.vmlinux);
        require_value("--vmlinux", vmlinux);
    }
}

void set_kernel_range(const std::optional<std::string>& given, std::string& range) {
    if (!given) return;
    const auto digits = [](std::string_view text) {
        return parse_number(text.starts_with("0x") ? text.substr(2) : text, 16);
    };
    const auto parts = split(*given, ',');
    const auto start = digits(parts[0]);
    const auto end = parts.size() == 2 ? digits(parts[1]) : std::nullopt;
    if (!given->empty() && (!start || !end || *start >= *end))
        throw_usage("--kernel-range " + printable(*given) +
                    ": not START,END in hexadecimal with START below END");
    range = *given;
}

void set_session_dir(const std::optional<std::string>& given, std::string& dir) {
    if (!given) return;
    const std::string path = given->empty() ? "" : absolute_path(*given);
    require_value("--session-dir", path);
    dir = path;
}

/// Each binary's path is made absolute; `all` is none.
void set_image_filter(const std::optional<std::string>& given, std::string& filter) {
    if (!given) return;
    std::string paths;
    for (const std::string_view path : split(*given, ','))
        if (!path.empty()) paths += (paths.empty() ? "" : ",") + absolute_path(std::string(path));
    if (*given == "all") paths.clear();
    require_value("--image", paths);
    filter = paths;
}

void set_sizes(const ControlOptions& o, DaemonSettings& s) {
    constexpr uint64_t most_words = 1 << 28, most_samples = 1 << 20;
    set_number("--buffer-size", o.buffer_size, most_words, s.buffer_size);
    set_number("--buffer-watershed", o.buffer_watershed, most_words, s.buffer_watershed);
    set_number("--cpu-buffer-size", o.cpu_buffer_size, most_samples, s.cpu_buffer_size);
    if (s.buffer_size != 0 && s.buffer_watershed >= s.buffer_size)
        throw_usage("--buffer-watershed " + std::to_string(s.buffer_watershed) +
                    ": must be less than the buffer size of " + std::to_string(s.buffer_size));
}

}  // namespace

void apply_settings(const ControlOptions& o, DaemonSettings& s) {
    set_events(o.events, s.events);
    set_separation(o.separate, s.separation);
    set_number("--callgraph", o.callgraph, deepest_callgraph, s.callgraph);
    set_session_dir(o.session_dir, s.session_dir);
    set_image_filter(o.image, s.image_filter);
    set_kernel_image(o, s.vmlinux);
    set_kernel_range(o.kernel_range, s.kernel_range);
    set_sizes(o, s);
    set_number("--pid-filter", o.pid_filter, INT32_MAX, s.pid_filter);
    set_number("--pgrp-filter", o.pgrp_filter, INT32_MAX, s.pgrp_filter);
}

}  // namespace op::tool
