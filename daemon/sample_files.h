// SPDX-License-Identifier: GPL-2.0-or-later
// The sample files a collector has open: one per key, a bounded number at a time, losses added up.
#pragma once

#include <cstdint>
#include <list>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "daemon/process_table.h"
#include "libop/diagnostics.h"
#include "libop/intern.h"
#include "libop/session.h"

namespace op::collect {

/// An image as samples refer to it. Anonymous memory belongs to one process and region.
struct ImageRef {
    StringId name = StringId::none;  ///< none = no image
    RegionKind kind = RegionKind::file;
    uint32_t tgid = 0;            ///< anon only
    RuntimeAddress start, end{};  ///< anon only, half-open

    bool operator==(const ImageRef&) const = default;
    static ImageRef of(const Region& region, uint32_t tgid);
};

/// What selects a sample file.
struct FileKey {
    static constexpr uint32_t all = UINT32_MAX;  ///< not separated

    uint16_t event = 0;
    ImageRef app, image, callee;
    uint32_t tgid = all, tid = all, cpu = all;

    bool operator==(const FileKey&) const = default;
};

struct FileKeyHash {
    size_t operator()(const FileKey& key) const noexcept;
};

/// What became of the samples given to the files.
struct StoredCounts {
    SampleFileCounts samples;  ///< of files without callee
    SampleFileCounts arcs;     ///< of call-graph files
};

/// Opens sample files on demand and closes the least recently used. Not thread-safe.
class SampleFiles {
public:
    /// `session`, `names` and `notes` must outlive the object. `session_info` gives CPU type, speed and
    /// events for the headers. With `images_are_local` the headers hold the mtimes the images have now. At
    /// most `limit` files are open at a time, fewer if the process may not open so many.
    SampleFiles(SessionWriter& session, const SessionInfo& session_info, const StringTable& names,
                bool images_are_local, size_t limit, Diagnostics& notes);

    /// The file for a key; null if it could not be opened, which is noted, and tried again only when as many
    /// other files as may be open were used since. The pointer is valid until generation() changes.
    SampleFile* get(const FileKey& key);
    /// Changes whenever a file was closed.
    uint32_t generation() const noexcept { return generation_; }
    /// Brings all samples into the files and adds up.
    StoredCounts counts();
    /// The mtime of a file image, seconds; 0 if unknown or not wanted.
    uint64_t mtime(const ImageRef& image) const;

private:
    struct Entry {
        std::string path;
        std::vector<FileKey> keys;       ///< all that select this file
        std::optional<SampleFile> file;  ///< none = could not be opened

        bool holds_arcs() const { return keys.front().callee.name != StringId::none; }
    };
    using Entries = std::list<Entry>;  ///< most recently used first

    Entries::iterator find_or_open(const FileKey& key);
    std::optional<SampleFile> open(const SampleName& name, const SampleHeader& header);
    void close_oldest();
    /// Closes the least recently used quarter, at least one file; false if none was open.
    bool close_some();
    void add(StoredCounts& sum, Entry& entry);
    SampleHeader header(const FileKey& key) const;
    SampleName name(const FileKey& key) const;
    ImageName image_name(const ImageRef& image) const;

    SessionWriter& session_;
    const SessionInfo& info_;
    const StringTable& names_;
    Diagnostics& notes_;
    bool images_are_local_;
    size_t limit_;
    Entries entries_;
    std::unordered_map<FileKey, Entries::iterator, FileKeyHash> by_key_;
    /// Two keys may spell the same path (events that differ in their modes only): the file is open once.
    std::unordered_map<std::string_view, Entries::iterator> by_path_;
    StoredCounts closed_;
    uint32_t generation_ = 0;
};

}  // namespace op::collect
