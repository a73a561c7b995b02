// SPDX-License-Identifier: GPL-2.0-or-later
// Stacks as speedscope reads them: "sampled" profiles of its file format, whose schema is
// https://www.speedscope.app/file-format-schema.json. Written piece by piece: stacks are many.
#include "libop/base/json.h"
#include "libop/base/text.h"
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
        const auto events = event_names(profile_.columns);
        std::vector<std::string> profiles;
        for (uint32_t column = 0; column < profile_.columns.size(); ++column)
            profiles.push_back(profile_text(column, events[column]));
        std::string text =
            "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","
            "\"exporter\":\"oprofile-ng\",\"activeProfileIndex\":0,";
        if (!command_.empty()) text += "\"name\":" + compact(command_) + ",";
        return text + "\"shared\":{\"frames\":[\n" + joined(used_, ",\n") + "]},\n\"profiles\":[\n" +
               joined(profiles, ",\n") + "]}\n";
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

    /// A sample of a stack weighs as much as the stack has samples.
    std::string profile_text(uint32_t column, const std::string& name) {
        std::vector<std::string> samples, weights;
        uint64_t total = 0;
        for (const NamedStack& stack : named_stacks(profile_, names_, column)) {
            const auto number = [this](uint32_t one) { return std::to_string(frame(one)); };
            samples.push_back("[" + joined(stack.names, ",", number) + "]");
            weights.push_back(std::to_string(stack.count));
            total = add_saturating(total, stack.count);
        }
        return "{\"type\":\"sampled\",\"name\":" + compact(name) +
               ",\"unit\":\"none\",\"startValue\":0,\"endValue\":" + std::to_string(total) +
               ",\n\"samples\":[" + joined(samples, ",") + "],\n\"weights\":[" + joined(weights, ",") + "]}";
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
