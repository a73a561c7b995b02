// SPDX-License-Identifier: GPL-2.0-or-later
// Turns records into sample files: tracks mappings, finds each sample's file, counts every loss by cause.
// Does not know where records come from; reaches the outside world only through FillGaps and KnownImages.
#pragma once

#include <chrono>
#include <optional>
#include <set>
#include <span>

#include "daemon/collect/application_cache.h"
#include "daemon/collect/collector_options.h"
#include "daemon/collect/command_names.h"
#include "daemon/collect/driver_maps.h"
#include "daemon/collect/frame_cache.h"
#include "daemon/collect/held_places.h"
#include "daemon/collect/held_stacks.h"
#include "daemon/collect/image_keeper.h"
#include "daemon/collect/known_images.h"
#include "daemon/collect/process_table.h"
#include "daemon/collect/sample_files.h"
#include "daemon/collect/sample_origin.h"
#include "daemon/collect/slot_cache.h"
#include "daemon/collect/stack_files.h"
#include "daemon/collect/stack_walker.h"
#include "daemon/collect/starting_programs.h"
#include "daemon/jit/code_watch.h"
#include "daemon/source/gap_filler.h"
#include "daemon/source/kernel_pages.h"
#include "libop/base/diagnostics.h"
#include "libop/session/session.h"
#include "libop/stream/record.h"

namespace op::collect {

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
    /// Looks at the next `paths` paths. Copies until `bytes` are reached, of which each search
    /// takes some; the others wait for later calls.
    void keep_replaced(size_t paths = SIZE_MAX, uint64_t bytes = UINT64_MAX);
    /// If the options ask for it, keeps the files with samples that are likely to be built again: those at
    /// their paths outside the system's directories, with a build-id. As far as there is room; no note of
    /// those that are too large. To be called when all else is written: on a full disk that comes first.
    void keep_builds();
    /// `watch` (which must outlive the collector) learns which processes run code without a file, and when
    /// they end.
    void watch_code(CodeWatch& watch);
    /// Stores the samples that waited for their code, see CodeWatch::place(). To be called before
    /// flush_and_account(), which leaves out those that wait on.
    void place_code(std::chrono::milliseconds limit, bool is_last) noexcept;
    /// The same, before there is no room for more.
    void place_much_code() noexcept;
    /// Stores the samples of programs that are being started as the kernel's of the programs before them. To
    /// be called when no more records come: until then they are not accounted for.
    void store_starting();
    /// Writes all samples to their files and returns the account so far: `described` with kernel images,
    /// images that have samples, throttling, times of events, arcs, and a ledger that balances.
    SessionInfo flush_and_account();

    /// Closes the sample files. Later samples reopen them in the directory that is then the session's
    /// current one.
    void reopen_files() {
        files_.close_all();
        stacks_.close();
    }
    /// Tries again to open sample files that could not be opened.
    void retry_files() {
        files_.forget_unopened();
        stacks_.retry();
    }
    /// Other files of the paths in that manifest, to which the run is added, get other names.
    void add_earlier(const SessionInfo& earlier) { images_.add_earlier(earlier); }
    /// These sample files of the session, sorted, count for the limits. To be called after add_earlier().
    void count_earlier(const std::vector<std::string>& paths) {
        files_.count_earlier(paths);
        images_.note_earlier_files(paths);
    }
    /// Calls reopen_files() and clears the account, which then begins at `start_time` (seconds since the
    /// epoch). Keeps the known processes and images.
    void begin_run(uint64_t start_time);
    /// Of the account, seconds since the epoch.
    uint64_t start_time() const noexcept { return info_.start_time; }
    /// The source's description has the time of its end.
    bool knows_stop_time() const noexcept { return info_.stop_time != 0; }

