// SPDX-License-Identifier: GPL-2.0-or-later
// The halves of compilation units that -gsplit-dwarf leaves out of the linked file: in a .dwo file each, or
// together in a .dwp file. Behind the door to elfutils. See DWARF 5, 7.3 "Split DWARF Object Files" and
// "DWARF Package File Format"; for DWARF 4, GNU's extension of the same layout.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "libpp/object/debug_places.h"

namespace op::pp {

/// The split half of a unit and the parts that it needs of the linked file, as a file of its own in memory.
class SplitUnit {
public:
    /// `id` is the unit's id, which both halves share.
    SplitUnit(std::string image, uint64_t id);
    ~SplitUnit();
    SplitUnit(SplitUnit&&) noexcept;
    SplitUnit& operator=(SplitUnit&&) noexcept;

    /// The unit's entry; valid as long as this object. None if the bytes hold no split unit of that id.
    std::optional<Dwarf_Die> die() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// Finds split halves.
class SplitUnits {
public:
    /// `linked` is the file with the skeletons; it must outlive the object.
    SplitUnits(Dwarf* linked, DebugPlaces places);
    ~SplitUnits();

    /// True if the entry is the skeleton of a split unit.
    static bool is_skeleton(Dwarf_Die& unit);
    /// The split half of a skeleton, from IMAGE.dwp or PATH.dwp, otherwise from its .dwo file at the recorded
    /// place below any of the roots or beside the image or debug file. None if no file is found that fits and
    /// is sound; the first missing one is a note.
    std::optional<SplitUnit> find(Dwarf_Die& skeleton);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace op::pp
