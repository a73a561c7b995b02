// SPDX-License-Identifier: GPL-2.0-or-later
// The messages of the control socket as text.
#include <algorithm>
#include <array>

#include "libop/base/error.h"
#include "libop/base/text.h"
#include "libop/control/control.h"

namespace op {

namespace {

struct VerbRow {
    ControlVerb verb;
    std::string_view name;
};

constexpr std::array<VerbRow, 8> verbs{{{ControlVerb::status, "status"},
                                        {ControlVerb::start, "start"},
                                        {ControlVerb::stop, "stop"},
                                        {ControlVerb::dump, "dump"},
                                        {ControlVerb::reset, "reset"},
                                        {ControlVerb::save, "save"},
                                        {ControlVerb::rotate, "rotate"},
                                        {ControlVerb::shutdown, "shutdown"}}};

constexpr std::string_view error_mark = "error: ";

bool is_one_line(std::string_view text) {
    return std::ranges::none_of(text, [](unsigned char c) { return c < 0x20 || c == 0x7f; });
}

}  // namespace

ControlRequest parse_control_request(std::string_view packet) {
    if (packet.size() > control_request_limit) throw_input("the request is too long");
    if (packet.ends_with('\n')) packet.remove_suffix(1);
    if (!is_one_line(packet)) throw_input("the request holds control characters");
    const size_t blank = packet.find(' ');
    const std::string_view name = packet.substr(0, blank);
    const std::string_view argument = blank == packet.npos ? std::string_view() : packet.substr(blank + 1);
    const auto row = std::ranges::find(verbs, name, &VerbRow::name);
    if (row == verbs.end()) throw_input("no such request: '" + printable(name) + "'");
    if (row->verb == ControlVerb::save && argument.empty()) throw_input("save: no name was given");
    if (row->verb != ControlVerb::save && blank != packet.npos)
        throw_input(std::string(name) + " takes no argument");
    return {row->verb, std::string(argument)};
}

std::string to_text(const ControlRequest& request) {
    std::string text(std::ranges::find(verbs, request.verb, &VerbRow::verb)->name);
    if (!request.argument.empty()) text += " " + request.argument;
    return text;
}

std::optional<std::string_view> ControlReply::find(std::string_view key) const& {
    const auto it = std::ranges::find_if(values, [&](const auto& pair) { return pair.first == key; });
    return it == values.end() ? std::nullopt : std::optional<std::string_view>(it->second);
}

ControlReply parse_control_reply(std::string_view packet) {
    ControlReply reply;
    const std::string_view outcome = take_line(packet);
    if (outcome.starts_with(error_mark)) {
        reply.error = printable(outcome.substr(error_mark.size()));
        if (reply.error.empty()) reply.error = "refused";
    } else if (outcome != "ok") {
        throw_input("the daemon's answer is not understood");
    }
    while (!packet.empty()) {
        const std::string_view line = take_line(packet);
        const size_t colon = line.find(": ");
        if (colon == line.npos) throw_input("the daemon's answer is not understood");
        reply.add(printable(line.substr(0, colon)), printable(line.substr(colon + 2)));
    }
    return reply;
}

std::string to_text(const ControlReply& reply) {
    constexpr size_t longest_error = 1024;
    const std::string outcome = reply.ok() ? "ok" : std::string(error_mark) + reply.error;
    std::string text = printable(std::string_view(outcome).substr(0, longest_error)) + "\n";
    for (const auto& [key, value] : reply.values) {
        const std::string line = printable(key) + ": " + printable(value) + "\n";
        if (text.size() + line.size() > control_reply_limit) break;
        text += line;
    }
    return text;
}

}  // namespace op
