// SPDX-License-Identifier: GPL-2.0-or-later
// The content of the selected sample files.
#include "libpp/profile/sample_set.h"

#include <algorithm>

#include "libop/base/counted.h"
#include "libop/base/error.h"
#include "libop/base/text.h"
#include "libop/events/event_catalogue.h"
#include "libop/session/event_label.h"
#include "libop/session/ledger.h"
#include "libpp/profile/event_scale.h"

namespace op::pp {

namespace {

/// Files of version 0x12 number CPU types the way 0.9.x did.
void translate_cpu_type(SampleFileContent& content) {
    if (content.version != 0x12) return;
    content.header.cpu_type = cpu_models().number_of_0_9(content.header.cpu_type);
}

}  // namespace

std::optional<SampleFileContent> SampleSet::read(size_t file) {
    const SelectedFile& selected = files_[file];
    try {
        auto content = sessions_[selected.session].read(selected.path, notes_);
        translate_cpu_type(content);
        if (!header_) header_ = content.header;
        if (!selected.name.callee && accounted_ && content.total > *accounted_) {
            notes_.warn(printable(selected.path) + ": holds " + counted(content.total, "sample") +
                        ", but only " + std::to_string(*accounted_) +
                        " were stored in all its session: it is damaged, or the recording was interrupted");
            accounted_.reset();  // once is enough
        }
        scale(file, content);
        totals_.resize(files_.size());
        totals_[file] = content.total;
        if (!selected.name.callee)
            for (SampleEntry& entry : content.entries)
                entry.key += selected.first_offset;
        return content;
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::internal) throw;
        notes_.warn(std::string(error.what()) + "; its samples are left out");
        return std::nullopt;
    }
}

CountedTime SampleSet::time_of(size_t file) const {
    const SelectedFile& selected = files_[file];
    if (selected.session >= events_.size()) return {};
    return counted_time(events_[selected.session], selected.name);
}

void SampleSet::scale(size_t file, SampleFileContent& content) {
    const CountedTime time = time_of(file);
    const SampleName& name = files_[file].name;
    if (time.is_partial() && !is_scalable(time) && content.total > 0)
        notes_.warn(
            event_label(printable(name.event), name.count) +
            " was never counted by the session's account, but there are samples of it: its counts are "
            "not scaled and may be too low");
    scale_counts(content, time);
}

std::optional<ScaledEvent> SampleSet::scaled(size_t file) const {
    const CountedTime time = time_of(file);
    if (!is_scalable(time)) return std::nullopt;
    const SelectedFile& selected = files_[file];
    const std::string session =
        sessions_.size() > 1 ? std::string(base_name(sessions_[selected.session].path())) : "";
    return ScaledEvent{session, selected.name.event, selected.name.count, selected.name.unit_mask, time};
}

const SampleHeader& SampleSet::header() const {
    if (!header_)
        throw_input("No sample found: none of the " + std::to_string(files_.size()) +
                    " selected sample files could be read");
    return *header_;
}

std::vector<ImageTotal> image_totals(const ProfileClasses& classes, SampleSet& samples) {
    std::vector<ImageTotal> totals;
    for (const ImageFiles& image : classes.images) {
        for (const ImagePart& part : image.parts) {
            std::vector<uint64_t> counts(classes.classes.size());
            for (const ClassFile& file : part.files)
                if (const auto content = samples.read(file.file))
                    counts[file.column] = add_saturating(counts[file.column], content->total);
            totals.push_back({part.app, image.image, std::move(counts)});
        }
    }
    return totals;
}

std::vector<double> sample_weights(const ProfileClasses& classes, const SampleSet& samples) {
    std::vector<double> sums(classes.classes.size()), weights(sums.size(), 1);
    bool is_any = false;
    const auto add = [&](const ClassFile& file) {
        const auto event = samples.scaled(file.file);
        const double weight = event ? 1 / event->time.share() : 1;
        const auto total = static_cast<double>(samples.total(file.file));
        is_any |= event.has_value();
        if (total == 0) return;
        double& sum = sums[file.column];
        sum += total;
        weights[file.column] += (weight - weights[file.column]) * total / sum;
    };
    for (const ImageFiles& image : classes.images)
        for (const ImagePart& part : image.parts)
            std::ranges::for_each(part.files, add);
    return is_any ? weights : std::vector<double>{};
}

std::vector<ScaledEvents> scaled_columns(const ProfileClasses& classes, const SampleSet& samples) {
    std::vector<ScaledEvents> columns(classes.classes.size());
    bool is_any = false;
    const auto add = [&](const ClassFile& file) {
        const auto event = samples.scaled(file.file);
        if (!event) return;
        is_any = true;
        ScaledEvents& events = columns[file.column];
        if (std::ranges::find(events, *event) == events.end()) events.push_back(*event);
    };
    for (const ImageFiles& image : classes.images)
        for (const ImagePart& part : image.parts)
            std::ranges::for_each(part.files, add);
    for (const ArcFiles& arcs : classes.arcs)
        std::ranges::for_each(arcs.files, add);
    return is_any ? columns : std::vector<ScaledEvents>{};
}

}  // namespace op::pp
