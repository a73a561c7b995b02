// SPDX-License-Identifier: GPL-2.0-or-later
// From records to sample files: who has what mapped, which file each sample goes to, every loss by cause.
// Does not know where records come from; asks the outside world only through FillGaps and KnownImages.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "daemon/collect/known_images.h"
#include "daemon/collect/process_table.h"
#include "daemon/collect/sample_files.h"
#include "libop/base/diagnostics.h"
#include "libop/session/session.h"
#include "libop/stream/record.h"

namespace op::collect {

struct CollectorOptions {
    bool separate_thread = false;  ///< tgid and tid in file names
    bool separate_cpu = false;     ///< cpu in file names
    bool images_are_local =
        false;                ///< images are files of this machine: mtimes and build-ids are read from them
    size_t open_files = 400;  ///< sample files open at a time
    bool separate_library = true;               ///< a file's samples go by application, else all together
    bool separate_kernel = true;                ///< the kernel's and modules' likewise
    std::vector<std::string> only_images = {};  ///< absolute paths of applications to keep; empty = all
};

/// Asked for a sample whose address lies in no known mapping (or no known kernel image): records that may
/// explain it, valid until the next call. The flag: the program of the sample's process is known. May be
/// empty. A time of 0 means that it is not known.
using FillGaps = std::function<std::span<const Record>(const Sample&, bool process_known)>;

/// Collects one run. Not thread-safe.
class Collector {
public:
    /// `described` is what the source says of machine and events (copied). `session` (begun) and `notes` must
    /// outlive the collector. `fill_gaps` may be empty.
    Collector(SessionWriter& session, const SessionInfo& described, const CollectorOptions& options,
              Diagnostics& notes, FillGaps fill_gaps = {});

    /// Takes the records in order. A sample is stored or counted lost; nothing a record says stops the work.
    void process(std::span<const Record> records);

    /// Brings everything into the sample files and tells the account so far: `described` with kernel images,
    /// images that have samples, throttling, times of events, arcs, and a ledger that balances.
    SessionInfo flush_and_account();

    /// Closes the sample files; samples that come go to files opened anew, wherever the session has them
    /// then.
    void reopen_files() { files_.close_all(); }
    /// Tries again to open sample files that could not be opened.
    void retry_files() { files_.forget_unopened(); }
    /// reopen_files(), and the account begins with nothing taken, at `start_time` (seconds since the epoch).
    /// What is known of processes and images stays.
    void begin_anew(uint64_t start_time);

    /// True if a sample was taken in kernel mode.
    bool saw_kernel() const noexcept { return saw_kernel_; }

private:
    /// Whose sample it is.
    struct Origin {
        uint16_t event;
        CpuMode mode;
        uint32_t tgid, tid, cpu;
        ImageRef app;  ///< name none = not known, or none: a kernel thread
        uint32_t weight;
    };
    /// A range of a sample's addresses (of places: offsets) that one image covers.
    struct ImageRange {
        ImageRef image;
        RuntimeAddress start, end;
        uint64_t delta;  ///< key = address + delta

        static ImageRange of(const Region& region, const ImageRef& image);
        /// All offsets of an image.
        static ImageRange of(const ImageRef& image);
    };
    /// An address as sample files have it.
    struct ImageKey {
        ImageRef image;
        uint64_t key;
    };
    /// A range whose sample file is known. Direct-mapped: by process and a piece of the address space,
    /// placed samples by cookies.
    struct alignas(64) Slot {
        RuntimeAddress start, end{};
        uint64_t delta = 0;
        SampleFile* file = nullptr;  ///< null = of an application not asked for
        uint64_t generation = 0;     ///< of what the lookup rested on
        uint32_t tgid = 0, tid = 0, cpu = 0;
        uint32_t app = 0, cookie = 0;  ///< placed samples
        uint16_t event = 0;
        CpuMode mode = CpuMode::user;
        bool placed = false;

        bool holds(RuntimeAddress address) const noexcept { return start <= address && address < end; }
    };
    static constexpr size_t slots = 4096;

    void take(const Sample& sample);
    void take(const PlacedSample& sample);
    void take(const ImageCookie& cookie);
    void take(const Mapping& mapping);
    void take(const Unmapping& unmapping) { table_.apply(unmapping); }
    void take(const Name& name) { table_.apply(name); }
    void take(const Fork& fork) { table_.apply(fork); }
    void take(const Exit& exit) { table_.apply(exit); }
    void take(const Lost& lost);
    void take(const Throttle& throttle);
    void take(const EventTime& time);

    Slot& slot_for(const Sample& sample) noexcept;
    Slot& slot_for(const PlacedSample& sample) noexcept;
    bool holds(const Slot& slot, const Sample& sample) const noexcept;
    bool holds(const Slot& slot, const PlacedSample& sample) const noexcept;
    template <class S>
    bool holds_rest(const Slot& slot, const S& sample) const noexcept;
    uint64_t generation() const noexcept {
        return static_cast<uint64_t>(table_.generation()) << 32 | files_.generation();
    }
    void count(const Slot& slot, uint64_t address, uint32_t cpu, uint32_t weight) {
        if (!slot.file) return lose(LossCause::image_filtered, cpu, weight);
        add(*slot.file, address + slot.delta, weight);
    }
    static void add(SampleFile& file, uint64_t key, uint32_t weight) {
        if (weight == 1) return file.add(key);  // may be deferred
        file.add(key, weight);
    }
    void take_uncached(const Sample& sample, Slot& slot);
    void take_uncached(const PlacedSample& sample, Slot& slot);
    template <class S>
    Origin origin_of(const S& sample);
    bool refuse(const Origin& origin);
    void lose_unplaced(const Origin& origin);
    bool resolve_file(const Origin& origin, const ImageRange& range, Slot& slot);
    const Region* find(uint32_t tgid, RuntimeAddress pc, bool kernel) const;
    const Region* find_or_ask(const Sample& sample);
    std::optional<ImageRange> range_or_request(const PlacedSample& sample);
    ImageRef app_of(const Sample& sample);
    ImageRef app_of(const PlacedSample& sample);
    ImageRef program_of(uint32_t tgid);
    bool is_wanted(const Origin& origin) const;
    FileKey key_for(const Origin& origin, const ImageRef& image);
    std::optional<ImageKey> key_of(const Sample& sample, uint64_t pc, bool kernel);
    std::optional<ImageKey> key_of(const PlacedSample& sample, const Place& place, bool kernel);
    template <class S, class Where>
    void take_chain(const S& sample, const Where& innermost);
    void store_arc(const Origin& origin, const std::optional<ImageKey>& caller,
                   const std::optional<ImageKey>& callee);
    void lose(LossCause cause, uint32_t cpu, uint32_t weight) { ledger_.add_lost(cause, cpu, weight); }

    SessionInfo info_;
    CollectorOptions options_;
    FillGaps fill_gaps_;
    StringTable names_;
    ProcessTable table_;
    KnownImages images_;
    SampleFiles files_;
    Ledger ledger_;  ///< without what the files know
    uint64_t arcs_lost_ = 0;
    bool saw_kernel_ = false;
    std::set<StringId> only_images_;
    std::vector<Slot> cache_;
};

}  // namespace op::collect
