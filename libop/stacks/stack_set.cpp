// SPDX-License-Identifier: GPL-2.0-or-later
// Counting call stacks. Most samples have their callers in common with the one before in their thread: only
// what differs from that stack is looked up.
#include "libop/stacks/stack_set.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <utility>

#include "libop/base/directory.h"
#include "libop/base/error.h"
#include "libop/base/text.h"
#include "libop/session/session_files.h"

namespace op {

namespace {

/// Threads whose last stacks are kept.
constexpr size_t chain_count = 64;

/// Of the nodes, all but those of the two marks.
constexpr size_t most_code_frames = deepest_stack - 2;

/// Lines of the list of images that a machine that crashes may lose while frames of the images are kept.
constexpr uint32_t most_lost_images = 65536;

StackEntryCheck sound_frames(uint32_t images) {
    return [images](uint32_t, uint64_t key) {
        return key != 0 && frame_of_key(key).image <= images + most_lost_images;
    };
}

StackEntryCheck sound_nodes(uint32_t frames) {
    return [frames](uint32_t number, uint64_t entry) {
        const auto [parent, frame, count] = parse_stack_node(entry);
        return parent < number && frame <= frames && (frame != 0 || parent != 0);
    };
}

uint32_t greatest_image(const StackTable& frames) {
    uint32_t greatest = 0;
    for (uint32_t number = 1; number <= frames.size(); ++number)
        greatest = std::max(greatest, frame_of_key(frames.entry(number)).image);
    return greatest;
}

template <class T>
void mix(size_t& hash, const T& value) {
    hash = (hash ^ std::hash<T>()(value)) * 0x9E3779B97F4A7C15;
}

}  // namespace

/// The file of a class, or the place of one that could not be opened.
struct StackSet::ClassFile {
    SampleClass sample_class;
    std::unique_ptr<StackTable> table;  ///< null = not to be opened
    uint64_t number = 0;                ///< of the opening, from 1
};

/// The last stack of a thread, from the root on. Nothing is written behind its depth: that would be 3.2 MB
/// for all threads.
struct StackSet::Chain {
    uint64_t file = 0;  ///< ClassFile::number of the nodes
    uint32_t depth = 0;
    std::array<uint64_t, deepest_stack> keys;   ///< frame_key
    std::array<uint32_t, deepest_stack> nodes;  ///< numbers in the file
};

size_t StackSet::ClassHash::operator()(const SampleClass& c) const noexcept {
    size_t hash = 0;
    mix(hash, std::string_view(c.event));
    mix(hash, c.count);
    mix(hash, c.unit_mask);
    for (const auto& id : {c.tgid, c.tid, c.cpu})
        mix(hash, id ? uint64_t{*id} : ~uint64_t{0});
    return hash ^ hash >> 32;
}

StackSet::StackSet(const Fd& session_dir, const std::string& label, Diagnostics& notes,
                   const AccessPolicy& policy, const StackLimits& limits, bool after_crash)
    : policy_(policy),
      limits_(limits),
      notes_(notes),
      dir_(open_directory_at(session_dir, stacks_dir, label + "/" + stacks_dir, true, policy_)),
      label_(printable(label + "/" + stacks_dir)),
      room_{limits.bytes},
      images_(dir_, label_ + "/" + stack_images_name, policy_),
      frames_(std::make_unique<StackTable>(place_of(stack_frames_name, StackFileKind::frames),
                                           sound_frames(images_.count()), limits_.frames, room_, notes_)),
      chains_(std::make_unique_for_overwrite<Chain[]>(chain_count)) {
    // A line that never reached the disk: its number is not another image's.
    if (!images_.pad_to(greatest_image(*frames_))) throw_system("cannot write " + label_ + "/images", ENOSPC);
    take(stack_file_length(frames_->size()));
    look_at_classes(after_crash || !frames_->was_intact());
}

StackSet::~StackSet() = default;

StackFilePlace StackSet::place_of(const std::string& name, StackFileKind kind) const {
    return {dir_, name, label_ + "/" + printable(name), policy_, kind};
}

/// Bytes that are there.
void StackSet::take(uint64_t bytes) noexcept {
    room_.bytes -= std::min(room_.bytes, bytes);
}

/// Takes the bytes that they have. If they are doubtful, damaged ones are ended before the first new frame: a
/// node of a frame that is lost must not become one of a new frame.
void StackSet::look_at_classes(bool is_doubtful) {
    const StackEntryCheck check = sound_nodes(frames_->size());
    for (const DirectoryEntry& entry : read_directory(open_at(dir_, ".", O_RDONLY | O_DIRECTORY), label_)) {
        if (!entry.is_regular || !parse_class(entry.name)) continue;
        if (is_doubtful)
            take(open_stack_file(place_of(entry.name, StackFileKind::nodes), check, notes_)
                     .map.bytes()
                     .size());
        else
            take(length_of(entry.name));
    }
}

/// 0 if the file is not there.
uint64_t StackSet::length_of(const std::string& name) const noexcept {
    struct stat st {};
    const bool is_there = ::fstatat(dir_.get(), name.c_str(), &st, AT_SYMLINK_NOFOLLOW) == 0;
    return is_there ? static_cast<uint64_t>(st.st_size) : 0;
}

void StackSet::prepare(const SampleClass& sample_class) noexcept {
    if (length_of(mangle_class(sample_class)) != 0) file_of(sample_class);
}

uint32_t StackSet::image(const ImageName& name) {
    return images_.number_of(name, limits_.images);
}

void StackSet::open_table(ClassFile& file) {
    const std::string name = mangle_class(file.sample_class);
    struct stat st {};
    const bool is_new = ::fstatat(dir_.get(), name.c_str(), &st, AT_SYMLINK_NOFOLLOW) != 0;
    if (is_new && !room_.take(stack_file_step)) return;
    if (is_new) room_.bytes += stack_file_step - stack_file_length(0);
    file.table = std::make_unique<StackTable>(place_of(name, StackFileKind::nodes),
                                              sound_nodes(frames_->size()), limits_.nodes, room_, notes_);
    file.number = ++opened_;
}

StackSet::ClassFiles::iterator StackSet::open(const SampleClass& sample_class) {
    if (files_.size() >= std::max<size_t>(limits_.open_classes, 1)) close_oldest();
    files_.push_front({sample_class, nullptr, 0});
    ClassFile& file = files_.front();
    try {
        open_table(file);
    } catch (const Error& error) {
        if (!std::exchange(is_failure_noted_, true))
            notes_.warn(std::string("call stacks lost: ") + error.what() +
                        " (further failures are counted, not printed)");
    }
    return by_class_.emplace(sample_class, files_.begin()).first->second;
}

void StackSet::close_oldest() noexcept {
    by_class_.erase(files_.back().sample_class);
    files_.pop_back();
}

StackSet::ClassFile* StackSet::file_of(const SampleClass& sample_class) noexcept {
    if (files_.empty() || files_.front().sample_class != sample_class) {
        const auto known = by_class_.find(sample_class);
        const auto file = known != by_class_.end() ? known->second : open(sample_class);
        files_.splice(files_.begin(), files_, file);
    }
    return files_.front().table ? &files_.front() : nullptr;
}

/// Makes the chain's node at `depth` that of a frame; false if there is no room for it.
inline bool StackSet::step(ClassFile& file, Chain& chain, uint32_t depth, uint64_t key) noexcept {
    return (depth < chain.depth && chain.keys[depth] == key) || leave(file, chain, depth, key);
}

/// Likewise, for a frame that the chain does not have there.
bool StackSet::leave(ClassFile& file, Chain& chain, uint32_t depth, uint64_t key) noexcept {
    chain.depth = depth;
    const uint32_t frame = frames_->number_of(key);
    if (frame == 0) return false;
    const uint32_t parent = depth == 0 ? 0 : chain.nodes[depth - 1];
    const uint32_t node = file.table->number_of(stack_node_key(parent, frame));
    if (node == 0) return false;
    chain.keys[depth] = key;
    chain.nodes[depth] = node;
    chain.depth = depth + 1;
    return true;
}

uint32_t StackSet::insert(ClassFile& file, Chain& chain, uint32_t app,
                          std::span<const StackFrame> innermost_first, StackEnd end) noexcept {
    uint32_t depth = 0;
    if (app == 0 || !step(file, chain, depth, frame_key(StackFrame::application(app)))) return depth;
    ++depth;
    if (end != StackEnd::root) {
        if (!step(file, chain, depth, frame_key(StackFrame::cut_for(end)))) return depth;
        ++depth;
    }
    for (size_t i = innermost_first.size(); i-- > 0; ++depth) {
        const StackFrame& frame = innermost_first[i];
        const uint64_t key = frame.is_code() ? frame_key(frame) : 0;
        if (key == 0 || !step(file, chain, depth, key)) return depth;
    }
    return depth;
}

void StackSet::add(const SampleClass& sample_class, uint32_t app, std::span<const StackFrame> innermost_first,
                   StackEnd end, uint32_t samples, uint32_t thread) noexcept {
    if (innermost_first.size() > most_code_frames) {
        innermost_first = innermost_first.first(most_code_frames);
        end = StackEnd::too_deep;
    }
    ClassFile* const file = file_of(sample_class);
    uint32_t depth = 0;
    uint32_t stored = 0;
    if (file) {
        Chain& chain = chains_[(file->number * 31 + thread) % chain_count];
        if (std::exchange(chain.file, file->number) != file->number) chain.depth = 0;
        depth = insert(*file, chain, app, innermost_first, end);
        if (depth != 0) stored = file->table->count(chain.nodes[depth - 1], samples);
    }
    // As the files have it: without room for its mark, a stack cannot be distinguished from a complete one.
    const bool is_marked = depth > 1 || end == StackEnd::root;
    const uint32_t whole = static_cast<uint32_t>(innermost_first.size()) + (end == StackEnd::root ? 1 : 2);
    stored_[static_cast<size_t>(is_marked ? end : StackEnd::root)] += stored;
    if (depth < whole) cut_ += stored;
    lost_ += samples - stored;
}

void StackSet::flush() noexcept {
    frames_->retry_growth();
    for (auto file = files_.begin(); file != files_.end();) {
        const auto here = file++;
        if (here->table) {
            here->table->retry_growth();
            continue;
        }
        by_class_.erase(here->sample_class);
        files_.erase(here);
    }
}

StackAccount StackSet::counts() const {
    StackAccount account{
        .complete = stored_[static_cast<size_t>(StackEnd::root)], .cut = cut_, .lost = lost_};
    for (size_t i = 1; i < stored_.size(); ++i)
        if (stored_[i] != 0)
            account.incomplete[std::string(stack_end_name(static_cast<StackEnd>(i)))] = stored_[i];
    return account;
}

}  // namespace op
