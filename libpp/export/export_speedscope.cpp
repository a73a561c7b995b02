// SPDX-License-Identifier: GPL-2.0-or-later
// Stacks as speedscope reads them: "sampled" profiles of its file format, whose schema is
// https://www.speedscope.app/file-format-schema.json. Written piece by piece: stacks are many.
#include "libop/base/json.h"
#include "libop/base/text.h"
#include "libop/events/event_table.h"
#include "libop/session/ledger.h"
#include "libpp/export/exporter.h"
#include "libpp/export/stack_lines.h"

namespace op::pp {

namespace {

class SpeedscopeWriter {
public:
    SpeedscopeWriter(const Profile& profile, const ExportContext& context)
        : profile_(profile), names_(profile, context.demangle), frames_(names_.size(), none) {
        if (context.info) command_ = context.info->command;
    }

    std::string write() && {
        const NamedStacks stacks(profile_, names_);
        const auto events = event_names(profile_.columns);
        std::string text =
            "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","
            "\"exporter\":\"oprofile-ng\",\"activeProfileIndex\":0,";
        if (!command_.empty()) text += "\"name\":" + compact(command_) + ",";
        text += "\n\"profiles\":[\n";
        for (uint32_t column = 0; column < profile_.columns.size(); ++column) {
            if (column > 0) text += ",\n";
            add_profile(text, stacks, column, events[column]);
        }
        return text.append("],\n\"shared\":{\"frames\":[\n").append(joined(used_, ",\n")).append("]}}\n");
    }

private:
    static constexpr uint32_t none = UINT32_MAX;

    static std::string compact(Json value) { return json_text(std::move(value), {.indent = -1}); }

    /// The number of a name in the list of frames, which has what is used.
    uint32_t frame(uint32_t name) {
        if (frames_[name] != none) return frames_[name];
        Json json = {{"name", names_.name(name)}};
        if (!names_.image(name).empty()) json["file"] = names_.image(name);
        used_.push_back(compact(std::move(json)));
        return frames_[name] = static_cast<uint32_t>(used_.size() - 1);
    }

    /// A sample of a stack weighs as much as the stack has samples, of a clock as many milliseconds.
    void add_profile(std::string& text, const NamedStacks& stacks, uint32_t column, const std::string& name) {
        std::string stack, weights;
        std::vector<size_t> ends;  // of the callers' part of `stack`
        uint64_t total = 0;
        const ProfileClass& shown = profile_.columns[column];
        const uint64_t nanoseconds = sample_time(shown.event, shown.count);
        const auto weight = [&](uint64_t count) {
            return nanoseconds > 0 ? milliseconds_text(count, nanoseconds) : std::to_string(count);
        };
        text += "{\"type\":\"sampled\",\"name\":" + compact(name) + ",\"unit\":\"" +
                (nanoseconds > 0 ? "milliseconds" : "none") + "\",\"startValue\":0,\n\"samples\":[";
        const auto enter = [&](uint32_t frame_name, uint64_t count) {
            ends.push_back(stack.size());
            if (!stack.empty()) stack += ',';
            stack += std::to_string(frame(frame_name));
            if (count == 0) return;
            const char* const separator = weights.empty() ? "" : ",";
            text.append(separator).append("[").append(stack).append("]");
            weights.append(separator).append(weight(count));
            total = add_saturating(total, count);
        };
        const auto leave = [&] {
            stack.resize(ends.back());
            ends.pop_back();
        };
        stacks.walk(column, enter, leave);
        text.append("],\n\"weights\":[").append(weights).append("],\n\"endValue\":");
        text.append(weight(total)).append("}");
    }

    const Profile& profile_;
    FrameNames names_;
    std::string command_;
    std::vector<uint32_t> frames_;   ///< by number of a name: its place in used_
    std::vector<std::string> used_;  ///< as JSON
};

}  // namespace

std::string export_speedscope(const Profile& profile, const ExportContext& context) {
    return SpeedscopeWriter(profile, context).write();
}

}  // namespace op::pp
