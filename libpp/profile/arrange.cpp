// SPDX-License-Identifier: GPL-2.0-or-later
// From selected files to columns.
#include "libpp/profile/arrange.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "libop/base/error.h"
#include "libop/base/text.h"
#include "libop/session/event_label.h"

namespace op::pp {

namespace {

constexpr uint64_t all = std::numeric_limits<uint64_t>::max();

uint64_t sort_number(const std::optional<uint32_t>& value) {
    return value ? *value : all;
}
std::string number_text(const std::optional<uint32_t>& value) {
    return value ? std::to_string(*value) : "all";
}

/// Classes with equal keys are the same. Keys sort as classes do: `all` last, the count by its text.
using ClassKey = std::tuple<uint64_t, uint64_t, uint64_t, uint64_t, std::string, std::string>;

ClassKey key_of(const SampleName& name, const Merge& merge) {
    return {merge.cpu ? all : sort_number(name.cpu),
            merge.tgid ? all : sort_number(name.tgid),
            merge.tid ? all : sort_number(name.tid),
            merge.unit_mask ? all : name.unit_mask,
            name.event,
            std::to_string(name.count)};
}

ProfileClass class_of(const SampleName& name, const Merge& merge) {
    ProfileClass result{name.event, name.count, name.unit_mask, name.tgid, name.tid, name.cpu};
    if (merge.cpu) result.cpu.reset();
    if (merge.tgid) result.tgid.reset();
    if (merge.tid) result.tid.reset();
    return result;
}

/// A way in which classes can differ.
struct Parameter {
    const char* name;
    Axis axis;
    std::string (*value)(const ProfileClass&);
    const char* remedy;
};

const Parameter parameters[] = {
    {"event", Axis::event, [](const ProfileClass& c) { return c.event; }, "specify event:"},
    {"count", Axis::event, [](const ProfileClass& c) { return std::to_string(c.count); }, "specify count:"},
    {"unit-mask", Axis::event, [](const ProfileClass& c) { return std::to_string(c.unit_mask); },
     "specify unit-mask: or --merge=unitmask"},
    {"tgid", Axis::tgid, [](const ProfileClass& c) { return number_text(c.tgid); },
     "specify tgid: or --merge=tgid"},
    {"tid", Axis::tid, [](const ProfileClass& c) { return number_text(c.tid); },
     "specify tid: or --merge=tid (--merge=tgid for all processes together)"},
    {"cpu", Axis::cpu, [](const ProfileClass& c) { return number_text(c.cpu); },
     "specify cpu: or --merge=cpu"},
};

/// The distinct values of a parameter in class order.
std::vector<std::string> values_of(const Parameter& parameter, std::span<const ProfileClass> classes) {
    std::vector<std::string> values;
    std::set<std::string> seen;
    for (const auto& one : classes)
        if (auto value = parameter.value(one); seen.insert(value).second) values.push_back(std::move(value));
    return values;
}

/// Process and thread may differ together if every class is its process's main thread.
bool are_main_threads(std::span<const ProfileClass> classes) {
    return std::ranges::all_of(classes, [](const ProfileClass& c) { return c.tgid == c.tid; });
}

/// The remedy for each parameter in which classes differ, except the axis that can be shown.
std::string remedies(const Parameter& shown, std::span<const ProfileClass> classes) {
    std::vector<std::string> texts;
    for (const Parameter& parameter : parameters)
        if (parameter.axis != shown.axis && values_of(parameter, classes).size() > 1)
            texts.emplace_back(parameter.remedy);
    return joined(texts, "; ");
}

[[noreturn]] void throw_conflict(const Parameter& a, const Parameter& b,
                                 std::span<const ProfileClass> classes) {
    throw_usage(std::string("Already displaying results for parameter ") + a.name + " with values: " +
                short_list(values_of(a, classes)) + ", which conflicts with parameter " + b.name +
                " values: " + short_list(values_of(b, classes)) + "; suggestion: " + remedies(a, classes));
}

/// The ways in which classes differ.
struct Differing {
    const Parameter* shown = nullptr;     ///< null = in none
    const Parameter* conflict = nullptr;  ///< null = columns can show the difference

