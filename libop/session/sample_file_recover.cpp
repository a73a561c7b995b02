// SPDX-License-Identifier: GPL-2.0-or-later
// The check of a sample file before it is counted in. Must find every state that sample_file_table can be
// killed in, and anything that would lead it astray.
#include "libop/session/sample_file_recover.h"

#include <bit>
#include <cstring>
#include <vector>

#include "libop/base/bytes.h"
#include "libop/session/sample_file_layout.h"

namespace op {

namespace {

/// The parts of a file of which length and descriptor agree. Copies, as the bytes need not be aligned and may
/// change meanwhile.
class Chains {
public:
    Chains(std::span<const std::byte> bytes, const RawSampleDescriptor& descriptor)
        : nodes_(bytes.data() + sample_nodes_at),
          buckets_(nodes_ + descriptor.size * sizeof(RawSampleNode)),
          mask_(descriptor.size - 1),
          used_(descriptor.current_size),
          reached_(used_) {}

    /// Every node reached once, from its own bucket, and counted.
    bool are_sound() {
        for (uint64_t bucket = 0; bucket <= mask_; ++bucket)
            if (!is_sound(bucket)) return false;
        return reached_count_ == used_ - 1;
    }

private:
    bool is_sound(uint32_t bucket) {
        uint32_t i;
        std::memcpy(&i, buckets_ + size_t{bucket} * sizeof i, sizeof i);
        settle_copies();
        while (i != 0) {
            if (i >= used_ || reached_[i]) return false;
            reached_[i] = true;
            ++reached_count_;
            RawSampleNode node;
            std::memcpy(&node, nodes_ + i * sizeof node, sizeof node);
            settle_copies();
            if (node.value == 0 || sample_bucket(node.key, mask_) != bucket) return false;
            i = node.next;
        }
        return true;
    }

    const std::byte* nodes_;
    const std::byte* buckets_;
    uint32_t mask_, used_;
    std::vector<bool> reached_;
    uint32_t reached_count_ = 0;
};

}  // namespace

bool is_sound_sample_file(std::span<const std::byte> bytes) {
    if (bytes.size() < sample_nodes_at) return false;
    RawSampleHeader header;
    RawSampleDescriptor descriptor;
    std::memcpy(&header, bytes.data(), sizeof header);
    std::memcpy(&descriptor, bytes.data() + sizeof header, sizeof descriptor);
    settle_copies();
    const bool fits = header.magic == sample_magic && header.version == sample_version &&
                      std::has_single_bit(descriptor.size) && descriptor.size <= max_sample_slots &&
                      bytes.size() == sample_file_length(descriptor.size) && descriptor.current_size >= 1 &&
                      descriptor.current_size <= descriptor.size;
    return fits && Chains(bytes, descriptor).are_sound();
}

}  // namespace op
