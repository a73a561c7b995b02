// SPDX-License-Identifier: GPL-2.0-or-later
// From call-graph files to arcs. A file's keys hold the caller's return address and the callee's address,
// both as 32-bit offsets; see doc/FORMATS.md.
#include "libpp/profile/build_arcs.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include "libop/session/ledger.h"
#include "libpp/profile/location_table.h"

namespace op::pp {

namespace {

/// One entry of one call-graph file.
struct ArcHit {
    uint64_t caller, callee;  ///< offsets in their images
    uint32_t column;
    uint64_t count;

    auto place() const { return std::tie(caller, callee); }
};

class ArcBuilder {
public:
    ArcBuilder(Profile& profile, ImageIndex& images, SampleSet& samples, Symbolizer& symbolizer)
        : profile_(profile), images_(images), samples_(samples), locations_(profile, images, symbolizer) {}

    void add(const ArcFiles& files, bool is_library_merged) {
        read(files);
        if (hits_.empty()) return;
        const uint32_t caller = locations_.image(files.caller, header_.mtime, header_.is_kernel);
        const uint32_t callee = locations_.image(files.callee, 0, header_.cg_to_is_kernel);
        const uint32_t app = is_library_merged ? caller : images_.of(files.app);
        std::ranges::sort(hits_, {}, &ArcHit::place);
        const ArcHit* last = nullptr;
        for (const ArcHit& hit : hits_) {
            if (!last || hit.place() != last->place())
                begin_arc({.caller_app = app,
                           .callee_app = is_library_merged ? callee : app,
                           .caller = location(caller, hit.caller, CodeAddress::return_address),
                           .callee = location(callee, hit.callee, CodeAddress::instruction)});
            uint64_t& count = profile_.arc_counts[profile_.arc_counts.size() - width() + hit.column];
            count = add_saturating(count, hit.count);
            last = &hit;
        }
    }

private:
    size_t width() const { return profile_.columns.size(); }

    void read(const ArcFiles& files) {
        hits_.clear();
        header_ = {};
        for (const ClassFile& file : files.files) {
            const auto content = samples_.read(file.file);
            if (!content) continue;
            const uint64_t mtime = std::max(header_.mtime, content->header.mtime);
            header_ = content->header;
            header_.mtime = mtime;
            const SelectedFile& of = samples_.file(file.file);
            for (const SampleEntry& entry : content->entries)
                if (entry.count != 0)
                    hits_.push_back({of.first_offset + (entry.key >> 32),
                                     of.callee_offset + (entry.key & 0xffffffff), file.column, entry.count});
        }
    }

    void begin_arc(Arc arc) {
        profile_.arcs.push_back(arc);
        profile_.arc_counts.resize(profile_.arc_counts.size() + width());
    }

    uint32_t location(uint32_t image, uint64_t offset, CodeAddress kind) {
        return locations_.location(image, ImageOffset{offset}, kind);
    }

    Profile& profile_;
    ImageIndex& images_;
    SampleSet& samples_;
    LocationTable locations_;
    // For the files being added:
    std::vector<ArcHit> hits_;
    SampleHeader header_;
};

}  // namespace

void add_arcs(Profile& profile, ImageIndex& images, const ProfileClasses& classes, SampleSet& samples,
              Symbolizer& symbolizer) {
    if (classes.arcs.empty()) return;
    ArcBuilder builder(profile, images, samples, symbolizer);
    for (const ArcFiles& files : classes.arcs)
        builder.add(files, classes.is_library_merged);
}

}  // namespace op::pp