    Axis axis() const { return conflict ? Axis::several : shown ? shown->axis : Axis::event; }
};

Differing find_differing(std::span<const ProfileClass> classes) {
    Differing differing;
    for (const Parameter& parameter : parameters) {
        if (values_of(parameter, classes).size() < 2) continue;
        const Parameter* const shown = differing.shown;
        const bool may_join =
            shown &&
            (shown->axis == parameter.axis ||
             (shown->axis == Axis::tgid && parameter.axis == Axis::tid && are_main_threads(classes)));
        if (shown && !may_join) {
            differing.conflict = &parameter;
            return differing;
        }
        differing.shown = &parameter;
    }
    return differing;
}

/// A class, and the files in it.
struct Draft {
    ProfileClass shown;
    std::vector<size_t> files;
};

std::map<ClassKey, Draft> group(std::span<const SelectedFile> files, const Merge& merge) {
    std::map<ClassKey, Draft> drafts;
    for (size_t i = 0; i < files.size(); ++i) {
        const SampleName& name = files[i].name;
        auto [at, is_new] = drafts.try_emplace(key_of(name, merge));
        if (is_new) at->second.shown = class_of(name, merge);
        at->second.shown.unit_mask |= name.unit_mask;
        at->second.files.push_back(i);
    }
    return drafts;
}

bool has_threads_apart(std::span<const ProfileClass> classes) {
    return std::ranges::any_of(classes, [](const ProfileClass& c) { return c.tgid || c.tid; });
}

bool differ_in(std::string_view name, std::span<const ProfileClass> classes) {
    return std::ranges::any_of(parameters, [&](const Parameter& parameter) {
        return parameter.name == name && values_of(parameter, classes).size() > 1;
    });
}

/// The words and options that give a column per process, or per thread of the only process.
std::string how_to_separate(Merge merge, std::span<const ProfileClass> classes) {
    const bool has_processes = differ_in("tgid", classes), has_events = differ_in("event", classes);
    const bool has_counts = !has_events && differ_in("count", classes);
    merge.tid |= has_processes;
    merge.cpu |= differ_in("cpu", classes);
    merge.unit_mask |= !has_events && differ_in("unit-mask", classes);
    std::vector<std::string> ways, merged;
    if (has_events || has_counts) ways.emplace_back(has_events ? "event:" : "count:");
    for (const auto& [is_merged, value] :
         {std::pair{merge.tid, "tid"}, std::pair{merge.cpu, "cpu"}, std::pair{merge.unit_mask, "unitmask"}})
        if (is_merged) merged.emplace_back(value);
    if (!merged.empty()) ways.push_back("--merge=" + joined(merged, ","));
    return joined(ways, " and ") + " for a column per " + (has_processes ? "process" : "thread");
}

ProfileClasses arrange_as_asked(std::span<const SelectedFile> files, const Merge& merge) {
    ProfileClasses result;
    std::map<ImageName, std::map<ImageName, std::vector<ClassFile>>> images;
    std::map<std::tuple<ImageName, ImageName, ImageName>, std::vector<ClassFile>> arcs;
    for (auto& [key, draft] : group(files, merge)) {
        const auto column = static_cast<uint32_t>(result.classes.size());
        for (const size_t file : draft.files) {
            const SampleName& name = files[file].name;
            const ImageName& app = merge.library ? name.image : name.app;
            auto& feeding = name.callee ? arcs[{name.image, *name.callee, app}] : images[name.image][app];
            feeding.push_back({file, column});
        }
        result.classes.push_back(std::move(draft.shown));
    }
    result.axis = find_differing(result.classes).axis();
    result.is_library_merged = merge.library;
    for (auto& [key, arc] : arcs)
        result.arcs.push_back({std::get<0>(key), std::get<1>(key), std::get<2>(key), std::move(arc)});
    for (auto& [image, parts] : images) {
        ImageFiles& added = result.images.emplace_back(ImageFiles{image, {}});
        for (auto& [app, part] : parts)
            added.parts.push_back({app, std::move(part)});
    }
    return result;
}

}  // namespace

Merge parse_merge(std::span<const std::string> values, bool may_be_build) {
    Merge merge;
    for (const auto& value : values) {
        const bool is_all = value == "all";
        const bool is_library = value == "lib" || value == "library";
        const bool is_process = value == "tgid" || value == "pid";
        const bool is_known = is_all || is_library || is_process || value == "cpu" || value == "tid" ||
                              value == "unitmask" || (may_be_build && value == "build");
        if (!is_known)
            throw_usage("invalid --merge value " + value + ": use cpu, tid, tgid, unitmask, lib" +
                        (may_be_build ? ", build" : "") + " or all");
        merge.cpu |= is_all || value == "cpu";
        merge.tid |= is_all || is_process || value == "tid";
        merge.tgid |= is_all || is_process;
        merge.unit_mask |= is_all || value == "unitmask";
        merge.library |= is_all || is_library;
    }
    return merge;
}

std::string ProfileClass::short_name(Axis axis) const {
    switch (axis) {
        case Axis::tgid:
            return "tgid:" + number_text(tgid);
        case Axis::tid:
            return "tid:" + number_text(tid);
        case Axis::cpu:
            return "cpu:" + number_text(cpu);
        case Axis::event:
        case Axis::several:
            break;
    }
    return event_label(event, count);
}

ProfileClasses arrange(std::span<const SelectedFile> files, const Merge& merge, bool may_differ_in_several) {
    if (may_differ_in_several) return arrange_as_asked(files, merge);
    ProfileClasses result = arrange_as_asked(files, merge);
    if (result.axis == Axis::several && !merge.tgid && has_threads_apart(result.classes)) {
        Merge merged = merge;
        merged.tid = merged.tgid = true;
        std::string separate_with = how_to_separate(merge, result.classes);
        result = arrange_as_asked(files, merged);
        result.are_threads_merged = true;
        result.separate_with = std::move(separate_with);
    }
    if (result.axis != Axis::several) return result;
    const Differing differing = find_differing(result.classes);
    throw_conflict(*differing.shown, *differing.conflict, result.classes);
}

}  // namespace op::pp
