// SPDX-License-Identifier: GPL-2.0-or-later
// Stubs by what they do: an indirect jump through a slot that the dynamic linker fills with a function's
// address. What the slot is filled with is in the relocations. The layout of stubs differs between linkers,
// so that the instructions are looked at, not the order of stubs.
#include "libpp/object/plt_stubs.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <unordered_map>
#include <utility>

#include "libop/base/text.h"
#include "libpp/object/symbol_ranges.h"

namespace op::pp {
namespace {

/// Bounds on the work for one file; sections of a hostile one may share their bytes. The largest of real
/// programs have a fiftieth of each.
constexpr size_t most_relocation_bytes = 1 << 30, most_code_bytes = 64 << 20, most_name_bytes = 64 << 20;
constexpr size_t longest_name = 1 << 16;

template <class T>
std::optional<T> read_at(std::span<const std::byte> bytes, uint64_t at) {
    if (at > bytes.size() || bytes.size() - at < sizeof(T)) return std::nullopt;
    T value;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    return value;
}

/// A slot that the dynamic linker fills.
struct Slot {
    uint64_t address;
    uint32_t symbol;    ///< index into .dynsym; 0 = none
    uint64_t resolver;  ///< address of the function that chooses one; 0 = none
};

/// The types of relocations of a machine that fill slots with functions.
struct SlotTypes {
    uint32_t data, jump, chosen;
};

std::optional<SlotTypes> slot_types(const Machine& machine) {
    const bool is_readable =
        machine.is_64bit && machine.is_big_endian == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
    if (is_readable && machine.elf_machine == EM_X86_64)
        return SlotTypes{R_X86_64_GLOB_DAT, R_X86_64_JUMP_SLOT, R_X86_64_IRELATIVE};
    if (is_readable && machine.elf_machine == EM_AARCH64)
        return SlotTypes{R_AARCH64_GLOB_DAT, R_AARCH64_JUMP_SLOT, R_AARCH64_IRELATIVE};
    return std::nullopt;
}

/// The slots of a file.
struct Slots {
    std::vector<Slot> by_address;  ///< sorted
    std::vector<Slot>
        by_index;  ///< those of .rela.plt as they lie there: stubs that bind late push the index
};

std::optional<Slot> read_slot(const Elf64_Rela& entry, const SlotTypes& types) {
    const auto type = static_cast<uint32_t>(ELF64_R_TYPE(entry.r_info));
    const auto symbol = static_cast<uint32_t>(ELF64_R_SYM(entry.r_info));
    if (type == types.chosen) return Slot{entry.r_offset, 0, static_cast<uint64_t>(entry.r_addend)};
    if (type == types.data || type == types.jump) return Slot{entry.r_offset, symbol, 0};
    return std::nullopt;
}

Slots read_slots(std::span<const Section> sections, const SlotTypes& types) {
    Slots slots;
    size_t budget = most_relocation_bytes;
    for (const Section& section : sections) {
        if (!section.name.starts_with(".rela.") || section.bytes.size() > budget) continue;
        budget -= section.bytes.size();
        const bool is_plt = section.name == ".rela.plt";
        for (uint64_t at = 0; const auto entry = read_at<Elf64_Rela>(section.bytes, at);
             at += sizeof *entry) {
            const auto slot = read_slot(*entry, types);
            if (slot) slots.by_address.push_back(*slot);
            if (is_plt) slots.by_index.push_back(slot.value_or(Slot{}));
        }
    }
    std::ranges::stable_sort(slots.by_address, {}, &Slot::address);
    return slots;
}

/// What the instructions at some place are.
struct Stub {
    size_t size = 0;             ///< bytes looked at; 0 = nothing begins here
    std::optional<Slot> target;  ///< none: a stub that leads to no known slot
};

/// Reads the instructions of one section of stubs.
class Reader {
public:
    Reader(const Section& section, const Slots& slots) : section_(section), slots_(slots) {}

    Stub x86_64(size_t at) const;
    Stub aarch64(size_t at) const;

private:
    bool has(size_t at, std::initializer_list<uint8_t> wanted) const {
        if (at > section_.bytes.size() || wanted.size() > section_.bytes.size() - at) return false;
        return std::ranges::equal(wanted, section_.bytes.subspan(at, wanted.size()), {}, {},
                                  [](std::byte b) { return std::to_integer<uint8_t>(b); });
    }
    uint32_t word(size_t at) const { return read_at<uint32_t>(section_.bytes, at).value_or(0); }
    std::optional<Slot> slot_at(uint64_t address) const {
        const auto found = std::ranges::lower_bound(slots_.by_address, address, {}, &Slot::address);
        if (found == slots_.by_address.end() || found->address != address) return std::nullopt;
        return *found;
    }