    /// See StackWalker.
    bool take_stack_wish() noexcept { return walker_.take_stack_wish(); }
    /// True if a sample was taken in kernel mode.
    bool saw_kernel() const noexcept { return saw_kernel_; }
    /// The kernel's code in samples that came with addresses (not placed by the driver), callers included.
    const KernelPages& kernel_pages() const noexcept { return kernel_pages_; }

private:
    void take(const Sample& sample);
    void take(const Sample& sample, Slot& slot, bool is_cached);
    void take(const PlacedSample& sample);
    void take(const RawSample& sample) { take(sample.placed); }
    void take(const ImageCookie& cookie);
    void take(const PlacedName& name);
    void take(const Mapping& mapping);
    void take(const Unmapping& unmapping) { table_.apply(unmapping); }
    void take(const Name& name);
    void take(const Fork& fork) { table_.apply(fork); }
    void take(const Exit& exit);
    void take(const Lost& lost);
    void take(const LostSideBand& lost);
    void take(const MissedPeriods& missed);
    void take(const Throttle& throttle);
    void take(const EventTime& more);
    void take(const PlacedMaps& maps) { driver_maps_.take(maps, images_); }

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
    bool is_starting(uint32_t tgid) const;
    bool hold_until_started(const Sample& sample);
    void store_started();
    void store_all(const std::vector<StartingSample>& samples);
    void note_limit();
    bool keep_in(const std::vector<MappedPlace>& places, MappedFileFacts facts);
    std::vector<StringId> next_to_keep(size_t most) const;
    bool has_real_name(Mapping mapping);
    void lose_unwanted(uint32_t cpu, uint64_t weight);
    template <class S>
    void lose_unplaced(const S& sample);
    void note_thread(const Origin& origin);
    void count_named_run();
    void note_image(const ImageRef& image, const MappedAt& at);
    template <class S>
    void note_code(const ImageRef& image, const S& sample);
    template <class S>
    bool hold(const S& sample, const Origin& origin, const ImageRange& range);
    void store_held(const HeldSample& held, std::span<const uint8_t> generations);
    void store_held_stack(const HeldSample& held, std::span<const uint8_t> generations);
    std::span<const uint64_t> addresses_of(const HeldSample& held) const;
    bool is_to_hold(const ImageRef& image) const;
    template <class S>
    bool can_wait(const S& sample, const ImageRef& image) const;
    bool look_for_dump(const PlacedSample& sample, const ImageRef& image);
    bool look_for_dump(const Sample&, const ImageRef&) { return true; }  // its mapping is a record
    template <class S>
    bool hold_stack(const S& sample);
    void add_held_frame(const ImageKey& where, uint64_t address, bool is_exact);
    void drop_held();
    uint32_t counter_of(const Origin& origin);
    SampleFile* file_for(const Origin& origin, const ImageRange& range);
    template <class S>
    Slot slot_of(const S& sample, const ImageRange& range, SampleFile* file) const;
    const Region* find(uint32_t tgid, RuntimeAddress pc, bool kernel) const;
    const Region* find_or_ask(const Sample& sample);
    void resolve_doubt(const Sample& sample);
    void take_all(std::span<const Record> records);
    std::optional<ImageRange> range_or_request(const PlacedSample& sample);
    ImageRef app_of(const Sample& sample);
    ImageRef app_of(const PlacedSample& sample);
    /// False for a program of the driver's that may yet be announced.
    bool is_app_known(const PlacedSample& sample) const {
        return sample.app == 0 || !program_path(sample).empty();
    }
    bool is_app_known(const Sample&) const { return true; }
    ImageRef program_of(uint32_t tgid);
    std::string_view program_path(uint32_t tgid) const;
    std::string_view program_path(const Sample& sample) const { return program_path(sample.tgid); }
    std::string_view program_path(const PlacedSample& sample) const { return images_.path(sample.app); }
    /// Decided by its path, before the program gets a number: those that are not wanted use up no limit.
    template <class S>
    bool is_wanted(const S& sample) const;
    /// True if a sample's file depends on the program of its process, or on what that has mapped.
    bool depends_on_process(CpuMode mode) const;
    FileKey key_for(const Origin& origin, const ImageRef& image);
    std::optional<ImageKey> key_of(const Sample& sample, uint64_t pc, bool kernel);
    std::optional<ImageKey> key_of(const PlacedSample& sample, const Place& place, bool kernel);
    template <class S, class Where>
    std::optional<ImageKey> key_of_caller(const S& sample, const Where& where, bool kernel);
    void take_callers(const Sample& sample, bool is_stored);
    void take_callers(const PlacedSample& sample, bool is_stored);
    template <class S>
    void limit_chain(S& walked) const;
    template <class S, class Where>
    void take_stack(const S& sample, const Where& innermost);
    void prepare_stacks();
    template <class S>
    uint64_t stack_generation(const S& sample) const;
    template <class S, class Where>
    uint32_t known_application(const S& sample, const Where& innermost, uint32_t image);
    template <class S, class Where>
    uint32_t stack_application(const S& sample, const Where& innermost);
    template <class S, class Where>
    bool add_frame(const S& sample, const Where& where, bool kernel, bool is_exact);
    template <class S, class Where>
    void take_chain(const S& sample, const Where& innermost);
    void store_arc(const Origin& origin, const std::optional<ImageKey>& caller,
                   const std::optional<ImageKey>& callee);
    void lose(LossCause cause, uint32_t cpu, uint64_t weight);
    void note_kernel_code(const Sample& sample);

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
    bool has_refused_arcs_ = false;  ///< some of those met the limits
    uint64_t batch_time_ = 0;        ///< when the records being processed had been taken, sample time
    bool saw_kernel_ = false;
    KernelPages kernel_pages_;
    std::set<std::string, std::less<>> only_images_;
    std::set<StringId> to_keep_;  ///< replaced files that were not yet looked for
    SlotCache cache_;
    CodeWatch* code_ = nullptr;
    HeldPlaces held_places_;
    HeldStacks held_stacks_;
    HeldStack held_;            ///< of the sample being taken or stored, if it has frames that wait
    uint64_t held_weight_ = 0;  ///< samples that wait
    StartingPrograms starting_;
    StackWalker walker_;
    DriverMaps driver_maps_;
    StackFiles stacks_;
    FrameCache frame_cache_;
    ApplicationCache applications_;
    std::vector<uint64_t> chain_;    ///< of the sample being taken
    std::vector<Place> places_;      ///< the same, of the driver
    std::vector<StackFrame> stack_;  ///< the same
};

}  // namespace op::collect
