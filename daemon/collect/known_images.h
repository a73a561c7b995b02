// SPDX-License-Identifier: GPL-2.0-or-later
// What is known of images: the image of each of the driver's cookies, and the manifest's entries for files,
// kernel and modules. Files of one path are kept apart. Looks at files only if they are this machine's
// (`local`).
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "daemon/collect/image_limits.h"
#include "daemon/collect/process_table.h"
#include "daemon/source/image_file.h"
#include "libop/base/intern.h"
#include "libop/session/session_info.h"
#include "libop/stream/record.h"

namespace op::collect {

/// An image as samples refer to it. Anonymous memory belongs to one process and region, except what the
/// kernel puts into every process: that belongs to process 0 and starts at 0.
struct ImageRef {
    StringId name = StringId::none;  ///< none = no image
    RegionKind kind = RegionKind::file;
    uint32_t tgid = 0;            ///< anon only
    RuntimeAddress start, end{};  ///< anon only, half-open

    bool operator==(const ImageRef&) const = default;
    static ImageRef file(StringId path) { return {path, RegionKind::file, 0, {}, {}}; }
    /// It is beyond the limits: nothing may be stored for it, and it has no text.
    bool is_refused() const noexcept { return name == refused; }

    static constexpr StringId refused{UINT32_MAX};
};

/// A process that has a file mapped, and where, if that is known.
struct MappedAt {
    uint32_t tgid;
    uint64_t start = 0, end = 0;  ///< run-time addresses, half-open
};

/// Not thread-safe.
class KnownImages {
public:
    /// `names` must outlive the object. With `local`, images are files of this machine, which are looked for.
    KnownImages(StringTable& names, bool local, const ImageLimits& limits = {})
        : names_(names), local_(local), limits_(limits) {}

    /// Keeps the names of the files of earlier runs: other files of their paths get other names.
    void add_earlier(const SessionInfo& earlier);

    /// A kernel image or module.
    void take(const Mapping& mapping);
    /// True if the cookie was of another image before.
    bool take(const ImageCookie& cookie);

    /// True if the file of a known image, which is mapped again, is not what it was: written to, or its inode
    /// was given to another file.
    bool has_changed(const MappedImage& image, uint32_t tgid) const;

    /// True if it is the host's own, not a stranger's choice: the kernel, or a file that belongs to root or
    /// the recorder's user and has its path here.
    bool is_hosts(const ImageRef& image) const;

    /// The image of a region of a process, or a refused one, as in the following.
    ImageRef of(const Region& region, uint32_t tgid);
    /// A file that the process has mapped, or a program's name that is used in place of an image.
    ImageRef of_file(const ImagePtr& image, uint32_t tgid) { return ImageRef::file(number(*image, tgid)); }
    /// The image of a cookie; null if the cookie was never announced. Valid until the next take().
    const ImageRef* find(uint32_t cookie) const noexcept;
    /// The path of a file by its name in the session, which may be another (see RecordedImage::path).
    StringId path(StringId name) const;
    /// The mtime of a file image, seconds; 0 if it is unknown, not wanted, or the file was not found.
    uint64_t mtime(const ImageRef& image) const;
    /// Adds the image to the manifest. Returns what is known of a file that its path does not lead to, when
    /// it is added and, as long as it is not settled, at samples of further processes now and then; else
    /// null. Valid until the next call.
    const MappedFileFacts* note_used(const ImageRef& image, const MappedAt& at);
    /// The file needs no further look: it was kept, or cannot be.
    void settle(const ImageRef& image);
    /// Of the images in the manifest whose paths led to them, those whose paths do not any more, each once.
    /// Looks at `most` paths and goes on from there at the next call.
    std::set<StringId> find_replaced(size_t most);
    /// What is known of a file in the manifest.
    const MappedFileFacts& facts(StringId name) const { return files_.at(name).facts; }
    /// Removes all images from the manifest, and the limits begin again; what is known of them stays.
    void begin_run() noexcept;
    /// Adds the images noted and the kernel's to a manifest.
    void describe(SessionInfo& info) const;

private:
    /// What is known of a file.
    struct KnownFile {
        MappedFileFacts facts;  ///< tgid: of the process looked at
        bool is_found = false;
        bool is_earlier = false;  ///< of an earlier run, and not seen in this one
        FileIdentity id = {};     ///< as stat(2) gives it, if it was found
        int64_t changed = 0;      ///< change time, ns since the epoch, if it was found
        bool is_hosts = false;    ///< it belongs to root or the recorder's user, at its path here
        RecordedImage recorded = {};
        bool is_pending = false;   ///< it was not found, or not kept, in the processes looked at
        uint32_t searches = 0;     ///< in further processes
        uint64_t next_search = 0;  ///< not before, monotonic ns

        /// Nothing is known but its path.
        bool is_blank() const;
        bool is_same(const KnownFile& other) const;
        /// It was found, and changed after the other was mapped.
        bool is_newer(const KnownFile& other) const;
        /// Bytes that it takes in the manifest at most.
        uint64_t cost() const;
    };

    /// Bytes of the manifest that are left for images.
    struct ManifestRoom {
        uint64_t hosts, strangers;
    };

    StringId number(MappedImage& image, uint32_t tgid, const Region* region = nullptr);
    StringId number_file(const MappedImage& image, uint32_t tgid, const Region* region);
    StringId name_of(KnownFile file);
    StringId add_file(KnownFile file);
    StringId number_label(std::string_view label, bool is_kernel = false);
    bool is_too_long(std::string_view path) const;
    bool is_still_there(KnownFile& file);
    StringId charge(StringId name, bool is_hosts, uint64_t cost);
    bool take_room(bool is_hosts, uint64_t cost);
    void look_for(KnownFile& file);
    bool may_search(KnownFile& file);
    ImageRef region_image(const ImageCookie& cookie);
    ImageRef file_image(const ImageCookie& cookie);

    StringTable& names_;
    bool local_;
    ImageLimits limits_;
    ManifestRoom room_{limits_.manifest_bytes, limits_.manifest_bytes};
    uint32_t run_ = 1;
    std::set<StringId> charged_;  ///< the names of this run for which room was taken
    SearchLimit search_;
    std::unordered_map<uint32_t, ImageRef> cookies_;
    std::map<StringId, KnownFile> files_;               ///< by name in the session
    std::map<StringId, std::vector<StringId>> builds_;  ///< the names of the files of a path
    std::set<StringId> deleted_;                        ///< programs in memory
    std::set<StringId> used_;
    StringId next_to_check_ = StringId::none;  ///< of used_, by find_replaced()
    std::map<StringId, RecordedKernelImage> kernel_;
    uint64_t next_search_ = 0;  ///< for any file, not before, monotonic ns
};

}  // namespace op::collect
