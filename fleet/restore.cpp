// SPDX-License-Identifier: GPL-2.0-or-later
// Writing what a slice has. It goes to samples/.shown first, which no reader takes for a session.
#include "fleet/restore.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <optional>
#include <set>

#include "libop/base/directory.h"
#include "libop/base/error.h"
#include "libop/base/gzip.h"
#include "libop/base/text.h"
#include "libop/jit/jo_file.h"
#include "libop/session/session_files.h"
#include "libop/stacks/stack_file.h"

namespace op::fleet {
namespace {

constexpr const char* unfinished_name = ".shown";
constexpr size_t longest_index = size_t{256} << 20;

const SliceFile* find_file(const FetchedSlice& slice, std::string_view name) {
    const auto found = std::ranges::find(slice.files, name, &SliceFile::name);
    return found == slice.files.end() ? nullptr : &*found;
}

std::string label_of(const FetchedSlice& slice) {
    return "session " + printable(slice.account.session) + " on the server";
}

/// The place of rows of `samples` for a file; that of the key itself is 0.
PlaceKey key_of(const SampleName& name, const SessionInfo& info) {
    const RecordedEvent event = recorded_event(info, name.event, name.count, name.unit_mask);
    return {event_number(event), number_image(name.image, info).number, number_image(name.app, info).number};
}

/// Files of a session that may come as packed files, and their size.
std::optional<size_t> limit_of(std::string_view path) {
    if (path == kallsyms_name) return side_file_limit;
    if (parse_jo_path(path)) return jo_file_limit;
    const std::string_view name = base_name(path);
    if (path != std::string(stacks_dir) + "/" + std::string(name)) return std::nullopt;
    if (name == stack_images_name) return size_t{64} << 20;
    const bool is_class = parse_class(name) && mangle_class(*parse_class(name)) == name;
    if (name == stack_frames_name || is_class) return stack_file_limit;
    return std::nullopt;
}

/// The session while it is written.
class Draft {
public:
    Draft(const SessionWriter& writer, const FetchedSlice& slice, std::string name, Diagnostics& notes)
        : writer_(writer),
          slice_(slice),
          name_(std::move(name)),
          label_(writer.samples_path() + "/" + name_),
          notes_(notes) {}

    void write() {
        const Fd& samples = writer_.samples_directory();
        const std::string unfinished = writer_.samples_path() + "/" + unfinished_name;
        remove_tree_at(samples, unfinished_name, unfinished);
        dir_ = open_directory_at(samples, unfinished_name, unfinished, true, writer_.policy());
        for (const IndexedFile& file : restored_files(slice_))
            write_samples(file);
        for (const SliceFile& file : slice_.files)
            if (file.name != slice_index_name) write_packed(file);
        replace_file_at(dir_, manifest_name, label_ + "/" + manifest_name, to_json(slice_.info),
                        writer_.policy().first_file_mode(),
                        [&](const Fd& made) { writer_.policy().finish(made); });
        if (::renameat2(samples.get(), unfinished_name, samples.get(), name_.c_str(), RENAME_NOREPLACE) == 0)
            return;
        const int code = errno;
        remove_tree_at(samples, unfinished_name, unfinished);
        if (code == EEXIST) throw_usage("session " + printable(label_) + " exists already");
        throw_system("cannot make " + printable(label_), code);
    }

private:
    /// A file's directory, made, and its name.
    struct Place {
        Fd dir;
        std::string name;
    };

    Place place_of(std::string_view path) const {
        Fd dir = open_at(dir_, ".", O_RDONLY | O_DIRECTORY);
        if (!dir) throw_system("cannot open " + printable(label_));
        const auto parts = split(path, '/');
        for (size_t i = 0; i < parts.size(); ++i) {
            if (parts[i].empty() || parts[i] == "." || parts[i] == ".." ||
                parts[i].find('\0') != parts[i].npos)
                throw_input(label_of(slice_) + ": " + printable(path) + " cannot be a file of a session");
            if (i + 1 < parts.size())
                dir = open_directory_at(dir, std::string(parts[i]),
                                        printable(label_ + "/" + std::string(path)), true, writer_.policy());
        }
        return {std::move(dir), std::string(parts.back())};
    }

    void write_samples(const IndexedFile& file) {
        const std::string path = mangle(file.name);
        const Place place = place_of(path);
        SampleFile samples(place.dir, place.name, file.header, printable(label_ + "/" + path), notes_,
                           writer_.policy());
        constexpr uint64_t most = std::numeric_limits<uint32_t>::max();
        uint64_t given = 0;
        bool fits = true;
        for (const SampleEntry& entry : file.entries) {
            fits &= entry.count <= most;
            given = add_saturating(given, entry.count);
            samples.add(entry.key, static_cast<uint32_t>(std::min(entry.count, most)));
        }
        const SampleFileCounts counts = samples.flush_and_count();
        if (!fits || counts.lost_saturated != 0)
            throw_input(label_of(slice_) + ": " + printable(path) +
                        " has more samples of a place than a sample file can count");
        if (counts.stored != given)
            throw Error(ErrorKind::system,
                        printable(label_ + "/" + path) + ": there is no room for its samples");
    }

    void write_packed(const SliceFile& file) {
        std::string path = file.name;
        if (path.ends_with(".gz") && path != kallsyms_name) path.resize(path.size() - 3);
        const auto limit = limit_of(path);
        if (!limit) throw_input(label_of(slice_) + ": " + printable(path) + " cannot be a file of a session");
        const std::string bytes = path == kallsyms_name
                                      ? file.bytes
                                      : gunzip(file.bytes, label_of(slice_) + ": " + printable(path), *limit);
        const Place place = place_of(path);
        replace_file_at(place.dir, place.name, label_ + "/" + path, bytes, writer_.policy().first_file_mode(),
                        [&](const Fd& made) { writer_.policy().finish(made); });
    }

    const SessionWriter& writer_;
    const FetchedSlice& slice_;
    std::string name_, label_;
    Diagnostics& notes_;
    Fd dir_;
};

}  // namespace

std::vector<IndexedFile> restored_files(const FetchedSlice& slice) {
    const SliceFile* packed = find_file(slice, slice_index_name);
    if (packed == nullptr)
        throw_input(label_of(slice) +
                    ": it was pushed with --no-files, so that its sample files are not known");
    const std::string label = label_of(slice);
    auto files = parse_index(gunzip(packed->bytes, label, longest_index), label);
    std::map<PlaceKey, IndexedFile*> plain;
    std::set<PlaceKey> apart;
    for (IndexedFile& file : files) {
        const PlaceKey key = key_of(file.name, slice.info);
        if (file.is_apart)
            apart.insert(key);
        else
            plain.emplace(key, &file);
    }
    for (const auto& [key, hits] : slice.samples) {
        PlaceKey file_key = key;
        file_key.place = 0;
        const auto file = plain.find(file_key);
        if (file != plain.end())
            file->second->entries.push_back({key.place, hits});
        else if (!apart.contains(file_key))
            throw_input(label + ": it has samples of a file that its index does not have; push it again");
    }
    return files;
}

void restore_session(const SessionWriter& writer, const FetchedSlice& slice, const std::string& name,
                     Diagnostics& notes) {
    check_session_name(name);
    struct stat st {};
    if (::fstatat(writer.samples_directory().get(), name.c_str(), &st, AT_SYMLINK_NOFOLLOW) == 0)
        throw_usage("session " + printable(writer.samples_path() + "/" + name) + " exists already");
    Draft(writer, slice, name, notes).write();
}

}  // namespace op::fleet
