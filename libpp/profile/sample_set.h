// SPDX-License-Identifier: GPL-2.0-or-later
// The content of the selected sample files, read one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "libop/base/diagnostics.h"
#include "libop/session/sample_file.h"
#include "libop/session/session.h"
#include "libpp/profile/arrange.h"
#include "libpp/profile/report_footnotes.h"
#include "libpp/profile/select.h"

namespace op::pp {

/// Reads selected files; warns of the first that holds more samples than were ever stored. The arguments of
/// the constructor must outlive the object.
class SampleSet {
public:
    /// `events` are the events in the account of each session, empty for a session without one;
    /// `accounted` is how many samples were stored by the accounts, if all have that number.
    SampleSet(std::span<const SessionReader> sessions, std::span<const SelectedFile> files,
              std::span<const std::vector<RecordedEvent>> events, std::optional<uint64_t> accounted,
              Diagnostics& notes)
        : sessions_(sessions), files_(files), events_(events), accounted_(accounted), notes_(notes) {}

    /// The content of a file; none, with a warning, if it cannot be read or is not a sample file. The
    /// header's CPU type uses the 1.x numbering for any version of the file. Counts of an event that was
    /// counted for a part of the time are scaled (libpp/profile/event_scale.h). Samples of an event without
    /// counting time cannot be scaled; that is a warning. Keys of samples, not of arcs, are offsets in the
    /// image that the file's name has now, see SelectedFile::first_offset.
    std::optional<SampleFileContent> read(size_t file);
    const SelectedFile& file(size_t index) const { return files_[index]; }
    /// The event of a file, if its counts are scaled.
    std::optional<ScaledEvent> scaled(size_t file) const;
    /// The samples of a file, scaled; 0 before it was read.
    uint64_t total(size_t file) const { return file < totals_.size() ? totals_[file] : 0; }
    /// The header of the first file that could be read; throws an input error if none could.
    const SampleHeader& header() const;
    Diagnostics& notes() const { return notes_; }

private:
    CountedTime time_of(size_t file) const;
    void scale(size_t file, SampleFileContent& content);

    std::span<const SessionReader> sessions_;
    std::span<const SelectedFile> files_;
    std::span<const std::vector<RecordedEvent>> events_;
    std::optional<uint64_t> accounted_;
    Diagnostics& notes_;
    std::optional<SampleHeader> header_;
    std::vector<uint64_t> totals_;  ///< by file, as far as they were read
};

/// All samples of one application in one image, with or without a symbol.
struct ImageTotal {
    ImageName app, image;
    std::vector<uint64_t> counts;  ///< one per column, saturating
};

/// The totals of an image summary, in the order of classes.images and their parts. Reads each file once and
/// opens no image.
std::vector<ImageTotal> image_totals(const ProfileClasses& classes, SampleSet& samples);

/// How many samples of each column stand for one that was taken, as far as the statistics of shares go; empty
/// if nothing is scaled. Where a column mixes scales, it is the sum of squared weights over the sum of
/// weights (L. Kish, Survey Sampling, 1965, 11.7). To be called after the samples were read.
std::vector<double> sample_weights(const ProfileClasses& classes, const SampleSet& samples);

/// The scaled events of each column; empty if nothing is scaled. Reads no file.
std::vector<ScaledEvents> scaled_columns(const ProfileClasses& classes, const SampleSet& samples);

}  // namespace op::pp
