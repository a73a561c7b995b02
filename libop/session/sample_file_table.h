// SPDX-License-Identifier: GPL-2.0-or-later
// A sample file mapped for counting: find, insert, grow. Knows no file names. sample_file_recover has checked
// the file, but somebody else may write to it meanwhile: whatever is in it, no access leaves the mapping and
// no search is endless.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "libop/base/fd.h"
#include "libop/base/shared_mapping.h"
#include "libop/session/sample_file.h"
#include "libop/session/sample_file_layout.h"

namespace op {

/// The hash table in a sample file. After every store the file is readable, and after a crash
/// sample_file_recover can use it.
class SampleTable {
public:
    /// Begins an empty table in the empty file `fd`. Throws a system error naming `label`.
    SampleTable(Fd fd, const SampleHeader& header, std::string_view label);
    /// Takes over a table that was found sound.
    SampleTable(Fd fd, SharedMapping map, const SampleHeader& header) noexcept;

    /// Counts one sample on each key.
    void add_each(const SampleBatch& keys) noexcept;
    /// Counts `samples` samples on `key`.
    void add(uint64_t key, uint32_t samples) noexcept;
    /// The next key that needs room tries to grow the file even if that failed a moment ago.
    void retry_growth() noexcept { retry_after_ = 0; }
    /// The file grows within that room, which must outlive it.
    void limit_growth(ByteRoom& room) noexcept { room_ = &room; }
    /// Waits until the file is on disk. Throws a system error naming `label`.
    void sync(std::string_view label) const;

    const SampleFileCounts& counts() const noexcept { return counts_; }
    void reset_counts() noexcept { counts_ = {}; }
    uint32_t size() const noexcept { return used_ - 1; }

private:
    /// For each key of a batch, its node or a node before it in its chain; 0 = not in the chain.
    using Candidates = std::array<uint32_t, std::tuple_size_v<SampleBatch>>;

    /// Where nodes and buckets are now. A value, so that a loop can hold it in registers. Each index from the
    /// file is read once and masked, as others may change it between two accesses.
    struct View {
        RawSampleNode* nodes = nullptr;
        uint32_t* buckets = nullptr;
        uint32_t mask = 0;  ///< slots - 1, by the length of the mapping

        /// The index in the file at `from`, within the nodes.
        uint32_t read_index(const uint32_t& from) const noexcept {
            return __atomic_load_n(&from, __ATOMIC_RELAXED) & mask;
        }
        uint32_t first_of(uint64_t key) const noexcept {
            return read_index(buckets[sample_bucket(key, mask)]);
        }
        /// The key's node from node i on, or null.
        RawSampleNode* find(uint64_t key, uint32_t i) const noexcept {
            return i != 0 && nodes[i].key == key ? &nodes[i] : find_after(*this, key, i);
        }
        /// The key's node behind node i, or null. A chain ends after as many nodes as there are.
        static RawSampleNode* find_after(View view, uint64_t key, uint32_t i) noexcept;
        void locate(const SampleBatch& keys, Candidates& found) const noexcept;
        /// Puts a node at the head of its chain.
        void link(uint32_t index) const noexcept;
    };

    View view_of(uint32_t slots) const noexcept;
    RawSampleDescriptor& descriptor() const noexcept;
    void set_header(const SampleHeader& header) noexcept;
    bool insert(uint64_t key, uint32_t samples) noexcept;
    bool grow() noexcept;

    Fd fd_;
    SharedMapping map_;
    View view_;
    uint32_t used_ = 1;            ///< what descriptor().current_size should be
    uint32_t retry_after_ = 0;     ///< calls to lose before the next attempt to grow
    ByteRoom* room_ = nullptr;     ///< null = no limit
    bool is_out_of_room_ = false;  ///< the last attempt to grow failed for that
    SampleFileCounts counts_;
};

}  // namespace op
