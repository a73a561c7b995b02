// SPDX-License-Identifier: GPL-2.0-or-later
// The second half of building a profile: the arcs of call-graph files.
#pragma once

#include <cstdint>
#include <map>

#include "libpp/profile/arrange.h"
#include "libpp/profile/profile.h"
#include "libpp/profile/sample_set.h"
#include "libpp/symbols/symbolizer.h"

namespace op::pp {

/// The images of a profile by name.
class ImageIndex {
public:
    /// The profile must outlive the index.
    explicit ImageIndex(Profile& profile) : profile_(profile) {}

    /// The image's index into Profile::images; added if new.
    uint32_t of(const ImageName& name) {
        const auto [at, is_new] = indexes_.try_emplace(name, static_cast<uint32_t>(profile_.images.size()));
        if (is_new) profile_.images.push_back({name, nullptr});
        return at->second;
    }

    /// Adds an image that the profile has already. The first index of a name stays.
    void add(const ImageName& name, uint32_t index) { indexes_.emplace(name, index); }

private:
    Profile& profile_;
    std::map<ImageName, uint32_t> indexes_;
};

/// Adds the arcs of all call-graph files, and the locations, symbols and images they need, to a profile that
/// has its samples.
void add_arcs(Profile& profile, ImageIndex& images, const ProfileClasses& classes, SampleSet& samples,
              Symbolizer& symbolizer);

}  // namespace op::pp
