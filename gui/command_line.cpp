// SPDX-License-Identifier: GPL-2.0-or-later
// One word an option, in the order of the window.
#include "gui/command_line.h"

#include <cctype>
#include <cstdio>

namespace op::gui {
namespace {

constexpr uint64_t deepest_callgraph = 1024;  ///< opcontrol(1), --callgraph

std::string separation_of(const ControlSetup& setup) {
    std::string words;
    const auto add = [&](bool is_chosen, const char* word) {
        if (is_chosen) words.append(words.empty() ? "" : ",").append(word);
    };
    const bool kernel = setup.per_application && setup.including_kernel;
    add(setup.per_application && !kernel, "library");
    add(kernel, "kernel");
    add(setup.per_thread, "thread");
    add(setup.per_cpu, "cpu");
    return words.empty() ? "none" : words;
}

void add_settings(const ControlSetup& setup, Arguments& to) {
    if (setup.events.empty()) to.push_back("--event=default");
    for (const ChosenEvent& event : setup.events)
        to.push_back("--event=" + event_text(event));
    to.push_back(setup.kernel_image.empty() ? "--no-vmlinux" : "--vmlinux=" + setup.kernel_image);
    to.push_back("--separate=" + separation_of(setup));
    to.push_back("--callgraph=" + std::to_string(setup.callgraph_depth));
    to.push_back("--buffer-size=" + std::to_string(setup.buffer_size));
    to.push_back("--buffer-watershed=" + std::to_string(setup.buffer_watershed));
    to.push_back("--cpu-buffer-size=" + std::to_string(setup.cpu_buffer_size));
}

bool is_plain(unsigned char c) {
    return std::isalnum(c) != 0 || std::string("_-+=:,./@%").find(static_cast<char>(c)) != std::string::npos;
}

std::string quoted(const std::string& word) {
    bool is_all_plain = !word.empty(), has_controls = false;
    for (const unsigned char c : word) {
        is_all_plain = is_all_plain && c < 0x80 && is_plain(c);
        has_controls = has_controls || c < 0x20 || c == 0x7f;
    }
    if (is_all_plain) return word;
    std::string text = has_controls ? "$'" : "'";
    for (const char c : word) {
        char octal[8];
        std::snprintf(octal, sizeof octal, "\\%03o", static_cast<unsigned char>(c));
        const bool is_control = static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
        if (is_control || (has_controls && (c == '\\' || c == '\'')))
            text += octal;
        else if (c == '\'')
            text += "'\\''";
        else
            text += c;
    }
    return text + "'";
}

}  // namespace

std::string fault_of(const ControlSetup& setup) {
    if (setup.callgraph_depth > deepest_callgraph)
        return "the callgraph depth is at most " + std::to_string(deepest_callgraph);
    if (setup.buffer_size != 0 && setup.buffer_watershed * 2 > setup.buffer_size)
        return "the buffer watershed is at most half of the buffer size";
    for (const ChosenEvent& event : setup.events) {
        if (event.count == 0) return event.name + " needs a count";
        if (!event.kernel && !event.user)
            return event.name + " counts nothing: choose the kernel, user binaries or both";
    }
    return {};
}

std::string event_text(const ChosenEvent& event) {
    return event.name + ":" + std::to_string(event.count) + ":" + event.unit_mask +
           (event.kernel ? ":1" : ":0") + (event.user ? ":1" : ":0");
}

Arguments setup_arguments(const ControlSetup& setup) {
    Arguments words{"--setup"};
    add_settings(setup, words);
    return words;
}

Arguments start_arguments(const ControlSetup& setup) {
    Arguments words{"--start"};
    add_settings(setup, words);
    if (setup.is_verbose) words.push_back("--verbose=all");
    return words;
}

std::string fault_of(const OperfRun& run) {
    if (run.target == OperfRun::Target::command && run.command.empty()) return "the command is missing";
    if (run.target == OperfRun::Target::process && run.process == 0) return "the process id is missing";
    return {};
}

Arguments operf_arguments(const OperfRun& run) {
    Arguments words;
    const auto add = [&](bool is_chosen, const char* word) {
        if (is_chosen) words.push_back(word);
    };
    add(run.target == OperfRun::Target::system, "--system-wide");
    if (run.target == OperfRun::Target::process) words.push_back("--pid=" + std::to_string(run.process));
    if (!run.events.empty()) words.push_back("--events=" + run.events);
    if (!run.session_dir.empty()) words.push_back("--session-dir=" + run.session_dir);
    add(run.callgraph, "--callgraph");
    add(run.per_thread, "--separate-thread");
    add(run.per_cpu, "--separate-cpu");
    add(run.append, "--append");
    if (run.target != OperfRun::Target::command) return words;
    words.push_back("--");
    words.insert(words.end(), run.command.begin(), run.command.end());
    return words;
}

std::string shell_line(const std::string& program, const Arguments& arguments) {
    std::string line = quoted(program);
    for (const std::string& word : arguments)
        line += " " + quoted(word);
    return line;
}

}  // namespace op::gui
