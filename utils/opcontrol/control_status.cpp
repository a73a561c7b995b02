// SPDX-License-Identifier: GPL-2.0-or-later
// The text of --status.
#include "utils/opcontrol/control_status.h"

#include <algorithm>
#include <string_view>

#include "libop/base/text.h"
#include "libop/events/cpu_model.h"

namespace op::tool {

namespace {

/// Lines of "Label: value", safe for a terminal.
class Lines {
public:
    void add(std::string_view label, std::string_view value) {
        text_ += printable(label) + ": " + printable(value) + "\n";
    }
    void say(std::string_view line) { text_ += printable(line) + "\n"; }
    std::string take() && { return std::move(text_); }

private:
    std::string text_;
};

std::string size_text(uint64_t size) {
    return size == 0 ? "default" : std::to_string(size);
}

std::string filter_text(uint64_t id) {
    return id == 0 ? "none" : std::to_string(id);
}

/// "3 h 2 min 1 s"
std::string duration_text(uint64_t seconds) {
    std::string text;
    if (seconds >= 3600) text += std::to_string(seconds / 3600) + " h ";
    if (seconds >= 60) text += std::to_string(seconds / 60 % 60) + " min ";
    return text + std::to_string(seconds % 60) + " s";
}

/// "lost-no-mapping" -> "Lost no mapping".
std::string label_of(std::string key) {
    std::ranges::replace_if(
        key, [](char c) { return c == '-' || c == '_'; }, ' ');
    if (key.starts_with("cpu ")) return "CPU" + key.substr(3);
    if (!key.empty() && key[0] >= 'a' && key[0] <= 'z') key[0] -= 'a' - 'A';
    return key;
}

std::string_view state_text(std::string_view state) {
    return state == "sampling" ? "running" : state == "stopped" ? "paused" : state;
}

void add_daemon(const ControlReply& reply, Lines& lines) {
    const std::string state(state_text(reply.find("state").value_or("running")));
    lines.say("Daemon " + state + ": pid " + std::string(reply.find("pid").value_or("unknown")));
    // What is shown above, and what the settings say as well.
    constexpr std::string_view elsewhere[] = {"state", "pid", "session-dir", "separate", "vmlinux"};
    int event = 0;
    for (const auto& [key, value] : reply.values) {
        if (std::ranges::find(elsewhere, key) != std::end(elsewhere)) continue;
        if (key == "event")
            lines.add("Event " + std::to_string(event++), value);
        else if (const auto seconds = parse_number(value); key == "uptime" && seconds)
            lines.add("Uptime", duration_text(*seconds));
        else
            lines.add(label_of(key), value);
    }
}

void add_driver(const ControlStatus& status, Lines& lines) {
    if (status.driver)
        lines.add("Driver", "model " + status.driver->model + ", CPU type " + status.driver->cpu_type +
                                ", counters " + std::to_string(status.driver->counters.size()));
    else
        lines.add("Driver", "not loaded or not mounted; perf_event_open takes its place");
    if (!status.timers.empty()) lines.add("Timers", status.timers);
}

void add_events(const DaemonSettings& settings, Lines& lines) {
    if (settings.events.empty()) lines.add("Event 0", "default");
    for (size_t i = 0; i < settings.events.size(); ++i)
        lines.add("Event " + std::to_string(i), settings.events[i]);
}

void add_settings(const ControlStatus& status, Lines& lines) {
    const DaemonSettings& s = status.settings;
    lines.add("Session-dir", status.session_dir);
    if (!status.daemon) add_events(s, lines);
    lines.add("Separate options", to_text(s.separation));
    lines.add("vmlinux file", s.vmlinux.empty() ? "not set; give --vmlinux=FILE or --no-vmlinux" : s.vmlinux);
    if (!s.kernel_range.empty()) lines.add("Kernel range", s.kernel_range);
    lines.add("Image filter", s.image_filter.empty() ? "none" : s.image_filter);
    lines.add("Call-graph depth", std::to_string(s.callgraph));
    if (s.callgraph_files != 0) lines.add("Call-graph files", "written, for OProfile's programs");
    lines.add("Process filter", filter_text(s.pid_filter));
    lines.add("Process group filter", filter_text(s.pgrp_filter));
    if (!s.rotate.empty())
        lines.add("Rotate", s.rotate + ", keep " + (s.keep.empty() ? "all" : s.keep) + ", disk " +
                                (s.max_disk.empty() ? "no limit" : s.max_disk));
    lines.add("Buffer size", size_text(s.buffer_size));
    lines.add("Buffer watershed", size_text(s.buffer_watershed));
    lines.add("CPU buffer size", size_text(s.cpu_buffer_size));
}

}  // namespace

std::string status_text(const ControlStatus& status) {
    Lines lines;
    if (status.daemon)
        add_daemon(*status.daemon, lines);
    else
        lines.say("Daemon not running");
    add_driver(status, lines);
    add_settings(status, lines);
    if (status.has_waiting_settings) lines.say("Changed settings wait for --shutdown and --start.");
    return std::move(lines).take();
}

}  // namespace op::tool
