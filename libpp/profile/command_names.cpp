// SPDX-License-Identifier: GPL-2.0-or-later
// Names of threads and scripts.
#include "libpp/profile/command_names.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "libop/base/text.h"
#include "libop/session/ledger.h"

namespace op::pp {
namespace {

constexpr size_t most_remarks = 5, most_names = 5;
/// One part in so many of the session's samples is worth a line.
constexpr uint64_t least_share = 20;
/// The kernel cuts names to this length.
constexpr size_t longest_name = 15;

/// An application's samples by name.
struct Naming {
    uint64_t total = 0;  ///< with those of names that the session left out
    uint64_t other = 0;  ///< of other names than its own
    uint64_t left_out = 0;
    std::vector<std::pair<uint64_t, std::string>> others;
};

/// "python3" is a name of python3.11, "sh" of any shell, and one that was cut is the file's.
bool is_own_name(std::string_view application, std::string_view name) {
    const std::string_view own = base_name(application);
    return own.substr(0, longest_name).starts_with(name) || (name == "sh" && own.ends_with(name));
}

/// It has the name of each script that it looks for the interpreter of, but the script's samples are the
/// interpreter's.
bool is_launcher(std::string_view application) {
    return base_name(application) == "env";
}

std::string percent(uint64_t part, uint64_t whole) {
    return std::to_string(
               static_cast<unsigned>(100.0 * static_cast<double>(part) / static_cast<double>(whole) + 0.5)) +
           " %";
}

std::map<std::string, Naming> namings(const RecordedNames& names, const std::set<std::string>& shown) {
    std::map<std::string, Naming> found;
    for (const auto& [command, samples] : names.commands()) {
        const auto& [application, name] = command;
        if (!shown.contains(application) || is_launcher(application)) continue;
        Naming& naming = found[application];
        naming.total = add_saturating(naming.total, samples);
        if (name.empty()) naming.left_out = samples;
        if (name.empty() || is_own_name(application, name)) continue;
        naming.other = add_saturating(naming.other, samples);
        naming.others.emplace_back(samples, name);
    }
    return found;
}

std::string remark(const std::string& application, Naming naming) {
    std::ranges::stable_sort(naming.others, std::greater{}, &std::pair<uint64_t, std::string>::first);
    std::vector<std::string> texts;
    uint64_t rest = add_saturating(naming.other, naming.left_out);
    for (size_t i = 0; i < std::min(naming.others.size(), most_names); ++i) {
        const auto& [samples, name] = naming.others[i];
        if (i > 0 && samples < naming.total / 100) break;
        texts.push_back(printable(name) + " (" + percent(samples, naming.total) +
                        (i > 0 ? ")" : " of its samples)"));
        rest -= samples;
    }
    if (rest > 0 && rest >= naming.total / 100)
        texts.push_back("others (" + percent(rest, naming.total) + ")");
    return printable(base_name(application)) + " ran as " + joined(texts);
}

}  // namespace

void name_threads(std::span<ProfileClass> classes, const RecordedNames& names) {
    for (ProfileClass& one : classes) {
        if (!one.tgid) continue;
        const auto name = names.threads().find({*one.tgid, one.tid.value_or(*one.tgid)});
        if (name != names.threads().end()) one.thread_name = name->second;
    }
}

std::vector<std::string> command_remarks(std::span<const ImageFiles> images, const RecordedNames& names) {
    std::set<std::string> shown;
    for (const ImageFiles& image : images)
        for (const ImagePart& part : image.parts)
            shown.insert(part.app.name);
    uint64_t total = names.left_out_samples();
    for (const auto& [command, samples] : names.commands())
        total = add_saturating(total, samples);
    std::vector<std::pair<uint64_t, std::string>> remarks;
    for (auto& [application, naming] : namings(names, shown))
        if (naming.other > 0 && naming.other >= total / least_share)
            remarks.emplace_back(naming.total, remark(application, naming));
    std::ranges::stable_sort(remarks, std::greater{}, &std::pair<uint64_t, std::string>::first);
    std::vector<std::string> lines;
    for (auto& [samples, line] : remarks)
        if (lines.size() < most_remarks) lines.push_back(std::move(line));
    return lines;
}

}  // namespace op::pp
