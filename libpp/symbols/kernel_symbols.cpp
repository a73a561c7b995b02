// SPDX-License-Identifier: GPL-2.0-or-later
// Reading kallsyms.
#include "libpp/symbols/kernel_symbols.h"

#include <algorithm>
#include <span>

#include "libop/base/text.h"

namespace op::pp {
namespace {

constexpr uint64_t unknown_tail = 4096;

/// Boundary marks give way to functions at the same address.
int penalty(const KallsymsLine& line) {
    const bool mark =
        line.name == "_text" || line.name == "_stext" || line.name == "_etext" || line.name == "_einittext";
    return 2 * mark + (line.type != 'T');
}

bool is_same_place(const KallsymsLine& a, const KallsymsLine& b) {
    return a.address == b.address && a.module == b.module;
}

bool is_before(const KallsymsLine& a, const KallsymsLine& b) {
    if (a.module != b.module) return a.module < b.module;
    return a.address != b.address ? a.address < b.address : penalty(a) < penalty(b);
}

}  // namespace

KernelSymbols::KernelSymbols(std::string_view kallsyms) {
    while (!kallsyms.empty()) {
        const auto line = parse_kallsyms_line(take_line(kallsyms));
        if (line && line->is_text()) lines_.push_back(*line);
    }
    std::ranges::stable_sort(lines_, is_before);
    lines_.erase(std::unique(lines_.begin(), lines_.end(), is_same_place), lines_.end());
}

std::vector<ImageSymbol> KernelSymbols::of(std::string_view module, uint64_t start, uint64_t length) const {
    const auto first = std::ranges::lower_bound(lines_, module, {}, &KallsymsLine::module);
    const std::span lines(first, std::ranges::upper_bound(lines_, module, {}, &KallsymsLine::module));
    std::vector<ImageSymbol> symbols;
    if (lines.empty()) return symbols;
    const uint64_t base = start ? start : lines.front().address;
    const uint64_t end = length && length <= UINT64_MAX - base ? base + length : UINT64_MAX;
    for (auto line = lines.begin(); line != lines.end(); ++line) {
        const uint64_t address = line->address;
        if (address < base || address >= end) continue;
        const uint64_t last = length ? end : address + std::min(unknown_tail, UINT64_MAX - address);
        const auto after = std::next(line);
        const uint64_t next = after != lines.end() ? std::min(after->address, end) : last;
        if (next > address)
            symbols.push_back(
                {ImageOffset{address - base}, next - address, LinkAddress{address}, line->name, false});
    }
    return symbols;
}

}  // namespace op::pp
