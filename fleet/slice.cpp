// SPDX-License-Identifier: GPL-2.0-or-later
// Adds up sample files and stacks of a session by the fleet's numbers. Processes, threads and CPUs that a
// session keeps apart are added up; so is anonymous memory, whose addresses mean nothing elsewhere. Arcs of
// call-graph files are left out. What that loses is in the slice's index and files.
#include "fleet/slice.h"

#include <algorithm>
#include <limits>

#include "fleet/file_index.h"
#include "fleet/numbers.h"
#include "fleet/sha256.h"
#include "libop/base/directory.h"
#include "libop/base/error.h"
#include "libop/base/gzip.h"
#include "libop/base/text.h"
#include "libop/jit/jo_file.h"
#include "libop/session/session_files.h"
#include "libop/stacks/stack_file.h"
#include "libop/stacks/stack_reader.h"

namespace op::fleet {
namespace {

/// Files that only `opfleet show` needs are left out beyond these sizes, packed: of one, and of all of a
/// session.
constexpr size_t largest_file = size_t{16} << 20, largest_files = size_t{64} << 20;

/// Sorts counters and adds up those of one key. They mostly are in order; a map would take three times the
/// memory and instructions.
template <class Key>
Counters<Key> summed(Counters<Key> counters) {
    constexpr auto key = &std::pair<Key, uint64_t>::first;
    if (!std::ranges::is_sorted(counters, {}, key)) std::ranges::sort(counters, {}, key);
    size_t last = 0;
    for (size_t i = 1; i < counters.size(); ++i) {
        if (counters[i].first == counters[last].first)
            counters[last].second = add_saturating(counters[last].second, counters[i].second);
        else
            counters[++last] = counters[i];
    }
    if (!counters.empty()) counters.resize(last + 1);
    return counters;
}

class SliceBuilder {
public:
    SliceBuilder(Slice& slice, Diagnostics& notes) : slice_(slice), notes_(notes) {}

    void add_files(const SessionReader& session);
    void add_stacks(StackSetReader& stacks);
    /// Gives the slice the counters of what was added.
    void finish() {
        slice_.samples = summed(std::move(samples_));
        slice_.stack_samples = summed(std::move(stack_samples_));
    }

private:
    /// A sample file and where its counters go.
    struct Named {
        std::string path;
        SampleName name;
        PlaceKey key;
        size_t number = 0;  ///< in the order of paths
    };

    bool has_final_number(const ImageName& name) const;
    std::vector<Named> named_files(const SessionReader& session);
    void add_file(const SampleFileContent& content, const Named& file);
    uint64_t image(const ImageName& name);
    uint64_t event(std::string_view name, uint64_t count, uint64_t unit_mask);
    void add_tree(const StoredTree& tree, uint64_t event, const StackSetReader& stacks);

