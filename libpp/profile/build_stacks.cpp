// SPDX-License-Identifier: GPL-2.0-or-later
// From the stacks of sessions to the tree of a profile.
#include "libpp/profile/build_stacks.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "libop/session/ledger.h"
#include "libpp/profile/event_scale.h"
#include "libpp/profile/location_table.h"
#include "libpp/profile/node_index.h"

namespace op::pp {

namespace {

/// A selected sample file, for the stacks whose innermost frame is in its application and image.
struct Selected {
    uint32_t column;
    CountedTime time;  ///< how long the event was counted, if its counts are scaled
};

/// The selected sample files of a class in a session, by application and image.
using ClassFiles = std::map<std::pair<ImageName, ImageName>, Selected>;
/// All of them by session and class.
using AllFiles = std::map<std::pair<size_t, SampleClass>, ClassFiles>;

AllFiles files_by_class(const ProfileClasses& classes, const SampleSet& samples) {
    AllFiles files;
    for (const ImageFiles& image : classes.images)
        for (const ImagePart& part : image.parts)
            for (const ClassFile& one : part.files) {
                const SelectedFile& file = samples.file(one.file);
                const SampleName& name = file.name;
                const SampleClass of{name.event, name.count, name.unit_mask, name.tgid, name.tid, name.cpu};
                const auto scaled = samples.scaled(one.file);
                files[{file.session, of}][{name.app, name.image}] = {one.column,
                                                                     scaled ? scaled->time : CountedTime{}};
            }
    return files;
}

uint64_t key_of(uint32_t a, uint32_t b) {
    return uint64_t{a} << 32 | b;
}

class StackBuilder {
public:
    StackBuilder(Profile& profile, const ProfileClasses& classes, SampleSet& samples, Symbolizer& symbolizer)
        : profile_(profile),
          tree_(profile.stacks),
          samples_(samples),
          symbolizer_(symbolizer),
          images_(profile),
          locations_(profile, images_, symbolizer),
          has_applications_(!classes.is_library_merged) {
        for (uint32_t i = 0; i < profile.images.size(); ++i)
            images_.add(profile.images[i].name, i);
        tree_.add({0, 0, StackNodeKind::root});
    }

    void add_class(const ClassFiles& files, StackSetReader& set, const SampleClass& of) {
        const StoredTree stored = set.read(of, samples_.notes());
        add_nodes(set, stored, find_selected(files, set, stored));
    }

    /// Frames and images of another set have other numbers.
    void begin_set() {
        image_of_number_.clear();
        first_offset_of_number_.clear();
        location_of_frame_.clear();
    }

    void finish() {
        join_counts();
        add_samples_without_stack();
        join_counts();
    }

private:
    static constexpr uint32_t none = UINT32_MAX;

    // One class of one session

    /// The selected ones of a class, by stored node. Gone when the class is added, as there may be millions.
    struct Marks {
        std::vector<const Selected*> files = {nullptr};
        std::vector<uint32_t>
            file_of;  ///< the number in `files` of that of the samples that end there; 0 = none
        std::vector<bool> is_needed;  ///< there are some there or below
        size_t selected = 0;          ///< nodes with a file
    };

    Marks find_selected(const ClassFiles& files, const StackSetReader& set, const StoredTree& stored) {
        std::map<ImageName, std::vector<uint32_t>> numbers;  // several regions may be one image
        for (uint32_t i = 1; i < set.images().size(); ++i)
            numbers[symbolizer_.place(set.images()[i]).first].push_back(i);
        Marks marks;
        std::unordered_map<uint64_t, uint32_t> by_number;
        for (const auto& [names, selected] : files) {
            const auto app = numbers.find(names.first), image = numbers.find(names.second);
            if (app == numbers.end() || image == numbers.end()) continue;
            for (const uint32_t of_app : app->second)
                for (const uint32_t of_image : image->second)
                    by_number.emplace(key_of(of_app, of_image), static_cast<uint32_t>(marks.files.size()));
            marks.files.push_back(&selected);
        }
        std::vector<uint32_t> apps(stored.nodes.size());
        marks.file_of.resize(stored.nodes.size());
        marks.is_needed.resize(stored.nodes.size());
        for (size_t i = 1; i < stored.nodes.size(); ++i) {
            const StackFrame& frame = set.frames()[stored.nodes[i].frame];
            apps[i] = frame.is_application() ? frame.image : apps[stored.nodes[i].parent];
            if (stored.nodes[i].count == 0) continue;
            const auto at = by_number.find(key_of(apps[i], frame.is_code() ? frame.image : apps[i]));
            if (at == by_number.end()) continue;
            marks.file_of[i] = at->second;
            marks.is_needed[i] = true;
            ++marks.selected;
        }
        for (size_t i = stored.nodes.size(); i-- > 1;)
            if (marks.is_needed[i]) marks.is_needed[stored.nodes[i].parent] = true;
        return marks;
    }

