// SPDX-License-Identifier: GPL-2.0-or-later
// Finding the files of an archive and checking that they may go there.
#include "utils/archive_inventory.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "libop/base/access_policy.h"
#include "libop/base/elf_object.h"
#include "libop/base/error.h"
#include "libop/base/fd.h"
#include "libop/base/text.h"
#include "libop/stacks/stack_reader.h"
#include "libpp/object/debuginfo.h"
#include "libpp/object/image_bytes.h"
#include "libpp/symbols/image_candidates.h"
#include "libpp/symbols/image_symbols.h"
#include "utils/shared/file_access.h"
#include "utils/source_finder.h"

namespace op::tool {
namespace {

/// Each is looked for, whoever wrote the session.
constexpr size_t most_stack_images = 65536;

/// How a file differs from the profiled one.
const char* difference(pp::FileChange change) {
    if (change == pp::FileChange::several_builds) return pp::several_builds_text;
    if (change == pp::FileChange::elsewhere) return "was another file where this session was recorded";
    if (change == pp::FileChange::other_content) return "has another content than the file that was profiled";
    if (change == pp::FileChange::other_time) return "was changed after it was profiled";
    return "is not the build that was profiled";
}

/// Finds out which files belong in the archive.
class Inventory {
public:
    Inventory(LoadedProfile& loaded, bool trusts_path)
        : loaded_(loaded),
          trusts_path_(trusts_path),
          is_ordinary_user_(!own_access_policy().is_strict),
          notes_(loaded.samples().notes()),
          roots_(roots()),
          named_(named()) {
        // First what samples are in: their files know more of it than of their application.
        for (size_t i = 0; i < loaded.files().size(); ++i)
            add_image(loaded.files()[i].name.image, i);
        for (const auto& file : loaded.files()) {
            add_image(file.name.app);
            if (file.name.callee) add_image(*file.name.callee);
        }
        for (const SessionReader& session : loaded.opened().sessions)
            add_stack_images(session);
    }

    void add_sources() {
        const pp::Profile& profile = loaded_.profile();
        std::set<std::string_view> seen;
        std::vector<std::string> missing;
        for (const pp::Location& location : profile.locations) {
            const auto line = profile.images[location.image].symbols->line(location.offset);
            if (!line || !seen.insert(line->file).second) continue;
            const std::string path(line->file);
            if (path.starts_with('/') && ::access(path.c_str(), F_OK) == 0)
                add_source(path, profile.images[location.image].name);
            else
                missing.push_back(path);
        }
        if (!missing.empty()) notes_.warn(not_found_text(missing));
    }

    ArchiveItems take() && { return std::move(items_); }

private:
    /// Adds a source that the lines of an image name, unless it might be anything else.
    void add_source(const std::string& path, const ImageName& image) {
        std::string refusal = source_refusal(path);
        try {
            if (refusal.empty()) {
                const Fd file = open_regular(path);
                if (!is_public(file)) refusal = private_source_fault(file, path, owner_of(image));
                if (refusal.empty()) items_.insert({{path, path}, CheckedFile(file, path)});
            }
        } catch (const Error& error) {
            refusal = error.what();
        }
        if (!refusal.empty()) notes_.warn("source " + printable(path) + " is left out: " + refusal);
    }

    /// The owner of the file that an image's lines come from. None if somebody else may have put it there, or
    /// if it is not at the image's path: what a session keeps belongs to the recorder.
    std::optional<uid_t> owner_of(const ImageName& image) {
        const auto known = owners_.find(image);
        return known != owners_.end() ? known->second : owners_[image] = find_owner(image);
    }

    std::optional<uid_t> find_owner(const ImageName& image) {
        const auto path = loaded_.file_of(image);
        if (!path || (path != loaded_.vmlinux() && path != loaded_.opened().finder.find(image.name, notes_)))
            return std::nullopt;
        const Fd file = open_regular(*path);
        struct stat st {};
        if (::fstat(file.get(), &st) != 0) return std::nullopt;
        const bool is_placed_there = is_path_trusted(file, std::filesystem::absolute(*path), st.st_uid);
        return is_placed_there ? std::optional(st.st_uid) : std::nullopt;
    }

    /// The callers on stacks are also in images without any sample of their own.
    void add_stack_images(const SessionReader& session) {
        try {
            const auto stacks = StackSetReader::open(session.directory(), session.path(), notes_);
            if (!stacks) return;
            const size_t most = std::min(stacks->images().size(), most_stack_images);
            for (const ImageName& image : std::span(stacks->images()).first(most))
                if (!image.name.empty()) add_image(image);
        } catch (const Error& error) {
            notes_.warn(std::string(error.what()) + "; binaries of callers may be missing in the archive");
        }
    }

    /// `file`, if there is one, is a sample file of the image.
    void add_image(const ImageName& image, std::optional<size_t> file = std::nullopt) {
        if (!has_file(image) || !seen_.insert(image.name).second) return;
        const Wanted wanted = wanted_of(image, file);
        const bool has_path = image.name.starts_with('/');
        RecordedImage searched = wanted.recorded;
        if (!has_path) searched.build_id.clear();  // a module's file is found by its place alone
        pp::ImageCandidates files(loaded_.opened().finder, loaded_.by_build_id(), image.name, searched,
                                  wanted.named, notes_);
        std::vector<std::string> refusals;
        while (const auto candidate = files.next()) {
            const std::string target = has_path ? image.name : below_roots(candidate->path);
            std::string refusal = add_binary(*candidate, target, wanted);
            if (refusal.empty()) return;
            refusals.push_back(std::move(refusal));
        }
        for (const std::string& refusal : refusals)
            notes_.warn(refusal);
        if (refusals.empty())
            notes_.warn("image " + printable(image.name) + " is not found; it is not in the archive");
    }

