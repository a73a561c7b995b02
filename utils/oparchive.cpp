// SPDX-License-Identifier: GPL-2.0-or-later
// oparchive: copies a session with all that reports on it need, so that it can be read on another machine.
// Layout: doc/FORMATS.md, "Archive".
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include "libop/base/access_policy.h"
#include "libop/base/build_id.h"
#include "libop/base/elf_object.h"
#include "libop/base/error.h"
#include "libop/base/text.h"
#include "libop/session/kept_images.h"
#include "libop/stream/record.h"
#include "libpp/object/debuginfo.h"
#include "libpp/object/image_bytes.h"
#include "libpp/symbols/image_symbols.h"
#include "utils/archive_session.h"
#include "utils/load_profile.h"
#include "utils/shared/checked_file.h"
#include "utils/shared/file_access.h"
#include "utils/shared/tree_writer.h"
#include "utils/source_finder.h"

namespace op::tool {
namespace {

struct Options {
    CommonOptions common;
    std::string output;
    bool list = false, exclude_dependent = false, sources = false;
};

CommandSyntax syntax(Options& o) {
    CommandSyntax s;
    s.synopsis = "--output-directory=DIR [PROFILE SPECIFICATION...]";
    s.options = {
        {"output-directory", 'o', &o.output, "where the archive is made", "DIR"},
        {"list-files", 'l', &o.list, "only list the files that belong in it"},
        {"exclude-dependent", 'x', &o.exclude_dependent, "only samples in the application's own image"},
        {"include-sources", 0, &o.sources, "also the source files that samples lie in"},
    };
    for (const auto& option : o.common.table())
        if (const std::string_view name = option.long_name; name != "threshold") s.options.push_back(option);
    return s;
}

/// One file of the archive.
struct Item {
    std::string source;  ///< path on this machine
    std::string target;  ///< path in the archive
    auto operator<=>(const Item&) const = default;
};

/// Finds out which files belong in the archive.
class Inventory {
public:
    Inventory(LoadedProfile& loaded, bool trusts_path)
        : loaded_(loaded), trusts_path_(trusts_path), notes_(loaded.samples().notes()) {
        // First what samples are in: their files know more of it than of their application.
        for (size_t i = 0; i < loaded.files().size(); ++i)
            add_image(loaded.files()[i].name.image, i);
        for (const auto& file : loaded.files()) {
            add_image(file.name.app);
            if (file.name.callee) add_image(*file.name.callee);
        }
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

    const std::map<Item, CheckedFile>& items() const { return items_; }

private:
    /// Adds a source that the lines of an image name, unless it might be anything else.
    void add_source(const std::string& path, const ImageName& image) {
        std::string refusal = source_refusal(path);
        try {
            if (refusal.empty()) {
                const Fd file = open_regular(path);
                refusal = private_source_fault(file, path, owner_of(image));
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
        const auto path = loaded_.file_of(image);
        if (!path || (path != loaded_.vmlinux() && path != loaded_.opened().finder.find(image.name, notes_)))
            return std::nullopt;
        const Fd file = open_regular(*path);
        struct stat st {};
        if (::fstat(file.get(), &st) != 0) return std::nullopt;
        const bool is_placed_there = is_path_trusted(file, std::filesystem::absolute(*path), st.st_uid);
        return is_placed_there ? std::optional(st.st_uid) : std::nullopt;
    }

    /// `file`, if there is one, is a sample file of the image.
    void add_image(const ImageName& image, std::optional<size_t> file = std::nullopt) {
        if (!has_file(image) || !seen_.insert(image.name).second) return;
        const pp::ImageFinder& finder = loaded_.opened().finder;
        const RecordedImage known = recorded(image.name, file);
        auto found = known.elsewhere ? finder.find_kept(known.build_id) : std::nullopt;
        if (!found) found = finder.find(image.name, notes_);
        if (!found) found = kernel_image(file);
        if (!found) found = fetch_image(image.name);
        if (!found) {
            notes_.warn("image " + printable(image.name) + " is not found; it is not in the archive");
            return;
        }
        const std::string target = image.name.starts_with('/') ? image.name : below_roots(*found);
        add_binary(*found, target, known);
    }

    /// The one that the user named, if that file's samples are the kernel's.
    std::optional<std::string> kernel_image(std::optional<size_t> file) const {
        const std::string& vmlinux = loaded_.vmlinux();
        if (vmlinux.empty() || !file || !is_regular_file(vmlinux)) return std::nullopt;
        const auto content = loaded_.samples().read(*file);
        return content && content->header.is_kernel ? std::optional(vmlinux) : std::nullopt;
    }

    std::optional<std::string> fetch_image(const std::string& name) const {
        const auto& info = loaded_.opened().info;
        if (!loaded_.by_build_id() || !info || !name.starts_with('/')) return std::nullopt;
        const std::string build_id = info->build_id(name);
        return build_id.empty() ? std::nullopt : loaded_.by_build_id()->executable(build_id);
    }

    /// What was known of an image when it was profiled.
    RecordedImage recorded(const std::string& name, std::optional<size_t> file) const {
        const auto& info = loaded_.opened().info;
        if (info && info->images.contains(name)) return info->images.at(name);
        RecordedImage image;
        if (info) image.build_id = info->build_id(name);
        if (!file) return image;
        if (const auto content = loaded_.samples().read(*file)) image.mtime = content->header.mtime;
        return image;
    }

    /// A path as it was on the machine that was profiled.
    std::string below_roots(const std::string& path) const {
        for (const auto& root : roots())
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

    /// Adds a binary of the build that was profiled, and its debug file. Anything else becomes a note: a
    /// session may name any file of this machine.
    void add_binary(const std::string& path, const std::string& target, const RecordedImage& recorded) {
        std::string outcome = "it is not in the archive";
        try {
            const Fd opened = open_regular(path);
            const pp::ImageBytes file(opened, path);
            const auto object = open_elf(file.bytes(), path);
            const pp::FileChange change = pp::file_change(path, object->build_id(), recorded);
            const bool is_another =
                change == pp::FileChange::other_build || change == pp::FileChange::elsewhere;
            if (is_another && !trusts_path_)
                return notes_.warn(printable(path) + " is not the build that was profiled; " + outcome +
                                   " (see --trust-path)");
            if (const auto note = pp::replacement_note(path, change); !note.empty()) notes_.warn(note);
            items_.insert({{path, target}, CheckedFile(opened, path)});
            outcome = "no debug file is looked for";
            add_debug_file(path, target, *object);
        } catch (const Error& error) {
            notes_.warn(std::string(error.what()) + "; " + outcome);
        }
    }

    void add_debug_file(const std::string& path, const std::string& target, const ObjectFile& object) {
        const auto debug = pp::find_debug_file(path, object, roots(), notes_);
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
    bool trusts_path_;
    Diagnostics& notes_;
    std::set<std::string> seen_;
    std::map<Item, CheckedFile> items_;
};

void copy_session(const SessionReader& session, TreeWriter& archive, Diagnostics& notes) {
    take_session_files(session, notes, [&](const SessionFile& each) {
        archive.copy(each.file, printable(each.path), each.target, each.largest);
    });
}

void copy_samples(const LoadedProfile& loaded, TreeWriter& archive) {
    for (const auto& file : loaded.files()) {
        const SessionFile each = open_sample_file(loaded.opened().sessions[file.session], file.path);
        archive.copy(each.file, printable(each.path), each.target, each.largest);
    }
}

void list(const Inventory& inventory, LoadedProfile& loaded) {
    std::string text;
    for (const auto& [item, state] : inventory.items())
        text += printable(item.source) + "\n";
    std::set<std::string> own;
    for (const SessionReader& session : loaded.opened().sessions)
        take_session_files(session, loaded.samples().notes(),
                           [&](const SessionFile& each) { own.insert(each.path); });
    for (const std::string& path : own)
        text += printable(path) + "\n";
    for (const auto& file : loaded.files())
        text += printable(loaded.opened().sessions[file.session].path() + "/" + file.path) + "\n";
    write_stdout(text);
}

/// True if nothing else can be written either.
bool leaves_no_room(const Error& error) {
    return error.code() == ENOSPC || error.code() == EDQUOT;
}

/// The mode bits that the archive may have, also by the umask from now on. Like what root records, what root
/// archives is for root's group at most: kernel addresses, binaries that others may not read.
mode_t allowed_modes() {
    if (!own_access_policy().is_strict) return 0777;
    ::umask(::umask(0777) | S_IWGRP | S_IRWXO);
    return 0750;
}

int oparchive(Tool& tool, int argc, char** argv) {
    Options o;
    const ParsedOptions parsed = parse_options(argc, argv, syntax(o));
    if (parsed.exit_status) return *parsed.exit_status;
    o.common.check();
    if (!o.list && o.output.empty())
        throw_usage("give the directory to make the archive in: --output-directory=DIR");
    LoadOptions load;
    load.select = {.exclude_dependent = o.exclude_dependent, .callgraph = true};
    load.merge = pp::parse_merge(std::vector<std::string>{"all"});
    load.merge.build = false;  // each file is archived
    const mode_t allowed = allowed_modes();
    const Outside outside(o.common, {.profiles = {parsed.words}, .output_dir = o.list ? "" : o.output}, tool);
    LoadedProfile loaded(o.common, parsed.words, load, outside, tool);
    for (const SessionReader& session : loaded.opened().sessions)
        check_session_place(session);
    Inventory inventory(loaded, o.common.trust_path);
    if (o.sources) inventory.add_sources();
    if (o.list) {
        list(inventory, loaded);
        return 0;
    }
    TreeWriter archive(o.output, allowed);
    for (const auto& each : inventory.items())
        tool.attempt(
            [&] {
                const auto& [item, state] = each;
                archive.copy(state.open_again(item.source), printable(item.source), item.target);
            },
            leaves_no_room);
    for (const auto& session : loaded.opened().sessions)
        copy_session(session, archive, tool.notes);
    copy_samples(loaded, archive);
    write_stderr("archived: read it with archive:" + printable(o.output) + "; the session lies in " +
                 printable(o.output) + system_session_dir + "\n");
    return 0;
}

}  // namespace
}  // namespace op::tool

int main(int argc, char** argv) {
    return op::tool::run(argc, argv, op::tool::oparchive);
}
