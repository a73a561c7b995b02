// SPDX-License-Identifier: GPL-2.0-or-later
// The instructions of one function. What cannot be disassembled has rows for its sampled addresses.
#include "utils/optop/code_rows.h"

#include <optional>

#include "libop/base/fd.h"
#include "libop/base/text.h"
#include "libpp/object/disassemble.h"
#include "libpp/object/machine.h"

namespace op::tool {

namespace {

std::string source_of(pp::ImageSymbols& symbols, ImageOffset offset) {
    const auto line = symbols.line(offset);
    if (!line || line->line == 0) return "";
    return std::string(base_name(line->file)) + ":" + std::to_string(line->line);
}

std::optional<pp::Machine> machine_of_file(const std::string& file) {
    if (file.empty() || !is_regular_file(file)) return std::nullopt;
    return pp::machine_of(MappedFile(file).bytes());
}

/// "+0xOFFSET" of an address in the function, else empty.
std::string place_in(const pp::ImageSymbol& symbol, LinkAddress address) {
    const uint64_t offset = address - symbol.address;
    return offset < symbol.length ? "+0x" + hex(offset) : "";
}

/// Samples of the keys in [from, to).
uint64_t sum_between(const std::map<uint64_t, uint64_t>& samples, uint64_t from, uint64_t to) {
    uint64_t sum = 0;
    for (auto at = samples.lower_bound(from); at != samples.end() && at->first < to; ++at)
        sum += at->second;
    return sum;
}

}  // namespace

std::vector<CodeRow> code_rows(const PlacedSymbols& image, ImageOffset start,
                               const std::map<uint64_t, uint64_t>& samples, const std::string& file) {
    pp::ImageSymbols& symbols = *image.symbols;
    const pp::ImageSymbol* const symbol = symbols.find(start);
    if (!symbol) return {};
    const uint64_t first = symbol->start - ImageOffset{image.first_offset};
    std::vector<CodeRow> rows;
    const auto code = symbols.code(*symbol);
    const auto machine = machine_of_file(file);
    if (code.empty() || !machine) {
        for (const auto& [key, count] : samples)
            if (key >= first && key - first < symbol->length && rows.size() < most_code_rows)
                rows.push_back({(symbol->address + (key - first)).value(), count, "",
                                source_of(symbols, symbol->start + (key - first))});
        return rows;
    }
    pp::Disassembler disassembler(*machine);
    const pp::NameAddress name = [&](LinkAddress address) { return place_in(*symbol, address); };
    for (size_t at = 0; at < code.size() && rows.size() < most_code_rows;) {
        const auto instruction = disassembler.next(code.subspan(at), symbol->address + at, name);
        const uint64_t key = first + at;
        rows.push_back({(symbol->address + at).value(), sum_between(samples, key, key + instruction.length),
                        instruction.text, source_of(symbols, symbol->start + at)});
        at += instruction.length;
    }
    return rows;
}

}  // namespace op::tool
