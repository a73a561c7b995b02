// SPDX-License-Identifier: GPL-2.0-or-later
// Walks over the entries of a compilation unit, hundreds for every function. libdw reads each abbreviation
// once; most entries are then skipped by adding a number.
// Behind the door to elfutils. See DWARF 5, 7.5 "Format of Debugging Information".
#pragma once

#include <elfutils/libdw.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "libpp/object/debuginfo_cursor.h"

namespace op::pp {

/// Finds the functions of a unit that have code, including inlined ones, in the order of their entries. Every
/// step leads forward and stays within the unit for any bytes.
class FunctionWalk {
public:
    /// Begins at a unit's entry, whose Dwarf must outlive the walk. Entries are given the scope `outermost`.
    FunctionWalk(Dwarf_Die unit, uint32_t outermost);

    /// Goes to the next function or inlined call whose entry locates its code. False at the end, and at
    /// entries that are damaged or nested deeper than compilers do.
    bool next();
    Dwarf_Die& die() { return die_; }
    /// The function's code, a half-open range, if its entry has the plain form with low and high pc.
    struct Extent {
        uint64_t start, end;
    };
    std::optional<Extent> extent();
    /// Otherwise the offset of its list of ranges in the section, if that has the plain form.
    std::optional<uint64_t> range_list() const { return ranges_; }
    bool is_inlined() const;
    /// The entry's offset in bytes from the start of its unit.
    uint64_t offset() const { return offset_; }
    uint64_t unit_size() const { return unit_size_; }
    /// The offset of the entry that it is an instance of; 0 = it is not an instance of an entry in this unit,
    /// or the reference has an unusual form.
    uint64_t origin() const { return origin_; }
    /// The scope that the function lies in.
    uint32_t scope() const;
    /// Sets the scope of the entries nested in this function.
    void enter(uint32_t scope);

private:
    /// How to step over one attribute, or several of fixed size.
    struct Step {
        enum class Kind : uint8_t {
            fixed,
            leb,
            string,
            block1,
            block2,
            block4,
            block_leb,
            sibling4,
            origin4,
            ranges4
        } kind;
        uint32_t size = 0;                 ///< bytes, of the kind `fixed`
        unsigned attribute = 0, form = 0;  ///< only if it is one of those that are kept
    };
    /// The layout of the entries of one abbreviation.
    struct Shape {
        int tag = 0;  ///< 0 = not yet known
        bool has_children = false, has_code = false, has_extent = false;
        std::vector<Step> steps;
    };

    bool read_entry();
    const Shape* shape_of(uint64_t code, const std::byte* at);
    bool learn(Shape& shape, Dwarf_Die& die) const;
    static std::optional<Step::Kind> varying_kind(unsigned form);
    bool add_step(Shape& shape, unsigned attribute, unsigned form) const;
    bool step_over(const Shape& shape);
    void keep(const Step& step);
    bool take(const Step& step);
    bool holds_functions(int tag) const;

    Dwarf_Die unit_;
    const std::byte* unit_start_ = nullptr;  ///< what references count from
    uint64_t unit_size_ = 0;                 ///< bytes
    DwarfCursor at_;                         ///< up to the end of the unit
    unsigned version_ = 0, address_size_ = 0, offset_size_ = 0;
    std::vector<Shape> shapes_;  ///< by abbreviation code, which compilers number from 1
    struct Level {
        uint32_t scope;  ///< of the entries there
        bool is_in_function;
    };
    std::vector<Level> levels_;  ///< of nesting, from the outside
    Dwarf_Die die_{};
    const Shape* shape_ = nullptr;      ///< of die_
    size_t level_ = 0;                  ///< of die_
    uint64_t offset_ = 0, origin_ = 0;  ///< of die_, from the start of the unit
    std::optional<uint64_t> ranges_;    ///< of die_
    uint64_t sibling_ = 0;  ///< where the next entry of its level lies by its attribute; 0 = it has none
    Dwarf_Attribute low_pc_{}, high_pc_{};  ///< of die_, if its shape has an extent
};

}  // namespace op::pp
