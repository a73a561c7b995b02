// SPDX-License-Identifier: GPL-2.0-or-later
// From records to sample files: who has what mapped, which file each sample goes to, every loss by cause.
// Does not know where records come from; asks the outside world only through FillGaps.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "daemon/process_table.h"
#include "daemon/sample_files.h"
#include "libop/diagnostics.h"
#include "libop/record.h"
#include "libop/session.h"

namespace op::collect {

struct CollectorOptions {
    bool separate_thread = false;  ///< tgid and tid in file names
    bool separate_cpu = false;     ///< cpu in file names
    bool images_are_local =
        false;                ///< images are files of this machine: mtimes and build-ids are read from them
    size_t open_files = 400;  ///< sample files open at a time
};

/// Asked for a sample whose address lies in no known mapping (or no known kernel image): records that may
/// explain it, valid until the next call. May be empty.
using FillGaps = std::function<std::span<const Record>(const Sample&)>;

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
    /// images that have samples, throttling, arcs, and a ledger that balances.
    SessionInfo account();

    /// True if a sample was taken in kernel mode.
    bool saw_kernel() const noexcept { return saw_kernel_; }

private:
    /// A region whose sample file is known. Direct-mapped by process and a piece of the address space.
    struct alignas(64) Slot {
        RuntimeAddress start, end{};  ///< the region
        uint64_t delta = 0;           ///< key = pc + delta
        SampleFile* file = nullptr;
        uint64_t generation = 0;  ///< of what the lookup rested on
        uint32_t tgid = 0, tid = 0, cpu = 0;
        uint16_t event = 0;
        CpuMode mode = CpuMode::user;
    };
    static constexpr size_t slots = 4096;

    void take(const Sample& sample);
    void take(const Mapping& mapping);
    void take(const Unmapping& unmapping) { table_.apply(unmapping); }
    void take(const Name& name) { table_.apply(name); }
    void take(const Fork& fork) { table_.apply(fork); }
    void take(const Exit& exit) { table_.apply(exit); }
    void take(const Lost& lost);
    void take(const Throttle& throttle);

    Slot& slot_for(const Sample& sample) noexcept;
    bool holds(const Slot& slot, const Sample& sample) const noexcept;
    uint64_t generation() const noexcept {
        return static_cast<uint64_t>(table_.generation()) << 32 | files_.generation();
    }
    void take_slowly(const Sample& sample, Slot& slot);
    const Region* find(const Sample& sample, RuntimeAddress pc, bool kernel);
    const Region* find_or_ask(const Sample& sample);
    FileKey key_for(const Sample& sample, const Region& region) const;
    void take_chain(const Sample& sample);
    void store_arc(const Sample& sample, const Region* caller, RuntimeAddress from, const Region* callee,
                   RuntimeAddress to);
    void note_image(const Region& region);
    void lose(LossCause cause, uint32_t cpu) { ledger_.add_lost(cause, cpu, 1); }

    SessionInfo info_;
    CollectorOptions options_;
    Diagnostics& notes_;
    FillGaps fill_gaps_;
    StringTable names_;
    ProcessTable table_;
    SampleFiles files_;
    Ledger ledger_;  ///< without what the files know
    uint64_t arcs_lost_ = 0;
    bool saw_kernel_ = false;
    StringId no_vmlinux_;
    std::vector<Slot> cache_;
    std::set<StringId> noted_images_;                  ///< those in info_.images
    std::map<StringId, RecordedImage> mapped_images_;  ///< what mappings said of file images
    std::map<StringId, RecordedKernelImage> kernel_images_;
};

}  // namespace op::collect
