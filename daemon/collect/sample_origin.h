// SPDX-License-Identifier: GPL-2.0-or-later
// Whose sample it is and where it was taken, as its sample file is chosen by it.
#pragma once

#include <cstdint>

#include "daemon/collect/image_ref.h"
#include "libop/stream/record.h"

namespace op::collect {

/// Whose sample it is, of a program that is wanted.
struct Origin {
    uint16_t event;
    CpuMode mode;
    uint32_t tgid, tid, cpu;
    ImageRef app;  ///< name none = unknown, or a kernel thread, which has no application
    uint32_t weight;

    bool operator==(const Origin&) const = default;
};

/// What one image covers: run-time addresses or, of the driver's cookies, offsets.
struct ImageRange {
    ImageRef image;
    uint64_t start, end;
    uint64_t delta;  ///< key = address + delta

    bool operator==(const ImageRange&) const = default;
    static ImageRange of(const Region& region, const ImageRef& image) {
        const uint64_t start = region.start.value();
        return {image, start, region.end.value(), region.offset(region.start).value() - start};
    }
    /// All offsets of an image.
    static ImageRange of(const ImageRef& image) { return {image, 0, UINT64_MAX, 0}; }
    /// The same of a region of memory, by run-time addresses.
    static ImageRange of_addresses(const ImageRef& region) {
        const uint64_t start = region.start.value();
        return {region, start, region.end.value(), 0 - start};
    }
    MappedAt at(uint32_t tgid) const {
        return end == UINT64_MAX ? MappedAt{tgid} : MappedAt{tgid, start, end};
    }
};

/// An address as sample files have it.
struct ImageKey {
    ImageRef image;
    uint64_t key;
};

}  // namespace op::collect
