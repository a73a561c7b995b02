// SPDX-License-Identifier: GPL-2.0-or-later
// A recorder writes the manifest, and the symbols of run-time code, when it begins and about once a minute,
// the kernel's symbols after the first kernel samples.
#include "utils/optop/live_symbols.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <utility>

#include "libop/base/clock.h"
#include "libop/session/session_files.h"
#include "libpp/symbols/image_finder.h"
#include "libpp/symbols/run_time_code.h"

namespace op::tool {

LiveSymbols::FileMark LiveSymbols::mark_of(const SessionReader& session, const char* name) noexcept {
    struct stat st {};
    if (::fstatat(session.directory().get(), name, &st, AT_SYMLINK_NOFOLLOW) != 0) return {};
    return {st.st_ino, nanoseconds(st.st_ctim)};
}

namespace {

pp::ImageSearch search_for(const SymbolPlaces& places, const SessionReader& session,
                           const std::optional<SessionInfo>& info) {
    pp::ImageSearch search{"", places.root, places.image_paths};
    search.sessions.push_back(session.path());
    if (!info) return search;
    for (const auto& [name, image] : info->images)
        if (!image.path.empty()) search.paths.emplace(name, image.path);
    return search;
}

pp::RunTimeCode code_of(const SessionReader& session, const std::set<uint32_t>& tgids, Diagnostics& notes) {
    pp::RunTimeCode code;
    if (!tgids.empty()) code.add(session, tgids, notes);
    return code;
}

}  // namespace

/// What belongs to one state of the session; the symbolizer refers to the rest.
struct LiveSymbols::Opened {
    std::optional<SessionInfo> info;
    std::string kallsyms;
    pp::RunTimeCode code;
    pp::ImageFinder finder;
    pp::Symbolizer symbolizer;

    Opened(const SymbolPlaces& places, const SessionReader& session, const std::optional<SessionInfo>& known,
           const std::set<uint32_t>& tgids, Diagnostics& notes)
        : info(known),
          kallsyms(session.kallsyms(notes)),
          code(code_of(session, tgids, notes)),
          finder(search_for(places, session, info), info ? info->kernel_release : ""),
          symbolizer(finder, info ? &*info : nullptr, kallsyms,
                     {places.vmlinux, places.by_build_id, places.trusts_paths, &code}, notes) {}

    /// True if what is known of images is the same.
    bool fits(const std::optional<SessionInfo>& other) const {
        if (!info || !other) return info.has_value() == other.has_value();
        return info->images == other->images && info->kernel_images == other->kernel_images;
    }
};

LiveSymbols::LiveSymbols(SymbolPlaces places, Diagnostics& notes)
    : places_(std::move(places)), notes_(notes) {}

LiveSymbols::~LiveSymbols() = default;

bool LiveSymbols::follow(const SessionReader& session, bool is_another, const std::set<uint32_t>& tgids) {
    const FileMark manifest = mark_of(session, manifest_name);
    const FileMark kallsyms = mark_of(session, kallsyms_name);
    const bool has_manifest_news = is_another || !opened_ || manifest != manifest_;
    if (has_manifest_news) info_ = session.info(notes_);
    const bool has_code_news = tgids != tgids_ || (has_manifest_news && !tgids.empty());
    const bool is_valid = opened_ && !is_another && kallsyms == kallsyms_ && !has_code_news &&
                          (!has_manifest_news || opened_->fits(info_));
    manifest_ = manifest;
    kallsyms_ = kallsyms;
    tgids_ = tgids;
    if (is_valid) return false;
    opened_ = std::make_unique<Opened>(places_, session, info_, tgids, notes_);
    return true;
}

PlacedSymbols LiveSymbols::symbols(const ImageName& image, const SampleHeader& header) {
    const auto [placed, first_offset] = opened_->symbolizer.place(image);
    return {&opened_->symbolizer.symbols(placed, header.mtime, header.is_kernel), first_offset};
}

ImageName LiveSymbols::place(const ImageName& image) const {
    return opened_ ? opened_->symbolizer.place(image).first : image;
}

std::string LiveSymbols::file(const ImageName& image) const {
    return opened_ ? std::string(opened_->symbolizer.file(place(image))) : "";
}

}  // namespace op::tool
