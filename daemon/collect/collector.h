// SPDX-License-Identifier: GPL-2.0-or-later
// Turns records into sample files: tracks mappings, finds each sample's file, counts every loss by cause.
// Does not know where records come from; reaches the outside world only through FillGaps and KnownImages.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <span>

#include "daemon/collect/collector_options.h"
#include "daemon/collect/command_names.h"
#include "daemon/collect/image_keeper.h"
#include "daemon/collect/known_images.h"
#include "daemon/collect/process_table.h"
#include "daemon/collect/sample_files.h"
#include "daemon/collect/slot_cache.h"
#include "daemon/source/gap_filler.h"
#include "libop/base/diagnostics.h"
#include "libop/session/session.h"
#include "libop/stream/record.h"

namespace op::collect {

/// Called for a sample for which something is missing. Returns records that may explain it, valid until the
/// next call; of a whole process none if it is gone, only its name if it has no memory, nullopt if nobody
/// could look. A sample's time of 0 is an unknown time.
using FillGaps = std::function<std::optional<std::span<const Record>>(const Sample&, Gap)>;

/// Collects one run. Not thread-safe.
class Collector {
public:
    /// `described` is the source's description of machine and events (copied). `session` (begun) and `notes`
    /// must outlive the collector. `fill_gaps` may be empty.
    Collector(SessionWriter& session, const SessionInfo& described, const CollectorOptions& options,
              Diagnostics& notes, FillGaps fill_gaps = {});

    /// Takes the records in order. A sample is stored or counted lost; no content of a record stops the work.
    void process(std::span<const Record> records);

    /// Keeps binaries that were replaced after their first sample, as far as a process still has them mapped.
    /// Looks at the next `most` paths.
    void keep_replaced(size_t most = SIZE_MAX);
    /// Writes all samples to their files and returns the account so far: `described` with kernel images,
    /// images that have samples, throttling, times of events, arcs, and a ledger that balances.
    SessionInfo flush_and_account();

    /// Closes the sample files. Later samples reopen them in the directory that is then the session's
    /// current one.
    void reopen_files() { files_.close_all(); }
    /// Tries again to open sample files that could not be opened.
    void retry_files() { files_.forget_unopened(); }
    /// Other files of the paths in that manifest, to which the run is added, get other names.
    void add_earlier(const SessionInfo& earlier) { images_.add_earlier(earlier); }
    /// These sample files of the session, sorted, count for the limits. To be called after add_earlier().
    void count_earlier(const std::vector<std::string>& paths) { files_.count_earlier(paths); }
    /// Calls reopen_files() and clears the account, which then begins at `start_time` (seconds since the
    /// epoch). Keeps the known processes and images.
    void begin_run(uint64_t start_time);

    /// True if a sample was taken in kernel mode.
    bool saw_kernel() const noexcept { return saw_kernel_; }

private:
    /// Whose sample it is.
    struct Origin {
        uint16_t event;
        CpuMode mode;
        uint32_t tgid, tid, cpu;
        ImageRef app;  ///< name none = unknown, or a kernel thread, which has no application
        uint32_t weight;
    };
    /// What one image covers: run-time addresses or, of the driver's cookies, offsets.
    struct ImageRange {
        ImageRef image;
        uint64_t start, end;
        uint64_t delta;  ///< key = address + delta

        static ImageRange of(const Region& region, const ImageRef& image);
        /// All offsets of an image.
        static ImageRange of(const ImageRef& image);
        MappedAt at(uint32_t tgid) const {
            return end == UINT64_MAX ? MappedAt{tgid} : MappedAt{tgid, start, end};
        }
    };
    /// An address as sample files have it.
    struct ImageKey {
        ImageRef image;
        uint64_t key;
    };

    void take(const Sample& sample);
    void take(const PlacedSample& sample);
    void take(const ImageCookie& cookie);
    void take(const PlacedName& name);
    void take(const Mapping& mapping);
    void take(const Unmapping& unmapping) { table_.apply(unmapping); }
    void take(const Name& name);
    void take(const Fork& fork) { table_.apply(fork); }
    void take(const Exit& exit) { table_.apply(exit); }
    void take(const Lost& lost);
    void take(const LostSideBand& lost);
    void take(const Throttle& throttle);
    void take(const EventTime& more);

    /// Slots of placed samples serve any process.
    uint64_t generation(const PlacedSample&) const noexcept { return generation(table_.generation()); }
    uint64_t generation(const Sample& sample) const noexcept {
        return generation(table_.generation(sample.tgid));
    }
    uint64_t generation(uint32_t of_table) const noexcept {
        return static_cast<uint64_t>(of_table) << 32 | files_.generation();
    }
    void take_uncached(const Sample& sample, Slot& slot);
    void take_uncached(const PlacedSample& sample, Slot& slot);
    template <class S>
    Origin origin_of(const S& sample);
    /// Counts a sample as lost that is of no use wherever it was taken; true if it was.
    template <class S>
    bool refuse(const S& sample);
    void note_limit();
    bool keep_in(const std::vector<MappedPlace>& places, MappedFileFacts facts);
    bool has_real_name(Mapping mapping);
    void lose_unwanted(uint32_t cpu, uint64_t weight);
    void lose_unplaced(const Origin& origin);
    void note_thread(const Origin& origin);
    void count_named_run();
    void note_image(const ImageRef& image, const MappedAt& at);
    bool resolve_file(const Origin& origin, const ImageRange& range, Slot& slot);
    const Region* find(uint32_t tgid, RuntimeAddress pc, bool kernel) const;
    const Region* find_or_ask(const Sample& sample);
    void resolve_doubt(const Sample& sample);
    void take_all(std::span<const Record> records);
    std::optional<ImageRange> range_or_request(const PlacedSample& sample);
    ImageRef app_of(const Sample& sample);
    ImageRef app_of(const PlacedSample& sample);
    ImageRef program_of(uint32_t tgid);
    bool is_wanted(const Origin& origin) const;
    /// True if a sample's file depends on the program of its process, or on what that has mapped.
    bool depends_on_process(CpuMode mode) const;
    FileKey key_for(const Origin& origin, const ImageRef& image);
    std::optional<ImageKey> key_of(const Sample& sample, uint64_t pc, bool kernel);
    std::optional<ImageKey> key_of(const PlacedSample& sample, const Place& place, bool kernel);
    template <class S, class Where>
    void take_chain(const S& sample, const Where& innermost);
    void store_arc(const Origin& origin, const std::optional<ImageKey>& caller,
                   const std::optional<ImageKey>& callee);
    void lose(LossCause cause, uint32_t cpu, uint64_t weight);

    SessionInfo info_;
    CollectorOptions options_;
    Diagnostics& notes_;
    FillGaps fill_gaps_;
    StringTable names_;
    ProcessTable table_;
    KnownImages images_;
    ImageKeeper keeper_;
    SampleFiles files_;
    CommandNames commands_;
    NamedRun run_;                    ///< its `begin` is a number of samples that were added to files
    bool has_plain_samples_ = false;  ///< some were counted by name: they are not the run's
    Ledger ledger_;                   ///< without the counts that the files keep
    uint64_t lost_ = 0;               ///< the ledger's sum
    uint64_t arcs_lost_ = 0;
    bool saw_kernel_ = false;
    std::set<StringId> only_images_;
    SlotCache cache_;
};

}  // namespace op::collect