    const Section& section_;
    const Slots& slots_;
};

constexpr size_t endbr_size = 4, jump_size = 6, push_size = 5;

/// [endbr64] [bnd] jmp *SLOT(%rip), with IBT also endbr64; push INDEX. The first one of a section and those
/// of TLS descriptors begin with push SLOT(%rip).
Stub Reader::x86_64(size_t at) const {
    const size_t start = at;
    const bool is_marked = has(at, {0xf3, 0x0f, 0x1e, 0xfa});
    if (is_marked) at += endbr_size;
    if (is_marked && has(at, {0x68})) {
        const uint32_t index = read_at<uint32_t>(section_.bytes, at + 1).value_or(UINT32_MAX);
        Stub stub{at + push_size - start, {}};
        if (index < slots_.by_index.size()) stub.target = slots_.by_index[index];
        return stub;
    }
    if (has(at, {0xf2})) ++at;
    if (has(at, {0xff, 0x35})) return {at + jump_size - start, {}};
    if (!has(at, {0xff, 0x25})) return {};
    const auto distance = static_cast<int64_t>(read_at<int32_t>(section_.bytes, at + 2).value_or(0));
    const LinkAddress next = section_.address + (at + jump_size);
    return {at + jump_size - start, slot_at(next.value() + static_cast<uint64_t>(distance))};
}

/// [bti c] adrp x16, PAGE; ldr x17, [x16, OFFSET]. The first one of a section and those of TLS descriptors
/// begin by saving two registers.
Stub Reader::aarch64(size_t at) const {
    constexpr uint32_t bti_c = 0xd503245f, stp_x16_x30 = 0xa9bf7bf0, stp_x2_x3 = 0xa9bf0fe2;
    const size_t start = at;
    if (word(at) == bti_c) at += 4;
    const uint32_t first = word(at), second = word(at + 4);
    if (first == stp_x16_x30 || first == stp_x2_x3) return {at + 4 - start, {}};
    if ((first & 0x9f00001f) != 0x90000010 || (second & 0xffc003ff) != 0xf9400211) return {};
    constexpr uint64_t page_mask = 0xfff;
    const uint64_t pages = (first >> 29 & 3) | (first >> 5 & 0x7ffff) << 2;
    const uint64_t distance = ((pages ^ 0x100000) - 0x100000) << 12;  // of 21 bits, with their sign
    const LinkAddress place = section_.address + at;
    const uint64_t page = (place.value() & ~page_mask) + distance;
    return {at + 8 - start, slot_at(page + (second >> 10 & 0xfff) * 8)};
}

/// The names of slots.
class Names {
public:
    Names(std::span<const Section> sections, std::vector<RawSymbol> symbols, std::deque<std::string>& kept)
        : symbols_(best_symbols(std::move(symbols))), kept_(kept) {
        if (const Section* table = find_section(sections, ".dynsym")) table_ = table->bytes;
        if (const Section* text = find_section(sections, ".dynstr"))
            text_ = {reinterpret_cast<const char*>(text->bytes.data()), text->bytes.size()};
    }

    /// Empty if the slot has none. Kept once for each slot.
    std::string_view of(const Slot& slot) {
        const auto [at, is_new] = by_slot_.try_emplace(slot.address);
        if (!is_new) return at->second;
        const std::string function =
            slot.resolver ? chosen(slot.resolver) : std::string(dynamic(slot.symbol));
        if (function.empty() || function.size() > budget_) return {};
        budget_ -= function.size();
        return at->second = kept_.emplace_back(function + std::string(stub_suffix));
    }

private:
    std::string_view dynamic(uint32_t index) const {
        const auto symbol = read_at<Elf64_Sym>(table_, uint64_t{index} * sizeof(Elf64_Sym));
        if (index == 0 || !symbol || symbol->st_name >= text_.size()) return {};
        const auto name = text_.substr(symbol->st_name, longest_name);
        return name.substr(0, name.find('\0'));
    }
    std::string chosen(uint64_t resolver) const {
        const auto value = [](const RawSymbol& symbol) { return symbol.address.value(); };
        const auto found = std::ranges::lower_bound(symbols_, resolver, {}, value);
        if (found == symbols_.end() || value(*found) != resolver) return "*ABS*+0x" + hex(resolver);
        return std::string(found->name);
    }

    std::span<const std::byte> table_;
    std::string_view text_;
    std::vector<RawSymbol> symbols_;  ///< sorted by address
    std::deque<std::string>& kept_;
    std::unordered_map<uint64_t, std::string_view> by_slot_;
    size_t budget_ = most_name_bytes;
};

bool has_stubs(const Section& section) {
    return section.code && (section.name.starts_with(".plt") || section.name == ".iplt");
}

/// Appends the symbols of one section.
void read_stubs(const Section& section, const Slots& slots, bool is_x86, Names& names,
                std::vector<RawSymbol>& out) {
    const Reader reader(section, slots);
    const size_t step = is_x86 ? 8 : 4;  // what linkers align stubs to, at least
    bool follows_name = false;
    for (size_t at = 0; at < section.bytes.size();) {
        const Stub stub = is_x86 ? reader.x86_64(at) : reader.aarch64(at);
        const auto name = stub.target ? names.of(*stub.target) : std::string_view{};
        if (!name.empty() || (stub.size > 0 && follows_name))
            out.push_back({section.address + at, 0, name, false, false});
        if (stub.size > 0) follows_name = !name.empty();
        at += std::max(step, (stub.size + step - 1) / step * step);
    }
}

}  // namespace

PltStubs::PltStubs(const Machine& machine, std::span<const Section> sections,
                   std::vector<RawSymbol> symbols) {
    const auto types = slot_types(machine);
    if (!types || std::ranges::none_of(sections, has_stubs)) return;
    const Slots slots = read_slots(sections, *types);
    Names names(sections, std::move(symbols), names_);
    size_t budget = most_code_bytes;
    for (const Section& section : sections) {
        if (!has_stubs(section) || section.bytes.size() > budget) continue;
        budget -= section.bytes.size();
        read_stubs(section, slots, machine.elf_machine == EM_X86_64, names, symbols_);
    }
}

}  // namespace op::pp
