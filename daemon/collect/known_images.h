// SPDX-License-Identifier: GPL-2.0-or-later
// What is known of images: the image of each of the driver's cookies, and the manifest's entries for files,
// kernel and modules. Files of one path are kept apart. Looks at files only if they are this machine's
// (`local`).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "daemon/collect/image_limits.h"
#include "daemon/collect/image_ref.h"
#include "daemon/collect/known_file.h"
#include "daemon/collect/process_table.h"
#include "daemon/source/image_file.h"
#include "libop/base/intern.h"
#include "libop/session/session_info.h"
#include "libop/stream/record.h"

namespace op::collect {

/// Not thread-safe.
class KnownImages {
public:
    /// `names` must outlive the object. With `local`, images are files of this machine, which are looked for.
    KnownImages(StringTable& names, bool local, const ImageLimits& limits = {})
        : names_(names), local_(local), limits_(limits) {}

    /// Keeps the names of the files of earlier runs: other files of their paths get other names.
    void add_earlier(const SessionInfo& earlier);
    /// Sample files of earlier runs. To be called after add_earlier().
    void note_earlier_files(const std::vector<std::string>& paths);

    /// A kernel image or module.
    void take(const Mapping& mapping);
    /// True if the cookie was of another image before. An image gets its number when it is needed.
    bool take(const ImageCookie& cookie);

    /// True if the file of a known image, which is mapped again, is not what it was: written to, or its inode
    /// was given to another file. One with a new link or mode is what it was, by build-id or content. A file
    /// that was looked at after it was mapped (sample time) is not looked at again.
    bool has_changed(const MappedImage& image, uint32_t tgid, uint64_t mapped);

    /// True if it is the host's own, not a stranger's choice: the kernel, or a file that belongs to root or
    /// the recorder's user and has its path here.
    bool is_of_host(const ImageRef& image) const;
    /// The same of the name of an image that is a file, or a kernel's file, of earlier runs.
    bool is_earlier_of_host(std::string_view name) const;

    /// The image of a region of a process, or a refused one, as in the following.
    ImageRef of(const Region& region, uint32_t tgid);
    /// A file that the process has mapped, or a program's name that is used in place of an image.
    ImageRef of_file(const ImagePtr& image, uint32_t tgid) { return ImageRef::file(number(*image, tgid)); }
    /// The image of a cookie; null if the cookie was never announced. Valid until the next take().
    const ImageRef* find(uint32_t cookie);
    /// A cookie's image as mappings have it, which needs no number for it; null if the cookie was never
    /// announced.
    ImagePtr mapped_image(uint32_t cookie) const;
    /// The path or label of a cookie's image, which needs no number for it; empty if the cookie was never
    /// announced. Valid until the next take().
    std::string_view path(uint32_t cookie) const noexcept;
    /// A cookie's image as a process has it whose program has the cookie `app`: it may have another vDSO.
    ImageRef in_program(const ImageRef& image, uint32_t app);
    /// The mtime of a file image, seconds; 0 if it is unknown, not wanted, or the file was not found.
    uint64_t mtime(const ImageRef& image) const;
    /// Adds the image to the manifest. Returns what is known of a file that its path does not lead to, when
    /// it is added and, as long as it is not settled, at samples of further processes now and then; else
    /// null. Valid until the next call.
    const MappedFileFacts* note_used(const ImageRef& image, const MappedAt& at);
    /// Adds the vDSO to the manifest. True if it is the recorder's own, and was not in the manifest.
    bool note_used_vdso(const ImageRef& image);
    /// The file needs no further look: it was kept, or cannot be.
    void settle(const ImageRef& image);
    /// Marks images of the manifest whose paths led to them and do not any more as elsewhere, and removes the
    /// mark once they do again. Returns those newly marked that can be kept. Looks at `most` paths and goes
    /// on from there at the next call.
    std::set<StringId> find_replaced(size_t most);
    /// The files of the manifest outside the system's directories whose paths lead to them, with a build-id.
    /// Only the host's own, see is_of_host(): a stranger could put another file there.
    std::vector<StringId> own_builds() const;
    /// False if a file of the manifest needs no further look: its path leads to it, or it is settled.
    bool is_pending(StringId name) const { return files_.at(name).is_pending; }
    /// What is known of a file in the manifest.
    const MappedFileFacts& facts(StringId name) const { return files_.at(name).facts; }
    /// Removes all images from the manifest, and the limits begin again; what is known of them stays.
    void begin_run() noexcept;
    /// Adds the images noted and the kernel's to a manifest.
    void describe(SessionInfo& info) const;

private:
    /// What the driver announced.
    struct Cookie {
        ImageRef image = {};  ///< as of `run`
        uint32_t run = 0;     ///< the last one in which it was needed
        bool is_region, is_deleted = false;
        uint32_t tgid;
        RuntimeAddress start;
        uint64_t length;
        FileIdentity file;
        std::string path;  ///< without the mark of deletion, or a label; cut where it is beyond the limits

        bool is_same(const Cookie& other) const;
    };

    /// Where the path of a file leads now.
    enum class PathState { to_it, elsewhere, unknown };

    StringId number(MappedImage& image, uint32_t tgid, const Region* region = nullptr);
    StringId number_file(const MappedImage& image, uint32_t tgid, const Region* region);
    StringId name_of(KnownFile file);
    StringId add_file(KnownFile file);
    StringId number_label(std::string_view label, bool is_kernel = false);
    bool is_too_long(std::string_view path) const;
    PathState look_at_path(KnownFile& file);
    bool is_newly_replaced(KnownFile& file);
    StringId charge(StringId name, bool is_of_host, uint64_t cost);
    StringId charge(StringId name, const KnownFile& file) {
        return charge(name, file.is_of_host, file.cost());
    }
    void look_for(KnownFile& file);
    bool has_other_content(KnownFile& file, uint32_t tgid);
    uint32_t read_checksum(const ImageFile& file, std::string_view path);
    bool may_search(KnownFile& file);
    Cookie announced(const ImageCookie& cookie) const;
    ImageRef image_of(const Cookie& cookie);
    ImageRef region_image(const Cookie& cookie);
    ImageRef of_all(const Region& region, uint32_t tgid);
    ImageRef vdso(const char* label, RuntimeAddress end);
    void check_vdso(std::string_view build_id);
    RecordedImage recorded_vdso() const;
    ImageRef file_image(const Cookie& cookie);

    StringTable& names_;
    bool local_;
    ImageLimits limits_;
    Shares room_{{limits_.manifest_bytes}, {limits_.manifest_bytes}};  ///< bytes of the manifest
    Shares checksum_room_{{limits_.bytes_for_checksums},
                          {limits_.bytes_for_checksums}};  ///< bytes read for checksums
    uint32_t run_ = 1;
    std::set<StringId> charged_;  ///< the names of this run for which room was taken
    std::unordered_map<uint32_t, Cookie> cookies_;
    std::map<StringId, KnownFile> files_;               ///< by name in the session
    std::map<StringId, std::vector<StringId>> builds_;  ///< the names of the files of a path
    std::set<StringId> used_;
    bool is_vdso_used_ = false;
    bool is_earlier_vdso_known_ = false;
    bool is_vdso_own_ = true;                  ///< as far as it is known
    StringId next_to_check_ = StringId::none;  ///< of used_, by find_replaced()
    std::map<StringId, RecordedKernelImage> kernel_;
    std::set<std::string, std::less<>> earlier_kernel_;  ///< names of the kernel's images of earlier runs
    uint64_t next_search_ = 0;                           ///< for any file, not before, monotonic ns
    SearchLimit search_;
};

}  // namespace op::collect
