// SPDX-License-Identifier: GPL-2.0-or-later
// Groups images by path, then symbols by group and name.
#include "libpp/profile/join_builds.h"

#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "libop/base/text.h"
#include "libop/session/ledger.h"
#include "libpp/profile/build_arcs.h"

namespace op::pp {

namespace {

/// For each image the one of its joined name; a missing one is added.
std::vector<uint32_t> join_images(Profile& profile, const JoinedName& joined_name) {
    ImageIndex indexes(profile);
    for (uint32_t i = 0; i < profile.images.size(); ++i)
        indexes.add(profile.images[i].name, i);
    std::vector<uint32_t> joined;
    for (size_t i = 0, recorded = profile.images.size(); i < recorded; ++i)
        joined.push_back(indexes.of(joined_name(profile.images[i].name)));
    for (size_t i = joined.size(); i < profile.images.size(); ++i)
        joined.push_back(static_cast<uint32_t>(i));
    return joined;
}

/// For each image of `joined`, how many images with samples have their rows there.
std::vector<uint32_t> files_of(const Profile& profile, const std::vector<uint32_t>& joined) {
    std::vector<uint32_t> files(profile.images.size());
    for (size_t i = 0; i < profile.images.size(); ++i)
        files[joined[i]] += profile.images[i].symbols ? 1 : 0;
    return files;
}

}  // namespace

ImageName named_by_path(const ImageName& image, const SessionInfo& info) {
    return image.kind == ImageName::Kind::file ? ImageName{image.kind, info.path(image.name)} : image;
}

void join_rows(Profile& profile, const JoinedName& joined_name) {
    JoinedRows joined{join_images(profile, joined_name), {}, {}};
    const std::vector<uint32_t> files = files_of(profile, joined.images);
    std::map<std::tuple<uint32_t, std::string_view, bool>, uint32_t> rows;
    for (uint32_t i = 0; i < profile.symbols.size(); ++i) {
        const ProfileSymbol& symbol = profile.symbols[i];
        const uint32_t image = joined.images[symbol.image];
        const bool is_among_others = files[image] > 1, has_name = !symbol.symbol->is_nameless;
        const std::string_view name = is_whole_image(profile, symbol) ? "" : symbol.symbol->name;
        // Run-time code, where it is joined: the same function is compiled again and again.
        const bool is_recompiled =
            image != symbol.image && profile.images[symbol.image].name.kind == ImageName::Kind::anon;
        const bool is_joined = has_name && (is_among_others || is_recompiled || symbol.symbol->artificial);
        joined.symbols.push_back(
            is_joined ? rows.try_emplace({image, name, symbol.is_inlined}, i).first->second : i);
        joined.symbol_images.push_back(is_among_others && !has_name ? symbol.image : image);
    }
    profile.joined = std::move(joined);
    profile.check();
}

void join_builds(Profile& profile, const SessionInfo& info) {
    join_rows(profile, [&](const ImageName& image) { return named_by_path(image, info); });
}

std::vector<ImageTotal> join_totals(std::span<const ImageTotal> totals, const JoinedName& joined_name) {
    std::vector<ImageTotal> joined;
    std::map<std::pair<ImageName, ImageName>, size_t> rows;
    for (const ImageTotal& total : totals) {
        const ImageName app = joined_name(total.app), image = joined_name(total.image);
        const auto [row, is_new] = rows.try_emplace({app, image}, joined.size());
        if (is_new) joined.push_back({app, image, std::vector<uint64_t>(total.counts.size())});
        auto& counts = joined[row->second].counts;
        for (size_t i = 0; i < counts.size(); ++i)
            counts[i] = add_saturating(counts[i], total.counts[i]);
    }
    return joined;
}

std::vector<ImageTotal> join_builds(std::span<const ImageTotal> totals, const SessionInfo& info) {
    return join_totals(totals, [&](const ImageName& image) { return named_by_path(image, info); });
}

std::vector<std::string> join_remarks(std::span<const ImageFiles> images, const SessionInfo& info) {
    std::map<std::string, std::set<std::string>> files;
    for (const ImageFiles& image : images)
        for (const ImagePart& part : image.parts)
            for (const ImageName* name : {&image.image, &part.app})
                if (name->kind == ImageName::Kind::file) files[info.path(name->name)].insert(name->name);
    std::vector<std::string> joined;
    for (const auto& [path, names] : files)
        if (names.size() > 1) joined.push_back(printable(path) + " (" + std::to_string(names.size()) + ")");
    if (joined.empty()) return {};
    return {"several files of one path are joined: " + short_list(joined)};
}

}  // namespace op::pp