    Slice& slice_;
    Diagnostics& notes_;
    Counters<PlaceKey> samples_;  // in any order, some keys several times; so are the stacks
    Counters<StackKey> stack_samples_;
    std::map<ImageName, uint64_t> known_images_;
};

/// The number of an image, or an application, follows from what the manifest has of it: nothing until a
/// sample of its own is stored and the manifest written, and of a file its path alone until the file is
/// found. A counter that was sent under another number would stay.
bool SliceBuilder::has_final_number(const ImageName& name) const {
    const SessionInfo& info = slice_.info;
    if (slice_.is_sealed || name.kind == ImageName::Kind::anon) return true;
    if (std::ranges::find(info.kernel_images, name.name, &RecordedKernelImage::name) !=
        info.kernel_images.end())
        return true;
    const auto known = info.images.find(name.name);
    if (known == info.images.end()) return false;
    const RecordedImage& recorded = known->second;
    const bool is_file = name.kind == ImageName::Kind::file;
    return !is_file || recorded.several_builds || !recorded.build_id.empty() || recorded.mtime != 0;
}

uint64_t SliceBuilder::image(const ImageName& name) {
    const auto known = known_images_.find(name);
    if (known != known_images_.end()) return known->second;
    auto [number, row] = number_image(name, slice_.info);
    slice_.images.try_emplace(number, std::move(row));
    known_images_.emplace(name, number);
    return number;
}

uint64_t SliceBuilder::event(std::string_view name, uint64_t count, uint64_t unit_mask) {
    const RecordedEvent event = recorded_event(slice_.info, name, count, unit_mask);
    const uint64_t number = event_number(event);
    slice_.events.try_emplace(number, SliceEvent{event});
    return number;
}

std::vector<SliceBuilder::Named> SliceBuilder::named_files(const SessionReader& session) {
    std::vector<Named> files;
    for (const std::string& path : session.list()) {
        auto name = parse_sample_path(path);
        if (!name || !has_final_number(name->image) || !has_final_number(name->app)) continue;
        const uint64_t event_of = event(name->event, name->count, name->unit_mask);
        const PlaceKey key{event_of, image(name->image), image(name->app)};
        files.push_back({path, std::move(*name), key, files.size()});
    }
    std::ranges::stable_sort(files, {}, &Named::key);  // so that counters are in order, almost
    return files;
}

/// Rows of `samples` give a file back if no other file has rows of that event, image and application, and if
/// they have its places.
void SliceBuilder::add_files(const SessionReader& session) {
    const auto files = named_files(session);
    std::map<PlaceKey, size_t> files_of;
    for (const Named& file : files)
        if (!file.name.callee) ++files_of[file.key];
    std::vector<IndexedFile> index(files.size());
    for (const Named& file : files) {
        SampleFileContent content = session.read(file.path, notes_);
        const bool has_places = file.name.image.kind != ImageName::Kind::anon;
        const bool is_apart = file.name.callee || !has_places || files_of[file.key] > 1;
        if (!file.name.callee) add_file(content, file);
        index[file.number] = {file.name, content.header, is_apart, {}};
        if (is_apart) index[file.number].entries = std::move(content.entries);
    }
    slice_.files.push_back({slice_index_name, gzip(index_text(index))});
}

void SliceBuilder::add_file(const SampleFileContent& content, const Named& file) {
    PlaceKey key = file.key;
    for (const SampleEntry& entry : content.entries) {
        key.place = file.name.image.kind != ImageName::Kind::anon ? entry.key : 0;
        samples_.emplace_back(key, entry.count);
    }
}

void SliceBuilder::add_stacks(StackSetReader& stacks) {
    for (const SampleClass& each : stacks.classes()) {
        const StoredTree tree = stacks.read(each, notes_);
        add_tree(tree, event(each.event, each.count, each.unit_mask), stacks);
    }
}

void SliceBuilder::add_tree(const StoredTree& tree, uint64_t event, const StackSetReader& stacks) {
    struct Numbered {
        uint64_t stack = 0, app = 0;
        bool is_final = true;  ///< it and all its callers have their final numbers
    };
    std::vector<bool> is_final;  // by image
    for (const ImageName& name : stacks.images())
        is_final.push_back(name.name.empty() || has_final_number(name));
    std::vector<Numbered> numbered(tree.nodes.size());
    for (size_t i = 1; i < tree.nodes.size(); ++i) {
        const StoredNode& node = tree.nodes[i];
        const Numbered& parent = numbered[node.parent];
        const StackFrame& frame = stacks.frames()[node.frame];
        numbered[i].is_final = parent.is_final && (frame.is_cut() || is_final[frame.image]);
        if (!numbered[i].is_final) continue;
        StackNodeRow row{parent.stack, 0, 0, StackNodeRow::cut};
        if (frame.is_cut()) {
            row.place = frame.offset;
        } else {
            const ImageName& name = stacks.images()[frame.image];
            row.image = name.name.empty() ? 0 : image(name);
            row.kind = frame.is_application() ? StackNodeRow::application
                       : frame.is_exact       ? StackNodeRow::address
                                              : StackNodeRow::return_address;
            if (row.kind != StackNodeRow::application && name.kind != ImageName::Kind::anon)
                row.place = frame.offset;
        }
        RowBinary bytes;
        bytes.add_u64(row.parent);
        bytes.add_u64(row.image);
        bytes.add_u64(row.place);
        bytes.add_u8(row.kind);
        numbered[i] = {id64(bytes.bytes()), row.kind == StackNodeRow::application ? row.image : parent.app};
        slice_.stacks.try_emplace(numbered[i].stack, row);
        if (node.count == 0) continue;
        stack_samples_.emplace_back(StackKey{event, numbered[i].stack, numbered[i].app}, node.count);
    }
}

/// Adds the session's further files, which are sent as a whole: of a session that grows, once at the end. A
/// reader of stacks needs nodes before frames and frames before images, as far as they grow meanwhile.
void add_side_files(const SessionReader& session, const std::vector<SampleClass>& stack_classes, Slice& slice,
                    Diagnostics& notes) {
    std::vector<std::string> names;
    if (!stack_classes.empty()) {
        for (const SampleClass& each : stack_classes)
            names.push_back(std::string(stacks_dir) + "/" + mangle_class(each));
        for (const char* const name : {stack_frames_name, stack_images_name})
            names.push_back(std::string(stacks_dir) + "/" + name);
    }
    names.emplace_back(kallsyms_name);
    const auto is_code = [](std::string_view path) { return parse_jo_path(path).has_value(); };
    for (std::string& path : list_session_files(session.directory(), session.path(), is_code))
        names.push_back(std::move(path));
    size_t room = largest_files;
    for (const std::string& name : names) {
        const auto bytes =
            read_file_below(session.directory(), name, session.path() + "/" + name, stack_file_limit * 4);
        if (!bytes) continue;
        std::string packed = name == kallsyms_name ? *bytes : gzip(*bytes);
        if (packed.size() > std::min(room, largest_file)) {
            notes.warn(printable(session.path() + "/" + name) +
                       " is too large to be sent; opfleet show will not have it");
            continue;
        }
        room -= packed.size();
        slice.files.push_back({packed_name(name), std::move(packed)});
    }
}

void check_time(const Slice& slice, int64_t now) {
    const uint64_t latest = static_cast<uint64_t>(now) + Day::seconds;
    if (slice.info.start_time >= Day::seconds && slice.info.start_time <= latest) return;
    throw_input("session " + printable(slice.session) + " began at " + std::to_string(slice.info.start_time) +
                " seconds since 1970: the clock of its host was wrong, and its day is not known");
}

/// A copy of a session has its number, wherever it is.
uint64_t slice_number(const std::string& host, const SessionInfo& info, const std::string& session_dir) {
    if (!info.session_id.empty()) return id64(name_of({"slice", host, info.session_id}));
    return id64(name_of({"slice", host, std::to_string(info.start_time), session_dir}));
}

}  // namespace

std::string packed_name(const std::string& name) {
    return name == kallsyms_name ? name : name + ".gz";
}

// Each term only grows while the session does. What was sealed was not to grow, so of two equal states that
// one is newer.
uint64_t account_version(const Slice& slice) {
    const SessionInfo& info = slice.info;
    uint64_t grown = std::max(info.stop_time, info.start_time) - info.start_time;
    for (const uint64_t term :
         {info.ledger.sampled(), info.ledger.stored(), uint64_t{slice.samples.size()}, sum_of(slice.samples),
          uint64_t{slice.stack_samples.size()}, sum_of(slice.stack_samples)})
        grown = add_saturating(grown, term);
    return std::min(grown, std::numeric_limits<uint64_t>::max() / 2) * 2 + (slice.is_sealed ? 1 : 0);
}

Slice read_slice(const SessionReader& session, std::string name, const SliceOptions& options, int64_t now,
                 Diagnostics& notes) {
    Slice slice;
    slice.session = std::move(name);
    auto info = session.info(notes);
    if (!info) throw_input("session " + printable(slice.session) + " has no manifest: its day is not known");
    slice.info = std::move(*info);
    slice.is_sealed = !(options.is_recorded && slice.info.unfinished);
    check_time(slice, now);
    slice.hostname = options.host.empty() ? slice.info.host : options.host;
    if (slice.hostname.empty())
        throw_usage("session " + printable(slice.session) + " has no host; give --host");
    if (options.hashes_host) slice.hostname = "host-" + hex(host_number(slice.hostname), 16);
    slice.host = host_number(slice.hostname);
    slice.day = Day::of_time(static_cast<int64_t>(slice.info.start_time));
    slice.id = slice_number(slice.hostname, slice.info, options.session_dir);
    slice.info.host = slice.hostname;
    if (options.drops_command) slice.info.command.clear();
    SliceBuilder builder(slice, notes);
    builder.add_files(session);
    std::vector<SampleClass> stack_classes;
    if (auto stacks = StackSetReader::open(session.directory(), session.path(), notes)) {
        builder.add_stacks(*stacks);
        stack_classes = stacks->classes();
    }
    builder.finish();
    if (options.leaves_out_files)
        slice.files.clear();
    else if (slice.is_sealed)
        add_side_files(session, stack_classes, slice, notes);
    return slice;
}

}  // namespace op::fleet