    /// An image whose file is looked for.
    struct Wanted {
        std::string name;
        RecordedImage recorded;
        std::string named;  ///< the file that the user named for it; empty = none
    };

    /// What was known of an image when it was profiled; times of the kernel's do not count, as in reports.
    Wanted wanted_of(const ImageName& image, std::optional<size_t> file) const {
        const auto& info = loaded_.opened().info;
        Wanted wanted{image.name, info ? info->recorded(image.name, 0) : RecordedImage{}, ""};
        const bool asks_header = file && (wanted.recorded.mtime == 0 || !loaded_.vmlinux().empty());
        const auto content = asks_header ? loaded_.samples().read(*file) : std::nullopt;
        if (content && wanted.recorded.mtime == 0) wanted.recorded.mtime = content->header.mtime;
        const bool is_kernel = content && content->header.is_kernel;
        if (image.name.starts_with('/') && pp::is_kernel_file(image.name, info ? &*info : nullptr, is_kernel))
            wanted.named = loaded_.vmlinux();
        if (image.kind == ImageName::Kind::kernel || !wanted.named.empty()) wanted.recorded.forget_file();
        return wanted;
    }

    /// A path as it was on the machine that was profiled.
    std::string below_roots(const std::string& path) const {
        for (const auto& root : roots_)
            if (!root.empty() && path.starts_with(root + "/")) return path.substr(root.size());
        return path;
    }

    std::vector<std::string> roots() const {
        const pp::ImageSearch& search = loaded_.opened().finder.search();
        std::vector<std::string> roots;
        for (const auto& root : {search.archive, search.root})
            if (!root.empty()) roots.push_back(root);
        roots.emplace_back();
        return roots;
    }

    /// The directories that the user gave: what lies above them is his business.
    std::vector<std::string> named() const {
        std::vector<std::string> named = roots_;
        const auto& paths = loaded_.opened().finder.search().image_paths;
        named.insert(named.end(), paths.begin(), paths.end());
        return named;
    }

    /// Adds a binary and its debug file. Returns why it does not; empty if it does.
    std::string add_binary(const pp::ImageCandidate& file, const std::string& target, const Wanted& wanted) {
        const std::string& path = file.path;
        bool is_taken = false;
        try {
            const Fd opened = open_regular(path);
            const pp::ImageBytes bytes(opened, path);
            const auto object = open_elf(bytes.bytes(), path);
            const auto change = pp::candidate_change(file, object->build_id(), wanted.recorded);
            const bool is_named = path == wanted.named;
            const std::string fault = fault_of(change, opened, object->build_id(), is_named, wanted);
            if (!fault.empty() && (!trusts_path_ || file.is_by_build_id))
                return "image " + printable(wanted.name) + " is not in the archive: " + printable(path) +
                       " " + fault + " (see --trust-path)";
            if (const auto note = pp::replacement_note(path, change); !note.empty()) notes_.warn(note);
            items_.insert({{path, target}, CheckedFile(opened, path)});
            is_taken = true;
            add_debug_file(path, target, *object);
        } catch (const Error& error) {
            if (!is_taken) return std::string(error.what()) + "; it is not in the archive";
            notes_.warn(std::string(error.what()) + "; no debug file is looked for");
        }
        return "";
    }

    /// Why a file is not taken for an image; empty if it is.
    std::string fault_of(pp::FileChange change, const Fd& file, const std::string& build_id, bool is_named,
                         const Wanted& wanted) const {
        if (change != pp::FileChange::none) return difference(change);
        const bool is_build_known = !build_id.empty() && build_id == wanted.recorded.build_id;
        if (is_build_known || is_named || is_public(file, named_)) return "";
        struct stat st {};
        if (is_ordinary_user_ && ::fstat(file.get(), &st) == 0 && st.st_uid == ::geteuid()) return "";
        return "may not be read by everyone, and is not known to be the build that was profiled";
    }

    void add_debug_file(const std::string& path, const std::string& target, const ObjectFile& object) {
        const auto debug = pp::find_debug_file(path, object, roots_, notes_);
        if (!debug) return add_fetched(object);
        const auto link = object.debug_link();
        // Without a debug link it is found by its build-id, wherever the binary lies.
        const std::string beside = link ? target.substr(0, target.rfind('/')) + "/.debug/" + link->name : "";
        take_debug_file(*debug, link ? beside : below_roots(*debug), object);
    }

    void take_debug_file(const std::string& path, const std::string& target, const ObjectFile& object) {
        const Fd file = open_regular(path);
        const std::string fault = pp::debug_file_fault(file, path, object);
        if (fault.empty())
            items_.insert({{path, target}, CheckedFile(file, path)});
        else
            notes_.warn("debug file " + printable(path) + " is not in the archive: " + printable(fault));
    }

    void add_fetched(const ObjectFile& object) {
        if (!loaded_.by_build_id() || object.build_id().size() <= 2) return;
        if (const auto debug = fetch_debug_file(object, *loaded_.by_build_id(), notes_))
            take_debug_file(*debug, pp::debug_file_path(object.build_id()), object);
    }

    LoadedProfile& loaded_;
    bool trusts_path_, is_ordinary_user_;
    Diagnostics& notes_;
    const std::vector<std::string> roots_, named_;
    std::map<ImageName, std::optional<uid_t>> owners_;  ///< see owner_of()
    std::set<std::string> seen_;
    ArchiveItems items_;
};

}  // namespace

ArchiveItems find_archive_items(LoadedProfile& loaded, const InventoryOptions& options) {
    Inventory inventory(loaded, options.trusts_path);
    if (options.includes_sources) inventory.add_sources();
    return std::move(inventory).take();
}

}  // namespace op::tool
