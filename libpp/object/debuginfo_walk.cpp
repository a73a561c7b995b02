// SPDX-License-Identifier: GPL-2.0-or-later
// Stepping over entries.
#include "libpp/object/debuginfo_walk.h"

#include <dwarf.h>
#include <gelf.h>

#include <algorithm>
#include <cstring>
#include <optional>

namespace op::pp {

namespace {

/// Deeper nesting than compilers produce; bounds the memory that a damaged tree takes.
constexpr size_t level_limit = 1024;
/// More kinds of entries than compilers make; bounds the memory that a damaged number takes.
constexpr uint64_t abbreviation_limit = 1 << 16;
/// The number that most units need.
constexpr size_t usual_abbreviations = 512;

bool is_function(int tag) {
    return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine;
}

/// The rest of the section after an address in it; empty if no section holds the address.
std::span<const std::byte> rest_of_section(Dwarf* dwarf, const void* address) {
    Elf* const elf = dwarf_getelf(dwarf);
    const auto at = reinterpret_cast<uintptr_t>(address);
    for (Elf_Scn* scn = nullptr; (scn = elf_nextscn(elf, scn));) {
        const Elf_Data* const data = elf_rawdata(scn, nullptr);
        const auto start = data ? reinterpret_cast<uintptr_t>(data->d_buf) : 0;
        if (start != 0 && at >= start && at - start < data->d_size)
            return {static_cast<const std::byte*>(address), data->d_size - (at - start)};
    }
    return {};
}

bool is_swapped(Dwarf* dwarf) {
    const char* const ident = elf_getident(dwarf_getelf(dwarf), nullptr);
    return ident && (ident[EI_DATA] == ELFDATA2LSB) != (__BYTE_ORDER == __LITTLE_ENDIAN);
}

/// Bytes of a form that takes always as many, 0 included; none of another.
std::optional<uint32_t> fixed_size(unsigned form, unsigned version, unsigned address_size,
                                   unsigned offset_size) {
    switch (form) {
        case DW_FORM_flag_present:
        case DW_FORM_implicit_const:
            return 0;
        case DW_FORM_data1:
        case DW_FORM_ref1:
        case DW_FORM_flag:
        case DW_FORM_strx1:
        case DW_FORM_addrx1:
            return 1;
        case DW_FORM_data2:
        case DW_FORM_ref2:
        case DW_FORM_strx2:
        case DW_FORM_addrx2:
            return 2;
        case DW_FORM_strx3:
        case DW_FORM_addrx3:
            return 3;
        case DW_FORM_data4:
        case DW_FORM_ref4:
        case DW_FORM_ref_sup4:
        case DW_FORM_strx4:
        case DW_FORM_addrx4:
            return 4;
        case DW_FORM_data8:
        case DW_FORM_ref8:
        case DW_FORM_ref_sig8:
        case DW_FORM_ref_sup8:
            return 8;
        case DW_FORM_data16:
            return 16;
        case DW_FORM_addr:
            return address_size;
        case DW_FORM_ref_addr:
            return version <= 2 ? address_size : offset_size;
        case DW_FORM_strp:
        case DW_FORM_line_strp:
        case DW_FORM_strp_sup:
        case DW_FORM_sec_offset:
        case DW_FORM_GNU_ref_alt:
        case DW_FORM_GNU_strp_alt:
            return offset_size;
        default:
            return std::nullopt;
    }
}

}  // namespace

FunctionWalk::FunctionWalk(Dwarf_Die unit, uint32_t outermost) : unit_(unit) {
    Dwarf* const dwarf = dwarf_cu_getdwarf(unit.cu);
    const Dwarf_Off entry = dwarf_dieoffset(&unit), start = entry - dwarf_cuoffset(&unit);
    Dwarf_Off next = 0;
    size_t head = 0;
    uint8_t address_size = 0, offset_size = 0;
    Dwarf_Half version = 0;
    if (dwarf_next_unit(dwarf, start, &next, &head, &version, nullptr, &address_size, &offset_size, nullptr,
                        nullptr) != 0 ||
        next <= entry)
        return;
    version_ = version;
    address_size_ = address_size;
    offset_size_ = offset_size;
    at_.is_swapped = is_swapped(dwarf);
    at_.rest = rest_of_section(dwarf, unit.addr);
    at_.rest = at_.rest.first(std::min<uint64_t>(at_.rest.size(), next - entry));
    unit_start_ = at_.rest.data() - (entry - start);
    unit_size_ = entry - start + at_.rest.size();
    levels_.push_back({outermost, false});
    shapes_.reserve(usual_abbreviations);
}

bool FunctionWalk::next() {
    while (!levels_.empty() && !at_.rest.empty())
        if (!read_entry()) [[unlikely]]
            at_.rest = {};
        else if (shape_ && is_function(shape_->tag) && shape_->has_code)
            return true;
    return false;
}

std::optional<FunctionWalk::Extent> FunctionWalk::extent() {
    Dwarf_Addr start = 0, end = 0;
    if (!shape_->has_extent || dwarf_formaddr(&low_pc_, &start) != 0) return std::nullopt;
    if (dwarf_formaddr(&high_pc_, &end) == 0) return Extent{start, end};
    Dwarf_Word length = 0;
    if (dwarf_formudata(&high_pc_, &length) != 0 || length > UINT64_MAX - start) return std::nullopt;
    return Extent{start, start + length};
}

/// True if functions with code may lie among the children of such an entry. Those of a class lie outside of
/// it, where its members are only declared; but for a class in a function, as that of a lambda.
bool FunctionWalk::holds_functions(int tag) const {
    switch (tag) {
        case DW_TAG_compile_unit:
        case DW_TAG_subprogram:
        case DW_TAG_inlined_subroutine:
        case DW_TAG_lexical_block:
        case DW_TAG_namespace:
        case DW_TAG_module:
        case DW_TAG_try_block:
        case DW_TAG_catch_block:
        case DW_TAG_with_stmt:
            return true;
        case DW_TAG_class_type:
        case DW_TAG_structure_type:
        case DW_TAG_union_type:
            return levels_[level_].is_in_function;
        default:
            return false;
    }
}

bool FunctionWalk::is_inlined() const {
    return shape_->tag == DW_TAG_inlined_subroutine;
}

uint32_t FunctionWalk::scope() const {
    return levels_[level_].scope;
}

void FunctionWalk::enter(uint32_t scope) {
    if (shape_->has_children) levels_.back().scope = scope;
}

/// Reads one entry, or the end of a level; false if it is damaged.
bool FunctionWalk::read_entry() {
    const std::byte* const at = at_.rest.data();
    uint64_t code = 0;
    shape_ = nullptr;
    sibling_ = origin_ = 0;
    ranges_.reset();
    if (!at_.leb(code)) return false;
    if (code == 0) {
        levels_.pop_back();
        return true;
    }
    const Shape* const shape = shape_of(code, at);
    if (!shape || !step_over(*shape)) return false;
    shape_ = shape;
    level_ = levels_.size() - 1;
    die_ = {};
    die_.addr = const_cast<std::byte*>(at);
    die_.cu = unit_.cu;
    offset_ = static_cast<uint64_t>(at - unit_start_);
    if (!shape->has_children) return true;
    const auto here = static_cast<uint64_t>(at_.rest.data() - unit_start_);
    if (sibling_ > here && !holds_functions(shape->tag)) return at_.skip(sibling_ - here);
    Level inner = levels_.back();
    inner.is_in_function |= is_function(shape->tag);
    levels_.push_back(inner);
    return levels_.size() <= level_limit;
}

const FunctionWalk::Shape* FunctionWalk::shape_of(uint64_t code, const std::byte* at) {
    if (code >= shapes_.size()) {
        if (code > abbreviation_limit) return nullptr;
        shapes_.resize(code + 1);
    }
    Shape& shape = shapes_[code];
    if (shape.tag != 0) return &shape;
    Dwarf_Die die{};
    die.addr = const_cast<std::byte*>(at);
    die.cu = unit_.cu;
    return learn(shape, die) ? &shape : nullptr;
}

bool FunctionWalk::learn(Shape& shape, Dwarf_Die& die) const {
    const int tag = dwarf_tag(&die);  // finds the abbreviation
    if (tag == DW_TAG_invalid) return false;
    shape.has_children = dwarf_abbrevhaschildren(die.abbrev) != 0;
    // Up to the end: dwarf_getattrcnt of libdw 0.188 counts wrong where a form has its value with it.
    unsigned attribute = 0, form = 0;
    bool has_low = false, has_high = false;
    for (size_t i = 0; dwarf_getabbrevattr(die.abbrev, i, &attribute, &form, nullptr) == 0; ++i) {
        shape.has_code |= attribute == DW_AT_low_pc || attribute == DW_AT_ranges;
        has_low |= attribute == DW_AT_low_pc && form != DW_FORM_implicit_const;
        has_high |= attribute == DW_AT_high_pc && form != DW_FORM_implicit_const;
        if (!add_step(shape, attribute, form)) return false;
    }
    shape.has_extent = has_low && has_high;
    shape.tag = tag;
    return true;
}

/// Of forms whose size is in their value; none if the form is not known.
std::optional<FunctionWalk::Step::Kind> FunctionWalk::varying_kind(unsigned form) {
    using Kind = Step::Kind;
    switch (form) {
        case DW_FORM_udata:
        case DW_FORM_sdata:
        case DW_FORM_ref_udata:
        case DW_FORM_strx:
        case DW_FORM_addrx:
        case DW_FORM_loclistx:
        case DW_FORM_rnglistx:
        case DW_FORM_GNU_addr_index:
        case DW_FORM_GNU_str_index:
            return Kind::leb;
        case DW_FORM_string:
            return Kind::string;
        case DW_FORM_block1:
            return Kind::block1;
        case DW_FORM_block2:
            return Kind::block2;
        case DW_FORM_block4:
            return Kind::block4;
        case DW_FORM_block:
        case DW_FORM_exprloc:
            return Kind::block_leb;
        default:
            return std::nullopt;
    }
}

/// False if the form is not known.
bool FunctionWalk::add_step(Shape& shape, unsigned attribute, unsigned form) const {
    using Kind = Step::Kind;
    const bool is_kept = attribute == DW_AT_low_pc || attribute == DW_AT_high_pc;
    const auto add = [&](Kind kind, uint32_t size = 0) {
        const bool is_same = kind == Kind::fixed && !is_kept && !shape.steps.empty() &&
                             shape.steps.back().kind == Kind::fixed && !shape.steps.back().attribute;
        if (is_same)
            shape.steps.back().size += size;
        else
            shape.steps.push_back({kind, size, is_kept ? attribute : 0, form});
        return true;
    };
    if (attribute == DW_AT_sibling && form == DW_FORM_ref4) return add(Kind::sibling4);
    const bool is_place = form == DW_FORM_sec_offset || (form == DW_FORM_data4 && version_ < 4);
    if (attribute == DW_AT_ranges && is_place && offset_size_ == sizeof(uint32_t)) return add(Kind::ranges4);
    if (attribute == DW_AT_abstract_origin && form == DW_FORM_ref4) return add(Kind::origin4);
    if (const auto size = fixed_size(form, version_, address_size_, offset_size_))
        return add(Kind::fixed, *size);
    const auto kind = varying_kind(form);
    return kind && add(*kind);
}

/// Steps over the attributes.
bool FunctionWalk::step_over(const Shape& shape) {
    for (const Step& step : shape.steps) {
        if (step.attribute != 0) keep(step);
        if (step.kind == Step::Kind::fixed ? !at_.skip(step.size) : !take(step)) return false;
    }
    return true;
}

/// An attribute to be read by libdw, without having to look for it.
void FunctionWalk::keep(const Step& step) {
    auto* const value = reinterpret_cast<unsigned char*>(const_cast<std::byte*>(at_.rest.data()));
    (step.attribute == DW_AT_low_pc ? low_pc_ : high_pc_) = {step.attribute, step.form, value, unit_.cu};
}

bool FunctionWalk::take(const Step& step) {
    using Kind = Step::Kind;
    uint64_t size = 0;
    switch (step.kind) {
        case Kind::fixed:
            return at_.skip(step.size);
        case Kind::leb:
            return at_.leb(size);
        case Kind::string: {
            const void* const end =
                at_.rest.empty() ? nullptr : std::memchr(at_.rest.data(), 0, at_.rest.size());
            return end && at_.skip(static_cast<const std::byte*>(end) - at_.rest.data() + 1);
        }
        case Kind::block1:
            return at_.number(1, size) && at_.skip(size);
        case Kind::block2:
            return at_.number(2, size) && at_.skip(size);
        case Kind::block4:
            return at_.number(4, size) && at_.skip(size);
        case Kind::block_leb:
            return at_.leb(size) && at_.skip(size);
        case Kind::sibling4:
            return at_.number(4, sibling_);
        case Kind::origin4:
            return at_.number(4, origin_);
        case Kind::ranges4:
            return at_.number(4, ranges_.emplace());
    }
    return false;
}

}  // namespace op::pp
