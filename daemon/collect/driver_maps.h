// SPDX-License-Identifier: GPL-2.0-or-later
// The executable mappings that the driver's copies of stacks name.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

#include "daemon/collect/address_space.h"
#include "daemon/collect/known_images.h"
#include "libop/base/address.h"
#include "libop/stream/record.h"

namespace op::collect {

/// The mappings of one process at one time.
class ProcessMaps {
public:
    struct Part {
        Region region;
        uint32_t cookie;
    };

    ProcessMaps() = default;
    /// `parts` by ascending addresses; those that overlap the part before are left out.
    ProcessMaps(uint32_t number, uint32_t tgid, std::vector<Part> parts);

    uint32_t number() const noexcept { return number_; }
    uint32_t tgid() const noexcept { return tgid_; }
    /// The part that holds the address, or null.
    const Part* find(RuntimeAddress address) const noexcept;
    size_t size() const noexcept { return parts_.size(); }

private:
    uint32_t number_ = 0, tgid_ = 0;
    std::vector<Part> parts_;
};

/// Not thread-safe.
class DriverMaps {
public:
    /// `images` knows the cookies. The slot is less than PlacedMaps::slots.
    void take(const PlacedMaps& maps, const KnownImages& images);
    /// Later mappings of the cookie have another image, earlier ones keep theirs.
    void forget_image(uint32_t cookie) { images_.erase(cookie); }
    /// Null if the number is not known, or not any more. Valid until the next take().
    const ProcessMaps* find(uint32_t number) const noexcept;

private:
    void forget_oldest();
    ImagePtr image_of(uint32_t cookie, const KnownImages& images);

    /// Of those that others of their slot have replaced, the driver's samples name the last ones only
    /// (kernel/uapi/op_stream.h, struct op_record_maps).
    static constexpr size_t most_replaced = 8192;
    /// All parts together; some 20 MB. Programs can have any number of mappings and change them all the time.
    static constexpr size_t most_parts = 300'000;

    std::unordered_map<uint32_t, ProcessMaps> by_number_;
    std::array<uint32_t, PlacedMaps::slots> last_{};  ///< number by slot; 0 = none yet
    std::deque<uint32_t> replaced_;                   ///< numbers
    size_t parts_ = 0;
    std::unordered_map<uint32_t, std::weak_ptr<MappedImage>> images_;
    size_t sweep_at_ = 1024;
};

}  // namespace op::collect
