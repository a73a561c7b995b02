// SPDX-License-Identifier: GPL-2.0-or-later
// The open sample files of a collector: one per key, a bounded number at a time. Adds up their losses.
#pragma once

#include <cstdint>
#include <iterator>
#include <list>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "daemon/collect/known_images.h"
#include "daemon/collect/sample_names.h"
#include "libop/base/diagnostics.h"
#include "libop/base/intern.h"
#include "libop/session/session.h"

namespace op::collect {

/// What selects a sample file.
struct FileKey {
    static constexpr uint32_t all = ClassKey::all;

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
    /// All references must outlive the object. `session_info` gives CPU type, speed and events for the
    /// headers, `images` the mtimes. At most `limit` files are open at a time, fewer if the process may not
    /// open so many. New files and growth end where `limits` are reached, and what is there already is used
    /// on.
    SampleFiles(SessionWriter& session, const SessionInfo& session_info, const StringTable& names,
                const KnownImages& images, size_t limit, Diagnostics& notes, const ImageLimits& limits = {});

    /// The file for a key, valid until generation() changes; null if it cannot be opened. Each kind of
    /// failure is noted once. A failed file is tried again only after as many others failed as may be open at
    /// a time.
    SampleFile* get(const FileKey& key);
    /// The cause by which samples are lost if the last get() returned null.
    LossCause failure() const noexcept;
    /// Closes all files. The next get() of each opens it again, even if it could not be opened before.
    void close_all();
    /// Forgets the files that could not be opened, so that the next sample tries again and failures are noted
    /// again.
    void forget_unopened();
    /// Sets the counts to 0, and the limits begin again; no file may be open.
    void begin_run() noexcept;
    /// These files of the session, sorted, count for the limits.
    void count_earlier(const std::vector<std::string>& paths);
    /// Changes whenever a file was closed.
    uint32_t generation() const noexcept { return generation_; }
    /// Writes all samples to the files and adds up their counts.
    StoredCounts flush_and_count();

private:
    struct Entry {
        std::string path;
        std::vector<FileKey> keys;       ///< all that select this file
        std::optional<SampleFile> file;  ///< none = could not be opened
        int error = 0;                   ///< then the errno, or 0 if its name cannot be spelled
        bool is_over_limit = false;      ///< or that

        bool holds_arcs() const { return keys.front().callee.name != StringId::none; }
    };
    using Entries = std::list<Entry>;  ///< most recently used first

    Entries& list_of(const Entry& entry) { return entry.file ? open_ : unopened_; }
    Entries::iterator find_or_open(const FileKey& key);
    /// Sets the entry's file, or the error if it cannot be opened.
    void open(Entry& entry, const SampleName& name, const SampleHeader& header, ByteRoom& room);
    ByteRoom& room_of(const FileKey& key);
    bool is_of_host(const ImageName& image) const;
    void note_failure(const std::string& what, int error);
    void close(Entries::iterator entry);
    void close_oldest(Entries& entries) { close(std::prev(entries.end())); }
    /// Closes the least recently used quarter, at least one file; false if none was open.
    bool close_some();
    void add(StoredCounts& sum, Entry& entry);
    SampleHeader header(const FileKey& key) const;
    SampleName name(const FileKey& key) const;

    SessionWriter& session_;
    const SessionInfo& info_;
    const StringTable& names_;
    const KnownImages& images_;
    Diagnostics& notes_;
    size_t limit_;
    uint64_t share_;  ///< of a new session, bytes
    Shares room_{{share_}, {share_}};
    Entries open_;
    Entries unopened_;  ///< as many at most: no place of an open file is lost to one that cannot be opened
    std::unordered_map<FileKey, Entries::iterator, FileKeyHash> by_key_;
    /// Two keys may spell the same path (events that differ in their modes only): the file is open once.
    std::unordered_map<std::string_view, Entries::iterator> by_path_;
    StoredCounts closed_;
    uint32_t generation_ = 0;
    std::set<int> noted_failures_;  ///< by errno
};

}  // namespace op::collect
