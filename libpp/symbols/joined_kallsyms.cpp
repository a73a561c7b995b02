// SPDX-License-Identifier: GPL-2.0-or-later
// Moves lines by the difference of where their image began.
#include "libpp/symbols/joined_kallsyms.h"

#include <algorithm>
#include <map>
#include <optional>

#include "libop/base/kallsyms.h"
#include "libop/base/text.h"
#include "libop/stream/record.h"

namespace op::pp {
namespace {

const RecordedKernelImage* find(const SessionInfo& info, std::string_view name) {
    const auto image = std::ranges::find(info.kernel_images, name, &RecordedKernelImage::name);
    return image == info.kernel_images.end() ? nullptr : &*image;
}

/// By how much an image of that name moved; none if it is of another build.
std::optional<uint64_t> shift_of(const SessionInfo& from, const SessionInfo& to, std::string_view module) {
    const std::string_view name = module.empty() ? kallsyms_image : module;
    const RecordedKernelImage *const here = find(from, name), *const there = find(to, name);
    if (!here || !there) return 0;
    if (here->build_id != there->build_id) return std::nullopt;
    return there->start - here->start;
}

void append_moved(const SessionKallsyms& session, const SessionInfo& joined, std::string& out) {
    std::map<std::string, std::optional<uint64_t>, std::less<>> shifts;
    std::string_view rest = session.text;
    while (!rest.empty()) {
        const std::string_view whole = take_line(rest);
        const auto line = parse_kallsyms_line(whole);
        if (!line) continue;
        auto known = shifts.find(line->module);
        if (known == shifts.end())
            known = shifts.emplace(line->module, shift_of(session.info, joined, line->module)).first;
        if (!known->second) continue;
        out += hex(line->address + *known->second);
        out.append(whole.substr(std::min(whole.find(' '), whole.size()))).push_back('\n');
    }
}

}  // namespace

std::string join_kallsyms(std::vector<SessionKallsyms> sessions, const SessionInfo& joined) {
    std::erase_if(sessions, [](const SessionKallsyms& session) { return session.text.empty(); });
    if (sessions.empty()) return "";
    if (sessions.size() == 1) return std::move(sessions.front().text);
    std::string out;
    for (const SessionKallsyms& session : sessions)
        append_moved(session, joined, out);
    return out;
}

}  // namespace op::pp
