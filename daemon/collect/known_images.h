// SPDX-License-Identifier: GPL-2.0-or-later
// What is known of images: the image of each of the driver's cookies, and the manifest's entries for files,
// kernel and modules. Looks at files only if they are this machine's (`local`).
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>

#include "daemon/collect/process_table.h"
#include "libop/base/diagnostics.h"
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
};

/// Not thread-safe.
class KnownImages {
public:
    /// `names` and `notes` must outlive the object. With `local`, images are files of this machine: mtimes
    /// and build-ids are read from them.
    KnownImages(StringTable& names, bool local, Diagnostics& notes)
        : names_(names), local_(local), notes_(notes) {}

    /// `region` is the mapping's region in the process table; may be null.
    void take(const Mapping& mapping, const Region* region);
    /// True if the cookie was of another image before.
    bool take(const ImageCookie& cookie);

    /// The image of a region of a process.
    ImageRef of(const Region& region, uint32_t tgid);
    /// A mapped file, or a program's name that is used in place of an image.
    ImageRef of_file(const ImagePtr& image) { return ImageRef::file(number(image)); }
    /// The image of a cookie; null if the cookie was never announced. Valid until the next take().
    const ImageRef* find(uint32_t cookie) const noexcept;
    /// The mtime of a file image, seconds; 0 if it is unknown, not wanted, or the file at that path is not
    /// the one that ran.
    uint64_t mtime(const ImageRef& image) const;
    /// Adds the image, with what is known of it now, to the manifest.
    void note_used(const ImageRef& image);
    /// Removes all images from the manifest; what is known of them stays.
    void forget_used() noexcept { used_.clear(); }
    /// Adds the images noted and the kernel's to a manifest.
    void describe(SessionInfo& info) const;

private:
    StringId number(const ImagePtr& image);
    ImageRef region_image(const ImageCookie& cookie);
    ImageRef file_image(const ImageCookie& cookie);
    void check_identity(const ImageCookie& cookie, StringId name, bool deleted);

    StringTable& names_;
    bool local_;
    Diagnostics& notes_;
    std::unordered_map<uint32_t, ImageRef> cookies_;
    std::set<StringId> foreign_;  ///< files whose path leads to another file here
    bool foreign_noted_ = false;
    std::map<StringId, RecordedImage> used_;
    std::unordered_map<StringId, ImagePtr> mapped_;  ///< mapped images that have samples
    std::set<StringId> deleted_;                     ///< files that had no name when their cookie came
    std::map<StringId, RecordedKernelImage> kernel_;
};

}  // namespace op::collect
