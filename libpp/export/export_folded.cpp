// SPDX-License-Identifier: GPL-2.0-or-later
// Stacks as lines, "APP;OUTERMOST;...;INNERMOST COUNT", which flame graph programs read.
#include <algorithm>

#include "libpp/export/exporter.h"
#include "libpp/export/stack_lines.h"

namespace op::pp {

namespace {

std::string frame_text(const FrameNames& names, uint32_t number) {
    std::string text = names.full_name(number);
    std::ranges::replace(text, ';', ':');  // it separates frames
    return text;
}

}  // namespace

std::string export_folded(const Profile& profile, const ExportContext& context) {
    require_one_event(profile, "folded");
    const FrameNames names(profile, context.demangle);
    std::vector<std::string> texts;
    for (uint32_t i = 0; i < names.size(); ++i)
        texts.push_back(frame_text(names, i));
    const NamedStacks stacks(profile, names);
    std::string text, line;
    std::vector<size_t> ends;  // of the callers' part of `line`
    const auto enter = [&](uint32_t name, uint64_t count) {
        ends.push_back(line.size());
        if (ends.size() > 1) line += ';';
        line += texts[name];
        if (count > 0) text.append(line).append(" ").append(std::to_string(count)).append("\n");
    };
    const auto leave = [&] {
        line.resize(ends.back());
        ends.pop_back();
    };
    stacks.walk(0, enter, leave);
    return text;
}

}  // namespace op::pp
