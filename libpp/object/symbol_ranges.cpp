// SPDX-License-Identifier: GPL-2.0-or-later
// Choosing among symbols and measuring them.
#include "libpp/object/symbol_ranges.h"

#include <algorithm>

#include "libop/base/bytes.h"
#include "libop/base/error.h"

namespace op::pp {
namespace {

/// Smaller is better: what a person would call the function.
int penalty(const RawSymbol& s) {
    int rank = 0;
    if (s.name.empty()) rank += 32;
    if (s.name == "Letext") rank += 16;
    if (s.name.starts_with("??")) rank += 8;
    if (!s.global) rank += 4;
    const auto begins = [&](std::string_view prefix) { return s.name.starts_with(prefix); };
    // The functions of the C library that call the vDSO have its other names.
    if (begins("_") && !begins("_Z") && !begins("_R") && !begins("__vdso_")) rank += 2;
    if (s.weak) rank += 1;
    return rank;
}

bool better(const RawSymbol& a, const RawSymbol& b) {
    const int x = penalty(a), y = penalty(b);
    return x != y ? x < y : a.name < b.name;
}

/// Sorted by address, one symbol at each.
void keep_best(std::vector<RawSymbol>& symbols) {
    std::ranges::sort(symbols, {}, [](const RawSymbol& s) { return s.address.value(); });
    size_t kept = 0;
    for (size_t i = 0; i < symbols.size(); ++i) {
        if (kept > 0 && symbols[kept - 1].address == symbols[i].address) {
            const uint64_t size = std::max(symbols[kept - 1].size, symbols[i].size);
            if (better(symbols[i], symbols[kept - 1])) symbols[kept - 1] = symbols[i];
            symbols[kept - 1].size = size;
        } else {
            symbols[kept++] = symbols[i];
        }
    }
    symbols.resize(kept);
}

/// Takes away symbols without size that lie inside the last one before them that has a size: labels of a
/// function, as gdb sees them.
void drop_labels(std::vector<RawSymbol>& symbols) {
    const RawSymbol* sized = nullptr;
    size_t kept = 0;
    for (const RawSymbol& s : symbols) {
        if (s.size == 0 && sized && s.address - sized->address < sized->size) continue;
        symbols[kept++] = s;
        if (s.size != 0) sized = &symbols[kept - 1];
    }
    symbols.resize(kept);
}

/// Adds nameless functions where no symbol of known size lies.
void add_functions(std::vector<RawSymbol>& symbols, std::span<const LinkAddress> functions) {
    const size_t named = symbols.size();
    for (const LinkAddress start : functions) {
        const auto next = std::upper_bound(symbols.begin(), symbols.begin() + named, start,
                                           [](LinkAddress a, const RawSymbol& s) { return a < s.address; });
        if (next != symbols.begin()) {
            const RawSymbol& before = *std::prev(next);
            if (before.address == start || start - before.address < before.size) continue;
        }
        RawSymbol function;
        function.address = start;
        symbols.push_back(function);
    }
    std::ranges::stable_sort(symbols, {}, [](const RawSymbol& s) { return s.address.value(); });
    const auto same = [](const RawSymbol& a, const RawSymbol& b) { return a.address == b.address; };
    symbols.erase(std::unique(symbols.begin(), symbols.end(), same), symbols.end());
}

/// Code sections that lie in the file, sorted by address, not overlapping; the size is cut to the file's.
std::vector<Section> code_sections(std::span<const Section> all) {
    std::vector<Section> code;
    for (const Section& s : all) {
        const bool unplaced = s.address.value() == 0 && s.name != ".text";
        if (s.code && s.in_file && !s.bytes.empty() && !unplaced) code.push_back(s);
    }
    std::ranges::sort(code, {}, [](const Section& s) { return s.address.value(); });
    size_t kept = 0;
    for (const Section& s : code)
        if (kept == 0 || s.address - code[kept - 1].address >= code[kept - 1].size) code[kept++] = s;
    code.resize(kept);
    return code;
}

void add_section_ranges(const Section& section, std::span<const RawSymbol> symbols,
                        std::vector<SymbolRange>& out) {
    const auto first = std::ranges::lower_bound(symbols, section.address.value(), {},
                                                [](const RawSymbol& s) { return s.address.value(); });
    const uint64_t base = section.address.value(), size = section.bytes.size();
    const auto offset_of = [&](const RawSymbol& s) { return s.address.value() - base; };
    auto it = first;
    const uint64_t head = it != symbols.end() ? std::min(offset_of(*it), size) : size;
    if (head > 0) out.push_back({section.file_offset, head, section.address, {}, section.name});
    for (; it != symbols.end() && offset_of(*it) < size; ++it) {
        const uint64_t start = offset_of(*it);
        const auto next = std::next(it);
        const uint64_t end = next != symbols.end() ? std::min(offset_of(*next), size) : size;
        out.push_back({section.file_offset + start, end - start, it->address, it->name, {}});
    }
}

constexpr uint8_t pe_udata4 = 0x03, pe_datarel_sdata4 = 0x3b;  // DW_EH_PE_*
constexpr uint8_t pe_pcrel_sdata4 = 0x1b;

std::vector<LinkAddress> read_unwind_table(const Section& header) {
    ByteReader in(header.bytes, ".eh_frame_hdr");
    const auto version = in.get<uint8_t>(), frame = in.get<uint8_t>(), count_encoding = in.get<uint8_t>();
    const auto table_encoding = in.get<uint8_t>();
    std::vector<LinkAddress> starts;
    if (version != 1 || frame != pe_pcrel_sdata4 || count_encoding != pe_udata4 ||
        table_encoding != pe_datarel_sdata4)
        return starts;
    in.skip(4);
    const auto count = in.get<uint32_t>();
    if (count > in.remaining() / 8) return starts;
    starts.reserve(count);
    for (uint32_t i = 0; i < count; ++i) {
        const auto distance = in.get<int32_t>();
        in.skip(4);
        starts.push_back(header.address + static_cast<uint64_t>(static_cast<int64_t>(distance)));
    }
    return starts;
}

}  // namespace

std::vector<RawSymbol> best_symbols(std::vector<RawSymbol> symbols) {
    keep_best(symbols);
    return symbols;
}

std::vector<SymbolRange> make_ranges(std::span<const Section> sections, std::vector<RawSymbol> symbols,
                                     std::span<const LinkAddress> functions) {
    keep_best(symbols);
    drop_labels(symbols);
    if (!functions.empty()) add_functions(symbols, functions);
    std::vector<SymbolRange> ranges;
    ranges.reserve(symbols.size() + sections.size());
    for (const Section& section : code_sections(sections))
        add_section_ranges(section, symbols, ranges);
    std::ranges::sort(ranges, {}, &SymbolRange::start);
    // Sections of a damaged file may share file offsets.
    size_t kept = 0;
    for (const SymbolRange& r : ranges)
        if (kept == 0 || r.start - ranges[kept - 1].start >= ranges[kept - 1].length) ranges[kept++] = r;
    ranges.resize(kept);
    return ranges;
}

std::vector<LinkAddress> unwind_function_starts(std::span<const Section> sections) {
    for (const Section& section : sections) {
        if (section.name != ".eh_frame_hdr") continue;
        try {
            return read_unwind_table(section);
        } catch (const Error&) {
            return {};
        }
    }
    return {};
}

}  // namespace op::pp
