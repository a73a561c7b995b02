// SPDX-License-Identifier: GPL-2.0-or-later
// Reading call stacks. A writer stores image, frame, node in this order, so they are read the other way
// round.
#include "libop/stacks/stack_reader.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <limits>

#include "libop/base/counted.h"
#include "libop/base/directory.h"
#include "libop/base/error.h"
#include "libop/base/text.h"
#include "libop/session/session_files.h"
#include "libop/stacks/stack_file.h"
#include "libop/stacks/stack_images.h"

namespace op {

namespace {

StackEntries entries_of(std::string_view bytes, StackFileKind kind, const std::string& label,
                        Diagnostics& notes) {
    const ParsedStackFile found = parse_stack_file(as_bytes(bytes), kind, label);
    if (!found.fault.empty())
        notes.warn(label + ": damaged file of call stacks: " + found.fault + "; " +
                   counted(found.entries.size(), "entry of it is used", "entries of it are used"));
    return found.entries;
}

uint32_t greatest_frame(const StackEntries& nodes) {
    uint32_t greatest = 0;
    for (uint32_t number = 1; number <= nodes.size(); ++number)
        greatest = std::max(greatest, parse_stack_node(nodes[number]).frame);
    return greatest;
}

/// Builds a tree of the sound ones among a file's entries.
class TreeBuilder {
public:
    TreeBuilder(const std::vector<StackFrame>& frames, size_t entries) : frames_(frames) {
        tree_.nodes.reserve(entries + 1);
        tree_.nodes.emplace_back();
        depths_.reserve(entries + 1);
        depths_.push_back(0);
        numbers_.reserve(entries + 1);
        numbers_.push_back(0);
    }

    void add(uint64_t entry) {
        const auto [parent, frame, count] = parse_stack_node(entry);
        const uint32_t above = parent < numbers_.size() ? numbers_[parent] : dropped;
        numbers_.push_back(dropped);
        if (above == dropped || frame >= frames_.size()) {
            tree_.damaged += count;
        } else if (frame == 0 && above != 0) {
            tree_.nodes[above].count += count;
        } else if (!fits(frames_[frame], above)) {
            tree_.damaged += count;
        } else {
            numbers_.back() = static_cast<uint32_t>(tree_.nodes.size());
            depths_.push_back(static_cast<uint16_t>(depths_[above] + 1));
            tree_.nodes.push_back({above, frame, count});
        }
    }

    StoredTree finish() && { return std::move(tree_); }

private:
    static constexpr uint32_t dropped = std::numeric_limits<uint32_t>::max();

    bool fits(const StackFrame& frame, uint32_t above) const {
        const uint32_t depth = depths_[above];
        if (depth == 0) return frame.is_application();
        if (frame.is_cut()) return depth == 1 && frame.end() != StackEnd::root;
        return frame.is_code() && depth < deepest_stack;
    }

    const std::vector<StackFrame>& frames_;
    StoredTree tree_;
    std::vector<uint16_t> depths_;   ///< of the tree's nodes
    std::vector<uint32_t> numbers_;  ///< of the entries' nodes
};

}  // namespace

StackSetReader::StackSetReader(const Fd& session_dir, const std::string& label)
    : session_dir_(&session_dir), label_(label) {}

std::optional<StackSetReader> StackSetReader::open(const Fd& session_dir, const std::string& label,
                                                   Diagnostics& notes) {
    StackSetReader reader(session_dir, label);
    Fd dir = open_at(session_dir, stacks_dir, O_RDONLY | O_DIRECTORY);
    if (!dir && errno == ENOENT) return std::nullopt;
    const std::string path = printable(label + "/" + stacks_dir);
    if (!dir) throw_system("cannot read directory " + path);
    for (const DirectoryEntry& entry : read_directory(std::move(dir), path)) {
        auto sample_class = entry.is_regular ? parse_class(entry.name) : std::nullopt;
        if (sample_class) reader.classes_.push_back(std::move(*sample_class));
    }
    std::ranges::sort(reader.classes_);
    reader.read_frames(notes);
    return reader;
}

std::optional<std::string> StackSetReader::read_file(const std::string& name, size_t limit) const {
    const std::string path = std::string(stacks_dir) + "/" + name;
    return read_file_below(*session_dir_, path, printable(label_ + "/" + path), limit);
}

void StackSetReader::read_frames(Diagnostics& notes) {
    const std::string bytes = read_file(stack_frames_name, stack_file_limit).value_or("");
    const StackEntries frames = entries_of(
        bytes, StackFileKind::frames, printable(label_ + "/" + stacks_dir + "/" + stack_frames_name), notes);
    images_ = parse_stack_images(read_file(stack_images_name, stack_images_limit).value_or(""));
    const auto unknown_image = static_cast<uint32_t>(images_.size());
    images_.emplace_back();
    frames_.assign(1, {});
    frames_.reserve(frames.size() + 1);
    for (uint32_t number = 1; number <= frames.size(); ++number) {
        StackFrame frame = frame_of_key(frames[number]);
        frame.image = std::min(frame.image, unknown_image);
        frames_.push_back(frame);
    }
}

StoredTree StackSetReader::read(const SampleClass& sample_class, Diagnostics& notes) {
    const std::string name = mangle_class(sample_class);
    const std::string label = printable(label_ + "/" + stacks_dir + "/" + name);
    const auto bytes = read_file(name, stack_file_limit);
    if (!bytes) throw_system("cannot open " + label, ENOENT);
    const StackEntries nodes = entries_of(*bytes, StackFileKind::nodes, label, notes);
    if (greatest_frame(nodes) >= frames_.size()) read_frames(notes);
    TreeBuilder tree(frames_, nodes.size());
    for (uint32_t number = 1; number <= nodes.size(); ++number)
        tree.add(nodes[number]);
    StoredTree found = std::move(tree).finish();
    if (found.damaged != 0)
        notes.warn(label + ": " +
                   counted(found.damaged, "sample with a damaged stack is left out",
                           "samples with damaged stacks are left out"));
    return found;
}

}  // namespace op
