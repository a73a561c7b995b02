// SPDX-License-Identifier: GPL-2.0-or-later
// What is mapped where in one process, or in the kernel. A process may have very many mappings and change
// them all the time, so each operation is logarithmic in their number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "daemon/collect/mapped_image.h"
#include "libop/base/address.h"

namespace op::collect {

/// What kind of memory a region is.
enum class RegionKind : uint8_t {
    file,    ///< name = absolute path
    anon,    ///< name = label: "anon", "[heap]", "[vdso]", ...
    kernel,  ///< name = path or bare module name
};

/// A half-open range [start, end) of run-time addresses with what is mapped there.
struct Region {
    RuntimeAddress start, end;
    uint64_t file_offset = 0;  ///< offset of start in the image; always 0 for anon: a region is its own image
    ImagePtr image = nullptr;  ///< never null in a table
    RegionKind kind = RegionKind::file;

    /// The key for a pc of this region (doc/FORMATS.md, "Keys"): the place that converts run-time addresses
    /// (doc/adr/0013-where-addresses-are-converted.md).
    ImageOffset offset(RuntimeAddress pc) const noexcept { return ImageOffset{pc - start + file_offset}; }
};

/// Regions that never overlap. A change leaves the other regions where they are in memory.
class AddressSpace {
public:
    /// `sum` (null = not wanted) must outlive the object and its copies. Contains the sum of their bytes().
    explicit AddressSpace(uint64_t* sum = nullptr) : sum_(sum) {}
    AddressSpace(const AddressSpace& other);
    AddressSpace& operator=(const AddressSpace&) = delete;
    ~AddressSpace() { clear(); }

    /// Inserts a region and cuts away the parts of others that it covers.
    void map(const Region& region);
    /// Removes [start, end) from the regions that contain parts of it.
    void unmap(RuntimeAddress start, RuntimeAddress end);
    /// The region holding pc, or null; valid until that region changes.
    const Region* find(RuntimeAddress pc) const noexcept;
    void clear() noexcept;
    size_t size() const noexcept { return regions_.size(); }
    /// About what the regions and the names of their images take in memory, as if no two had one image.
    uint64_t bytes() const noexcept { return bytes_; }
    /// All regions by start; valid until the next change.
    const std::map<RuntimeAddress, Region>& regions() const noexcept { return regions_; }

private:
    using Regions = std::map<RuntimeAddress, Region>;

    Regions::iterator split(RuntimeAddress at);
    Regions::iterator cut(RuntimeAddress start, RuntimeAddress end);

    Regions::iterator insert(Regions::iterator before, const Region& region);
    void add_bytes(uint64_t bytes) noexcept;

    Regions regions_;  ///< by start
    uint64_t bytes_ = 0;
    uint64_t* sum_;
};

}  // namespace op::collect