    void add_nodes(const StackSetReader& set, const StoredTree& stored, Marks marks) {
        if (tree_.nodes.size() == 1)
            tree_.nodes.reserve(stored.nodes.size());
        else if (!index_)
            index_.emplace(tree_);
        image_of_number_.resize(set.images().size(), none);
        first_offset_of_number_.resize(set.images().size());
        location_of_frame_.resize(set.frames().size(), none);
        if (tree_.counts.empty()) tree_.counts.reserve(marks.selected);
        std::vector<uint32_t>& numbers = marks.file_of;       // once seen, a node's number in the tree
        std::map<const Selected*, SampleFileContent> scaled;  // by node
        for (size_t i = 1; i < stored.nodes.size(); ++i) {
            if (!marks.is_needed[i]) continue;
            const StoredNode& node = stored.nodes[i];
            const Selected* const selected = marks.files[marks.file_of[i]];
            numbers[i] = add_node(numbers[node.parent], set, node.frame);
            if (!selected || numbers[i] == 0) continue;
            if (is_scalable(selected->time))
                scaled[selected].entries.push_back({numbers[i], node.count});
            else
                tree_.counts.push_back({numbers[i], selected->column, node.count});
        }
        for (auto& [selected, content] : scaled) {
            scale_counts(content, selected->time);
            for (const SampleEntry& entry : content.entries)
                tree_.counts.push_back({static_cast<uint32_t>(entry.key), selected->column, entry.count});
        }
    }

    /// The node below `parent` for a frame of the set; without applications the root for them.
    uint32_t add_node(uint32_t parent, const StackSetReader& set, uint32_t number) {
        const StackFrame& frame = set.frames()[number];
        if (frame.is_application())
            return has_applications_
                       ? child({parent, images_.of(name_of(set, frame.image)), StackNodeKind::application})
                       : 0;
        if (frame.is_cut()) {
            const StackEnd end = frame.end() == StackEnd::count ? StackEnd::unsupported : frame.end();
            return child({parent, static_cast<uint32_t>(end), StackNodeKind::cut});
        }
        return child(
            {parent, location_of(set, number), frame.is_exact ? StackNodeKind::code : StackNodeKind::call});
    }

    /// Within one class every node is new.
    uint32_t child(const StackNode& node) { return index_ ? index_->of(node) : tree_.add(node); }

    uint32_t location_of(const StackSetReader& set, uint32_t number) {
        uint32_t& location = location_of_frame_[number];
        if (location != none) return location;
        const StackFrame& frame = set.frames()[number];
        uint32_t& image = image_of_number_[frame.image];
        if (image == none) {
            const auto [name, first_offset] = symbolizer_.place(name_of(set, frame.image));
            image = locations_.image(name, 0, name.kind == ImageName::Kind::kernel);
            first_offset_of_number_[frame.image] = first_offset;
        }
        return location = locations_.location(
                   image, ImageOffset{first_offset_of_number_[frame.image]} + frame.offset,
                   frame.is_exact ? CodeAddress::instruction : CodeAddress::return_address);
    }

    static ImageName name_of(const StackSetReader& set, uint32_t image) {
        const ImageName& name = set.images()[image];
        return name.name.empty() ? ImageName{ImageName::Kind::anon, "unknown"} : name;
    }

    // All of them

    /// Puts the counts in order, those of one node and column together.
    void join_counts() {
        const auto place = [](const StackCount& count) { return std::tuple(count.node, count.column); };
        std::ranges::sort(tree_.counts, {}, place);
        size_t kept = 0;
        for (size_t i = 0; i < tree_.counts.size(); ++i)
            if (kept > 0 && place(tree_.counts[kept - 1]) == place(tree_.counts[i]))
                tree_.counts[kept - 1].count =
                    add_saturating(tree_.counts[kept - 1].count, tree_.counts[i].count);
            else
                tree_.counts[kept++] = tree_.counts[i];
        tree_.counts.resize(kept);
    }

