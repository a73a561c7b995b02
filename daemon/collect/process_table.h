// SPDX-License-Identifier: GPL-2.0-or-later
// Processes, their address spaces, and the kernel's own images. Does not open files.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "daemon/collect/address_space.h"
#include "daemon/collect/mapped_image.h"
#include "libop/base/address.h"
#include "libop/stream/record.h"

namespace op::collect {

/// One process. Forked children share the address space until one of them changes it.
struct Process {
    std::shared_ptr<AddressSpace> space;
    ImagePtr command;                      ///< "/[NAME]", its command name; null = not known
    ImagePtr executable;                   ///< null = not known (a kernel thread, or not seen yet)
    bool awaiting_executable = false;      ///< exec was called: the next file mapping is the executable's
    bool leader = true;                    ///< the first thread is running
    std::unordered_set<uint32_t> threads;  ///< the other running threads seen so far
    /// Of those among `threads` that have another than the first thread.
    std::unordered_map<uint32_t, std::string> thread_names;
    bool has_nameless_threads = false;  ///< there was no room for a name
    uint32_t known_after = 0;           ///< losses of the side band before it was known as a whole

    static constexpr size_t most_thread_names = 4096;

    /// A thread has the name of the one that made it. Returns false if there was no room for it.
    bool add_thread(uint32_t tid, uint32_t parent_tid);
    /// Returns false if the name is left out: the thread is not among `threads`, or there is no room.
    bool name_thread(uint32_t tid, std::string_view name);
    /// Keeps the names that threads have from the first one, which is about to be renamed. Returns how many
    /// are left out.
    size_t keep_thread_names();
    /// The command name of the process; empty = not known. Valid as long as `command`.
    std::string_view name() const noexcept;
    /// The command name of one of its threads; empty = not known or left out. Valid until the next change.
    std::string_view name_of(uint32_t tid) const;

    bool ended() const noexcept { return !leader && threads.empty(); }
};

/// perf_event_open(2) gives this number to every process outside the recorder's pid namespace, and to the
/// idle task. It has no program and no mappings here.
inline constexpr uint32_t unseen_process = 0;

/// Where a process has an image mapped; half-open.
struct MappedPlace {
    uint32_t tgid;
    RuntimeAddress start, end;
};

/// All processes and the kernel. Not thread-safe.
class ProcessTable {
public:
    ProcessTable() = default;
    ProcessTable(const ProcessTable&) = delete;  // its address spaces refer to it
    ProcessTable& operator=(const ProcessTable&) = delete;

    /// `image` is the one that find_image() returned for the mapping; null = it is looked for.
    void apply(const Mapping& mapping, ImagePtr image = nullptr);
    /// The image that a mapping of a file will have; null if it is new.
    ImagePtr find_image(const Mapping& mapping);
    /// Later mappings of its file have another image, earlier ones keep it.
    void forget_image(const MappedImage& image) { images_.forget(image); }
    void apply(const Unmapping& unmapping);
    void apply(const Name& name);
    void apply(const Fork& fork);
    /// Keeps the process for a while: later samples may still refer to it.
    void apply(const Exit& exit);

    /// Sets the counts of what was left out to 0.
    void begin_run() noexcept { left_out_thread_names_ = left_out_mappings_ = 0; }
    /// Records were lost: of every process so far all may have changed. Forgets processes if the ends of very
    /// many seem to have been lost.
    void lose_track();
    /// True from then on until the process calls exec; a child inherits it.
    bool is_in_doubt(uint32_t tgid) const noexcept;
    /// Forgets a process, which may be known from other records later.
    void forget(uint32_t tgid);

    /// The process, or null if no record named it.
    const Process* find(uint32_t tgid) const noexcept;
    /// The region of a user address, or null.
    const Region* find_user(uint32_t tgid, RuntimeAddress pc) const noexcept;
    /// Where processes that have not ended have these images mapped, at most `most` places of each. Looks at
    /// every mapping.
    std::map<StringId, std::vector<MappedPlace>> places_of(const std::set<StringId>& images,
                                                           size_t most) const;
    /// The kernel image or module holding pc, or null.
    const Region* find_kernel(RuntimeAddress pc) const noexcept { return kernel_.find(pc); }

    /// Changes whenever the result of an earlier lookup may no longer hold.
    uint32_t generation() const noexcept { return changes_; }
    /// The same for lookups of one process, in its own mappings and in the kernel's. A change of another
    /// process changes it only if both have the same place in the table.
    uint32_t generation(uint32_t tgid) const noexcept {
        return changes_of_all_ + changes_of_[tgid % changes_of_.size()];
    }
    /// Names of threads that were not kept.
    uint64_t left_out_thread_names() const noexcept { return left_out_thread_names_; }
    /// Mappings for which there was no room. Those of a process that has too many, or the most of all
    /// processes when all have too many, are forgotten together: they can be learned again from elsewhere.
    uint64_t left_out_mappings() const noexcept { return left_out_mappings_; }
    size_t size() const noexcept { return processes_.size(); }
    /// The number of images kept, including some that are no longer mapped anywhere.
    size_t images() const noexcept { return images_.size(); }

private:
    ImagePtr command_image(std::string_view name);
    AddressSpace& own_space(Process& process);
    void forget_mappings(AddressSpace& space);
    void make_room(AddressSpace& changed);
    void map_program_in_memory(const Process& process, const Mapping& mapping, Region& region);
    void bury(uint32_t tgid, uint64_t time);
    void note_change() noexcept;
    void note_change(uint32_t tgid) noexcept;

    struct Grave {
        uint32_t tgid;
        uint64_t time;
    };

    ImagePool images_;
    uint64_t region_bytes_ = 0;  ///< of all processes' address spaces, which keep it
    std::unordered_map<uint32_t, Process> processes_;
    std::deque<Grave> graves_;  ///< ended processes, oldest first
    AddressSpace kernel_;
    uint32_t changes_ = 0;                     ///< of any kind
    uint32_t changes_of_all_ = 0;              ///< of the kernel, or of all processes at once
    std::array<uint32_t, 1024> changes_of_{};  ///< of processes, by their numbers
    uint64_t left_out_thread_names_ = 0, left_out_mappings_ = 0;
    uint32_t losses_ = 0;          ///< of the side band
    size_t most_ = least_of_most;  ///< processes that may be in doubt

    static constexpr size_t least_of_most = 65536;
};

/// The kind of a mapped path: "/usr/bin/ls (deleted)" -> file, deleted; "[heap]", "//anon" -> anon. A memfd
/// is anon too, even if a program was started from it: only its process shows that.
struct MappedPath {
    RegionKind kind;
    std::string_view name;  ///< path without the deletion mark, or label; part of the argument or static
    bool deleted = false;
};
MappedPath classify_mapped_path(std::string_view path);

}  // namespace op::collect
