// SPDX-License-Identifier: GPL-2.0-or-later
// Stacks as lines, "APP;OUTERMOST;...;INNERMOST COUNT", which flame graph programs read.
#include <algorithm>

#include "libop/base/error.h"
#include "libop/base/text.h"
#include "libpp/export/exporter.h"
#include "libpp/export/stack_lines.h"

namespace op::pp {

std::string export_folded(const Profile& profile, const ExportContext& context) {
    if (profile.columns.size() > 1)
        throw_usage("--format=folded has a place for one event: choose one with event: (recorded: " +
                    joined(event_names(profile.columns)) + ")");
    const FrameNames names(profile, context.demangle);
    std::vector<std::string> texts;
    for (uint32_t i = 0; i < names.size(); ++i) {
        texts.push_back(names.name(i));
        std::ranges::replace(texts.back(), ';', ':');  // it separates frames
    }
    std::vector<std::string> lines;
    for (const NamedStack& stack : named_stacks(profile, names, 0)) {
        const std::string line = joined(stack.names, ";", [&](uint32_t name) { return texts[name]; });
        lines.push_back(line + " " + std::to_string(stack.count) + "\n");
    }
    std::ranges::sort(lines);
    std::string text;
    for (const std::string& line : lines)
        text += line;
    return text;
}

}  // namespace op::pp
