// SPDX-License-Identifier: GPL-2.0-or-later
// Finds the section of code at an address. A file of a stranger may have tens of thousands of them.
#pragma once

#include <span>

#include "libop/base/address.h"
#include "libop/base/object_file.h"
#include "libpp/object/range_map.h"

namespace op::pp {

/// The sections of code of one file, by the addresses that have bytes in it.
class SectionFinder {
public:
    SectionFinder() = default;
    /// The sections must outlive the finder. Of sections that overlap the first is found.
    explicit SectionFinder(std::span<const Section> sections);

    /// Null if no code is at the address.
    const Section* find(LinkAddress address) const;

private:
    std::span<const Section> sections_;
    RangeMap by_address_;
};

}  // namespace op::pp