    /// The application of each node; of one below none its own image.
    std::vector<uint32_t> applications() const {
        std::vector<uint32_t> apps(tree_.nodes.size(), none);
        for (size_t i = 1; i < apps.size(); ++i) {
            const StackNode& node = tree_.nodes[i];
            if (node.kind == StackNodeKind::application)
                apps[i] = node.location;
            else if (has_applications_)
                apps[i] = apps[node.parent];
            else if (node.is_code())
                apps[i] = profile_.locations[node.location].image;
        }
        return apps;
    }

    /// What the flat samples have and the stacks do not: of an application no more than its flat samples are
    /// more than its stacks, as the innermost frame of a stack may have found no room in the session.
    void add_samples_without_stack() {
        const size_t width = profile_.columns.size();
        std::vector<uint64_t> rest = profile_.counts;       // by sample
        std::map<uint32_t, std::vector<uint64_t>> missing;  // by application
        std::unordered_map<uint64_t, size_t> samples;       // by application and location
        for (size_t i = 0; i < profile_.samples.size(); ++i) {
            const StackSamples& sample = profile_.samples[i];
            samples.emplace(key_of(sample.app, profile_.frames[sample.first_frame]), i);
            auto& sums = missing.try_emplace(sample.app, width).first->second;
            for (size_t column = 0; column < width; ++column)
                sums[column] = add_saturating(sums[column], profile_.count(i, column));
        }
        const auto take = [](uint64_t& from, uint64_t count) { from -= std::min(from, count); };
        const std::vector<uint32_t> apps = applications();
        for (const StackCount& count : tree_.counts) {
            if (const auto at = missing.find(apps[count.node]); at != missing.end())
                take(at->second[count.column], count.count);
            const StackNode& node = tree_.nodes[count.node];
            if (node.kind != StackNodeKind::code) continue;
            const auto at = samples.find(key_of(apps[count.node], node.location));
            if (at != samples.end()) take(rest[at->second * width + count.column], count.count);
        }
        for (size_t i = 0; i < profile_.samples.size(); ++i)
            for (uint32_t column = 0; column < width; ++column) {
                uint64_t& left = missing[profile_.samples[i].app][column];
                const uint64_t count = std::min(rest[i * width + column], left);
                if (count == 0) continue;
                left -= count;
                tree_.counts.push_back({node_without_stack(i), column, count});
            }
    }

    /// The node of a sample's address below a cut below its application.
    uint32_t node_without_stack(size_t sample) {
        const uint32_t app = has_applications_ ? profile_.samples[sample].app : none;
        const auto [at, is_new] = cuts_.try_emplace(app);
        if (is_new) {
            const uint32_t above = app == none ? 0 : tree_.add({0, app, StackNodeKind::application});
            at->second = tree_.add({above, StackTree::no_stack, StackNodeKind::cut});
        }
        const uint32_t location = profile_.frames[profile_.samples[sample].first_frame];
        if (last_.location == location && last_.parent == at->second)
            return static_cast<uint32_t>(tree_.nodes.size() - 1);
        last_ = {at->second, location, StackNodeKind::code};
        return tree_.add(last_);
    }

    Profile& profile_;
    StackTree& tree_;
    SampleSet& samples_;
    const Symbolizer& symbolizer_;
    ImageIndex images_;
    LocationTable locations_;
    bool has_applications_;
    std::optional<NodeIndex> index_;                ///< once there are nodes of several classes
    std::map<uint32_t, uint32_t> cuts_;             ///< of samples without a stack, by application
    StackNode last_{0, none, StackNodeKind::code};  ///< the newest of these
    // For the set being read:
    std::vector<uint32_t> image_of_number_, location_of_frame_;  ///< by number in the set
    std::vector<uint64_t> first_offset_of_number_;               ///< of the image's part in its placed image
};

}  // namespace

void add_stacks(Profile& profile, const ProfileClasses& classes, SampleSet& samples, Symbolizer& symbolizer,
                std::span<std::optional<StackSetReader>> sets) {
    if (std::ranges::none_of(sets, [](const auto& set) { return set.has_value(); })) return;
    StackBuilder builder(profile, classes, samples, symbolizer);
    const AllFiles files = files_by_class(classes, samples);
    for (size_t session = 0; session < sets.size(); ++session) {
        if (!sets[session]) continue;
        builder.begin_set();
        for (const SampleClass& of : sets[session]->classes())
            if (const auto at = files.find({session, of}); at != files.end())
                builder.add_class(at->second, *sets[session], of);
    }
    builder.finish();
    profile.check();
}

}  // namespace op::pp
