// SPDX-License-Identifier: GPL-2.0-or-later
// One note an image, by share of all samples.
#include "libpp/symbol_notes.h"

#include <algorithm>
#include <iomanip>
#include <sstream>

#include "libop/ledger.h"
#include "libop/text.h"
#include "libpp/percent.h"
#include "libpp/symbol_rows.h"

namespace op::pp {

namespace {

constexpr double worth_a_line = 1;  // percent of the samples

/// An image that lacks something.
struct Lacking {
    uint32_t image;  ///< index into Profile::images
    uint64_t samples;
    std::string reason;  ///< end of a sentence
};

/// The samples of every image, of all columns.
std::vector<uint64_t> samples_by_image(const Profile& profile) {
    std::vector<uint64_t> sums(profile.images.size());
    for (size_t i = 0; i < profile.samples.size(); ++i) {
        uint64_t& sum = sums[profile.leaf(i).image];
        for (size_t column = 0; column < profile.columns.size(); ++column)
            sum = add_saturating(sum, profile.count(i, column));
    }
    return sums;
}

std::string what_lacks(const ProfileImage& image, const Symbolizer& symbolizer, bool wants_lines) {
    if (const auto reason = symbolizer.shortcoming(image.name); !reason.empty()) return std::string(reason);
    if (!wants_lines || image.name.kind == ImageName::Kind::anon || image.symbols->has_lines()) return "";
    if (image.name.kind == ImageName::Kind::kernel)
        return "has no source lines; give a kernel image with debug information with --vmlinux";
    return "has no debug information, so no source lines; compile it with -g or install its debug symbols";
}

std::string tenths(double percent) {
    std::ostringstream text;
    text << std::fixed << std::setprecision(1) << percent;
    return text.str();
}

/// Images that lack something: those worth a line, and the sum of the others.
struct Missing {
    std::vector<Lacking> large;
    uint64_t small_images = 0, small_samples = 0;
};

Missing find_missing(const Profile& profile, const std::vector<uint64_t>& samples, uint64_t total,
                     const Symbolizer& symbolizer, bool wants_lines) {
    Missing missing;
    for (uint32_t i = 0; i < samples.size(); ++i) {
        if (!profile.images[i].symbols || samples[i] == 0) continue;
        const bool is_large = percent_of(samples[i], total) >= worth_a_line;
        std::string reason = what_lacks(profile.images[i], symbolizer, wants_lines && is_large);
        if (reason.empty()) continue;
        if (is_large) {
            missing.large.push_back({i, samples[i], std::move(reason)});
            continue;
        }
        ++missing.small_images;
        missing.small_samples = add_saturating(missing.small_samples, samples[i]);
    }
    std::ranges::stable_sort(missing.large, std::greater{}, &Lacking::samples);
    return missing;
}

}  // namespace

void note_missing_symbols(const Profile& profile, const Symbolizer& symbolizer, bool wants_lines,
                          Diagnostics& notes) {
    const auto samples = samples_by_image(profile);
    const uint64_t total = column_totals(samples, 1).front();
    const Missing missing = find_missing(profile, samples, total, symbolizer, wants_lines);
    for (const Lacking& one : missing.large)
        notes.warn(printable(profile.images[one.image].name.display()) + " (" +
                   tenths(percent_of(one.samples, total)) + " % of the samples) " + printable(one.reason));
    if (missing.small_images > 0)
        notes.warn(std::to_string(missing.small_images) + " further " +
                   (missing.small_images == 1 ? "image lacks" : "images lack") + " symbols, with " +
                   tenths(percent_of(missing.small_samples, total)) + " % of the samples together");
}

}  // namespace op::pp
