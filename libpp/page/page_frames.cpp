// SPDX-License-Identifier: GPL-2.0-or-later
// Numbers the names of a page.
#include "libpp/page/page_frames.h"

#include <algorithm>

#include "libop/base/error.h"
#include "libop/base/text.h"

namespace op::pp {

namespace {

PageKind kind_of(const ImageName& image, bool is_application) {
    if (is_kernel_image(image)) return PageKind::kernel;
    if (image.kind == ImageName::Kind::anon)
        return image.name.starts_with("[vdso") ? PageKind::library : PageKind::run_time_code;
    return is_application ? PageKind::application : PageKind::library;
}

std::vector<PageKind> kinds_of_images(const Profile& profile) {
    std::vector<bool> is_application(profile.images.size());
    for (const StackSamples& samples : profile.samples)
        is_application[samples.app] = true;
    std::vector<PageKind> kinds;
    for (size_t image = 0; image < profile.images.size(); ++image)
        kinds.push_back(kind_of(profile.images[image].name, is_application[image]));
    return kinds;
}

/// What a column is of besides its event; empty = all processes, threads and CPUs.
std::string part_text(const ProfileClass& column) {
    std::vector<std::string> parts;
    const auto add = [&](const char* what, const std::optional<uint32_t>& number) {
        if (number) parts.push_back(what + std::to_string(*number));
    };
    if (column.tid && column.tgid && *column.tid == *column.tgid)
        add("thread ", column.tid);
    else {
        add("process ", column.tgid);
        add("thread ", column.tid);
    }
    add("CPU ", column.cpu);
    const std::string text = joined(parts, ", ");
    return column.thread_name.empty() ? text : text + " (" + printable(column.thread_name) + ")";
}

}  // namespace

std::vector<std::string> PageProfiles::event_names() const {
    std::vector<std::string> names;
    if (events.empty()) return names;
    for (const std::string& event : events.front())
        if (std::ranges::find(names, event) == names.end()) names.push_back(event);
    return names;
}

PageFrames::PageFrames(PageProfiles profiles, Demangle demangle) : profiles_(std::move(profiles)) {
    events_ = profiles_.event_names().size();
    for (size_t side = 0; side < profiles_.sides.size(); ++side) {
        add_columns(*profiles_.sides[side], profiles_.events.at(side));
        add_side(*profiles_.sides[side], demangle);
    }
    for (const Profile* const coded : profiles_.coded)
        add_side(*coded, demangle);
}

uint32_t PageFrames::number(PageFrame frame) {
    const auto [at, is_new] = numbers_.try_emplace(std::move(frame), static_cast<uint32_t>(rows_.size()));
    if (is_new) rows_.push_back(&at->first);
    return at->second;
}

void PageFrames::add_columns(const Profile& profile, const std::vector<std::string>& events) {
    const std::vector<std::string> names = profiles_.event_names();
    const size_t side = columns_.size();
    if (events.size() != profile.columns.size())
        throw Error(ErrorKind::internal, "a page needs an event for each column");
    auto& columns = columns_.emplace_back();
    auto& parts = parts_.emplace_back();
    for (size_t i = 0; i < events.size(); ++i) {
        const auto event = static_cast<size_t>(std::ranges::find(names, events[i]) - names.begin());
        if (event == names.size()) throw Error(ErrorKind::internal, "a page compares the same events");
        columns.push_back(event * profiles_.sides.size() + side);
        const ProfileClass& column = profile.columns[i];
        const std::string text = part_text(column);
        parts.push_back(text.empty() ? no_part : number({text, "", PageKind::part}));
        if (!text.empty()) parts_name_ = column.tid ? "threads" : column.tgid ? "processes" : "CPUs";
    }
}

void PageFrames::add_side(const Profile& profile, Demangle demangle) {
    Side side{FrameNames(profile, demangle), {}, {}};
    const std::vector<PageKind> image_kinds = kinds_of_images(profile);
    std::vector<PageKind> kinds(side.names.size(), PageKind::cut);
    for (uint32_t location = 0; location < profile.locations.size(); ++location)
        kinds[side.names.of({0, location, StackNodeKind::code})] =
            image_kinds[profile.locations[location].image];
    for (uint32_t name = 0; name < side.names.size(); ++name)
        side.functions.push_back(number({side.names.name(name), side.names.image(name), kinds[name]}));
    for (uint32_t image = 0; image < profile.images.size(); ++image) {
        const uint32_t name = side.names.of({0, image, StackNodeKind::application});
        side.images.push_back(
            number({side.names.name(name), side.names.image(name), image_kinds[image], true}));
    }
    add_files(profile, side);
    sides_.push_back(std::move(side));
}

/// Of functions of one name the first one's file.
void PageFrames::add_files(const Profile& profile, const Side& side) {
    files_.resize(rows_.size());
    std::vector<bool> is_done(profile.symbols.size());
    for (uint32_t location = 0; location < profile.locations.size(); ++location) {
        const uint32_t symbol = profile.locations[location].symbol;
        if (symbol == Location::no_symbol || is_done[symbol]) continue;
        is_done[symbol] = true;
        ImageSymbols* const symbols = profile.images[profile.symbols[symbol].image].symbols;
        if (is_whole_image(profile, profile.symbols[symbol]) || !symbols || !symbols->has_lines()) continue;
        std::string& file = files_[side.functions[side.names.of({0, location, StackNodeKind::code})]];
        if (!file.empty()) continue;
        if (const auto line = symbols->line(profile.symbols[symbol].symbol->start))
            file = printable(line->file);
    }
}

uint32_t PageFrames::of(size_t side, const StackNode& node) const {
    return node.kind == StackNodeKind::application ? of_image(side, node.location)
                                                   : sides_[side].functions[sides_[side].names.of(node)];
}

uint32_t PageFrames::of_line(const SourceLine& line) {
    const std::string path = printable(line.file);
    const std::string place = line.line == 0 ? ", no line" : ":" + std::to_string(line.line);
    return number({std::string(base_name(path)) + place, path, PageKind::line});
}

}  // namespace op::pp
