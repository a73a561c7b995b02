// SPDX-License-Identifier: GPL-2.0-or-later
// One note per image, by share of all samples.
#include "libpp/profile/symbol_notes.h"

#include <algorithm>
#include <iomanip>
#include <map>
#include <sstream>

#include "libop/base/counted.h"
#include "libop/base/text.h"
#include "libop/jit/code_switches.h"
#include "libop/session/ledger.h"
#include "libop/stream/record.h"
#include "libpp/profile/percent.h"
#include "libpp/symbols/distribution.h"
#include "libpp/symbols/packages.h"

namespace op::pp {

namespace {

constexpr std::string_view servers_variable = "DEBUGINFOD_URLS";
constexpr double worth_a_line = 1;  // percent of the samples

/// An image with its samples in all profiles and columns.
struct SampledImage {
    /// The image in a profile in which it has samples.
    struct Place {
        const ProfileImage* image;
        const Symbolizer* symbolizer;
    };
    std::vector<Place> places;
    uint64_t samples;
};

/// An image that lacks something.
struct Lacking {
    const ProfileImage* image;
    uint64_t samples;
    Shortcoming lack;
};

/// The images that have samples in some of the profiles.
std::vector<SampledImage> sampled_images(std::span<const SymbolizedProfile> profiles) {
    std::vector<SampledImage> images;
    std::map<ImageName, size_t> indexes;
    for (const SymbolizedProfile& one : profiles) {
        const auto samples = samples_by_image(*one.profile);
        for (size_t i = 0; i < samples.size(); ++i) {
            const ProfileImage& image = one.profile->images[i];
            if (!image.symbols || samples[i] == 0) continue;
            const auto [at, is_new] = indexes.try_emplace(image.name, images.size());
            if (is_new) images.push_back({{}, 0});
            images[at->second].places.push_back({&image, one.symbolizer});
            uint64_t& sum = images[at->second].samples;
            sum = add_saturating(sum, samples[i]);
        }
    }
    return images;
}

Shortcoming what_lacks(const ProfileImage& image, const Symbolizer& symbolizer, bool wants_lines) {
    if (auto shortcoming = symbolizer.shortcoming(image.name); !shortcoming.text.empty()) return shortcoming;
    if (symbolizer.is_replaced(image.name)) return {};
    if (!wants_lines || image.name.kind == ImageName::Kind::anon || image.symbols->has_lines()) return {};
    if (image.name.kind == ImageName::Kind::kernel || image.name.name == kallsyms_image)
        return {"has no source lines; give a kernel image with debug information with --vmlinux"};
    return {"has no debug information, so no source lines",
            "compile it with -g or install its debug symbols"};
}

/// The first lack that one of the profiles has.
Shortcoming what_lacks(const SampledImage& sampled, bool wants_lines) {
    for (const auto& [image, symbolizer] : sampled.places)
        if (auto lack = what_lacks(*image, *symbolizer, wants_lines); !lack.text.empty()) return lack;
    return {};
}

/// The packages of the images that lack debug symbols.
std::map<std::string, std::string> packages_of(std::span<const Lacking> images, const std::string& root) {
    std::vector<std::string> paths;
    for (const Lacking& one : images)
        if (!one.lack.debug_symbols.empty()) paths.push_back(one.image->name.name);
    return owning_packages(root, paths);
}

/// The shortcoming and its remedy. `package` is the one that installed the image; empty = unknown.
std::string advice(const Shortcoming& lack, const std::string& package, const Distribution& distribution) {
    if (lack.debug_symbols.empty()) return lack.text;
    std::string text = lack.text + "; " + lack.debug_symbols;
    if (!package.empty()) {
        text = lack.text + "; install " + debug_package(package);
        if (is_in_debug_archive(package) && !distribution.debug_archive.empty())
            text += " (" + distribution.debug_archive + ")";
        text += " or set " + std::string(servers_variable);
    }
    if (text.ends_with(servers_variable) && !distribution.debuginfod.empty())
        text += "=" + distribution.debuginfod;
    return text;
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

Missing find_missing(const std::vector<SampledImage>& images, uint64_t total, const MissingNames& wanted) {
    Missing missing;
    for (const SampledImage& one : images) {
        if (wanted.concerns && !wanted.concerns(one.places.front().image->name)) continue;
        const bool is_large = percent_of(one.samples, total) >= worth_a_line;
        Shortcoming lack = what_lacks(one, wanted.wants_lines && is_large);
        if (lack.text.empty()) continue;
        if (is_large) {
            missing.large.push_back({one.places.front().image, one.samples, std::move(lack)});
            continue;
        }
        ++missing.small_images;
        missing.small_samples = add_saturating(missing.small_samples, one.samples);
    }
    std::ranges::stable_sort(missing.large, std::greater{}, &Lacking::samples);
    for (; missing.large.size() > wanted.most; missing.large.pop_back()) {
        ++missing.small_images;
        missing.small_samples = add_saturating(missing.small_samples, missing.large.back().samples);
    }
    return missing;
}

/// True for code that a program made, not the kernel's or a heap's.
bool is_made_code(const ImageName& image) {
    return image.kind == ImageName::Kind::anon && image.tgid != 0 &&
           (!image.name.starts_with('[') || image.name.starts_with("[anon"));
}

/// Programs that do not name the code that they make, with its samples in all columns.
std::map<std::string, uint64_t> nameless_code(std::span<const SymbolizedProfile> profiles,
                                              const ConcernsImage& concerns) {
    std::map<std::string, uint64_t> samples;
    for (const SymbolizedProfile& one : profiles) {
        const Profile& profile = *one.profile;
        for (size_t i = 0; i < profile.samples.size(); ++i) {
            const ImageName& image = profile.images[profile.leaf(i).image].name;
            if (!is_made_code(image) || (concerns && !concerns(image))) continue;
            const ImageName& app = profile.images[profile.samples[i].app].name;
            uint64_t& sum = samples[std::string(base_name(app.name))];
            for (size_t column = 0; column < profile.columns.size(); ++column)
                sum = add_saturating(sum, profile.count(i, column));
        }
    }
    return samples;
}

/// One note for all programs.
void note_code_switches(std::span<const SymbolizedProfile> profiles, const ConcernsImage& concerns,
                        uint64_t total, Diagnostics& notes) {
    std::vector<std::string> advice;
    for (const auto& [program, samples] : nameless_code(profiles, concerns)) {
        const std::string_view own = code_switch(program);
        if (own.empty() || percent_of(samples, total) < worth_a_line) continue;
        if (std::ranges::find(advice, own) == advice.end()) advice.emplace_back(own);
    }
    if (!advice.empty()) notes.warn("to have names of code made at run time, " + joined(advice, "; "));
}

}  // namespace

void note_samples_in_no_symbol(const Profile& profile, Diagnostics& notes) {
    const auto samples = samples_by_image(
        profile, [](const Location& location) { return location.symbol == Location::no_symbol; });
    for (size_t i = 0; i < samples.size(); ++i)
        if (samples[i] > 0)
            notes.warn(counted(samples[i], "sample") + " of " + printable(profile.images[i].name.display()) +
                       (samples[i] == 1 ? " lies" : " lie") + " outside its symbols and " +
                       (samples[i] == 1 ? "is" : "are") + " not shown");
}

void note_missing_symbols(std::span<const SymbolizedProfile> profiles, const MissingNames& wanted,
                          Diagnostics& notes) {
    const auto images = sampled_images(profiles);
    uint64_t total = 0;
    for (const SampledImage& one : images)
        total = add_saturating(total, one.samples);
    const Missing missing = find_missing(images, total, wanted);
    auto packages = packages_of(missing.large, wanted.package_root);
    const Distribution distribution = find_distribution(wanted.package_root);
    for (const Lacking& one : missing.large)
        notes.warn(printable(one.image->name.display()) + " (" + tenths(percent_of(one.samples, total)) +
                   " % of the samples) " +
                   printable(advice(one.lack, packages[one.image->name.name], distribution)));
    if (missing.small_images > 0)
        notes.warn(counted(missing.small_images, "further image lacks", "further images lack") +
                   " symbols, with " + tenths(percent_of(missing.small_samples, total)) +
                   " % of the samples together");
    note_code_switches(profiles, wanted.concerns, total, notes);
}

}  // namespace op::pp
