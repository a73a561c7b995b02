// SPDX-License-Identifier: GPL-2.0-or-later
// From the command line's settings to those that are kept.
#include <algorithm>

#include "daemon/source/kernel_map.h"
#include "daemon/source/vmlinux.h"
#include "libop/base/diagnostics.h"
#include "libop/base/error.h"
#include "libop/base/path.h"
#include "libop/base/text.h"
#include "libop/events/event_spec.h"
#include "utils/opcontrol/control_options.h"
#include "utils/opcontrol/control_paths.h"

namespace op::tool {

namespace {

constexpr uint64_t deepest_callgraph = 1024;

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

/// A process or group number; `none` and 0 are all processes.
void set_filter(const char* option, const std::optional<std::string>& given, uint64_t& value) {
    if (!given) return;
    const auto number = *given == "none" ? std::optional<uint64_t>(0) : parse_c_integer(*given);
    if (!number || *number > INT32_MAX)
        throw_usage(std::string(option) + "=" + printable(*given) + ": not a number up to " +
                    std::to_string(INT32_MAX) + ", nor none");
    value = *number;
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

void set_kernel_image(const ControlOptions& o, std::string& vmlinux) {
    if (o.no_vmlinux && o.vmlinux && *o.vmlinux != vmlinux_none)
        throw_usage("--vmlinux and --no-vmlinux contradict each other");
    if (o.no_vmlinux || (o.vmlinux && *o.vmlinux == vmlinux_none)) {
        vmlinux = vmlinux_none;
    } else if (o.vmlinux) {
        Diagnostics later;  // the daemon notes at its start if it is not the running kernel's
        vmlinux = collect::read_vmlinux(*o.vmlinux, "", later).path;
        require_value("--vmlinux", vmlinux);
    }
}

void set_kernel_range(const std::optional<std::string>& given, std::string& range) {
    if (!given) return;
    if (!given->empty()) collect::parse_kernel_range(*given);
    require_value("--kernel-range", *given);
    range = *given;
}

void set_session_dir(const std::optional<std::string>& given, std::string& dir) {
    if (!given) return;
    const std::string path = given->empty() ? "" : absolute_path(*given);
    require_value("--session-dir", path);
    dir = path;
}

/// Makes each binary's path absolute; `all` removes the filter.
void set_image_filter(const std::optional<std::string>& given, std::string& filter) {
    if (!given) return;
    std::vector<std::string> paths;
    for (const std::string_view path : split(*given, ','))
        if (!path.empty()) paths.push_back(absolute_path(std::string(path)));
    if (*given == "all") paths.clear();
    filter = joined(paths, ",");
    require_value("--image", filter);
}

/// A word of rotation_settings.h; `off` removes it.
void set_rotation(const ControlOptions& o, DaemonSettings& s) {
    const auto set = [](const std::optional<std::string>& given, std::string& value) {
        if (given) value = *given == rotate_off ? "" : *given;
    };
    set(o.rotate, s.rotate);
    set(o.keep, s.keep);
    set(o.max_disk, s.max_disk);
    parse_rotation(s.rotate, s.keep, s.max_disk);
    if (s.rotate.empty() && !(s.keep.empty() && s.max_disk.empty()))
        throw_usage(
            "--keep and --max-disk need --rotate; switch them off with it: --keep=off, --max-disk=off");
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
    if (!o.separate.empty()) s.separation = parse_separation(o.separate);
    set_number("--callgraph", o.callgraph, deepest_callgraph, s.callgraph);
    set_number("--callgraph-files", o.callgraph_files, 1, s.callgraph_files);
    set_session_dir(o.session_dir, s.session_dir);
    set_image_filter(o.image, s.image_filter);
    set_kernel_image(o, s.vmlinux);
    set_kernel_range(o.kernel_range, s.kernel_range);
    set_sizes(o, s);
    set_rotation(o, s);
    set_filter("--pid-filter", o.pid_filter, s.pid_filter);
    set_filter("--pgrp-filter", o.pgrp_filter, s.pgrp_filter);
}

}  // namespace op::tool
