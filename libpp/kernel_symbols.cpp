// SPDX-License-Identifier: GPL-2.0-or-later
// Reading kallsyms.
#include "libpp/kernel_symbols.h"

#include <algorithm>

#include "libop/kallsyms.h"
#include "libop/text.h"

namespace op::pp {
namespace {

constexpr uint64_t unknown_tail = 4096;

/// Boundary marks give way to functions at the same address.
int unfitness(const KallsymsLine& line) {
    const bool mark =
        line.name == "_text" || line.name == "_stext" || line.name == "_etext" || line.name == "_einittext";
    return 2 * mark + (line.type != 'T');
}

std::vector<KallsymsLine> lines_of(std::string_view kallsyms, std::string_view module) {
    std::vector<KallsymsLine> lines;
    while (!kallsyms.empty()) {
        const auto line = parse_kallsyms_line(take_line(kallsyms));
        if (line && line->is_text() && line->module == module) lines.push_back(*line);
    }
    std::ranges::stable_sort(lines, [](const KallsymsLine& a, const KallsymsLine& b) {
        return a.address != b.address ? a.address < b.address : unfitness(a) < unfitness(b);
    });
    const auto same = [](const KallsymsLine& a, const KallsymsLine& b) { return a.address == b.address; };
    lines.erase(std::unique(lines.begin(), lines.end(), same), lines.end());
    return lines;
}

}  // namespace

std::vector<ImageSymbol> kallsyms_symbols(std::string_view kallsyms, std::string_view module, uint64_t start,
                                          uint64_t length) {
    const auto lines = lines_of(kallsyms, module);
    std::vector<ImageSymbol> symbols;
    if (lines.empty()) return symbols;
    const uint64_t base = start ? start : lines.front().address;
    const uint64_t end = length && length <= UINT64_MAX - base ? base + length : UINT64_MAX;
    for (size_t i = 0; i < lines.size(); ++i) {
        const uint64_t address = lines[i].address;
        if (address < base || address >= end) continue;
        const uint64_t last = length ? end : address + std::min(unknown_tail, UINT64_MAX - address);
        const uint64_t next = i + 1 < lines.size() ? std::min(lines[i + 1].address, end) : last;
        if (next > address)
            symbols.push_back({{address - base}, next - address, {address}, lines[i].name, false});
    }
    return symbols;
}

}  // namespace op::pp
