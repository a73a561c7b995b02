// SPDX-License-Identifier: GPL-2.0-or-later
// Writing: one compilation unit, one sequence a symbol.
#include "libop/jit/line_program.h"

#include <algorithm>
#include <cstdint>
#include <map>

#include "libop/jit/line_program_codes.h"

namespace op {

namespace {

using namespace dwarf_line;

/// The files of all lines, in the order in which lines name them; numbers count from 1.
class FileTable {
public:
    explicit FileTable(std::span<const CodeSymbol> symbols) {
        for (const CodeSymbol& symbol : symbols)
            for (const CodeLine& line : symbol.lines)
                if (numbers_.try_emplace(name_of(line), numbers_.size() + 1).second)
                    names_.push_back(name_of(line));
    }

    uint64_t number(const CodeLine& line) const { return numbers_.at(name_of(line)); }
    const std::vector<std::string_view>& names() const noexcept { return names_; }

private:
    /// An empty name would end the table.
    static std::string_view name_of(const CodeLine& line) {
        std::string_view name = std::string_view(line.file).substr(0, longest_code_file);
        name = name.substr(0, name.find('\0'));
        return name.empty() ? "?" : name;
    }

    std::map<std::string_view, uint64_t> numbers_;
    std::vector<std::string_view> names_;
};

void put_extended(OrderedWriter& out, uint64_t size, unsigned opcode) {
    out.put_u8(0);
    out.put_unsigned_leb(size + 1);
    out.put_u8(opcode);
}

/// One row, from the state that the row before left behind.
void put_row(OrderedWriter& out, uint64_t address_step, int64_t line_step) {
    const bool is_near = line_step >= line_base && line_step < line_base + line_range;
    if (is_near &&
        address_step <= static_cast<uint64_t>((255 - opcode_base - (line_step - line_base)) / line_range)) {
        out.put_u8(static_cast<unsigned>(line_step - line_base + address_step * line_range + opcode_base));
        return;
    }
    if (address_step != 0) {
        out.put_u8(advance_pc);
        out.put_unsigned_leb(address_step);
    }
    if (line_step != 0) {
        out.put_u8(advance_line);
        out.put_signed_leb(line_step);
    }
    out.put_u8(copy);
}

void put_sequence(OrderedWriter& out, const CodeSymbol& symbol, const FileTable& files) {
    uint64_t address = symbol.lines.front().address, file = 1, line = 1;
    put_extended(out, out.layout().address_size(), set_address);
    out.put_address(address);
    for (const CodeLine& row : symbol.lines) {
        if (const uint64_t number = files.number(row); number != file) {
            out.put_u8(set_file);
            out.put_unsigned_leb(file = number);
        }
        put_row(out, row.address - address, static_cast<int64_t>(row.line) - static_cast<int64_t>(line));
        address = row.address;
        line = row.line;
    }
    out.put_u8(advance_pc);
    out.put_unsigned_leb(symbol.end() - address);
    put_extended(out, 0, end_sequence);
}

/// Sets the length of a unit, which is the number at `at`, to what follows it.
void finish_length(OrderedWriter& out, size_t at) {
    out.patch(at, static_cast<uint32_t>(out.size() - at - 4));
}

std::string make_debug_line(std::span<const CodeSymbol> symbols, NumberLayout layout) {
    const FileTable files(symbols);
    OrderedWriter out(layout);
    out.put(uint32_t{0});
    out.put_u16(4);  // version
    const size_t header = out.size();
    out.put(uint32_t{0});
    for (const int value : {1, 1, 1, line_base, line_range, opcode_base})  // steps of one byte, one operation
        out.put_u8(static_cast<unsigned>(value));
    for (const uint8_t count : operand_counts)
        out.put_u8(count);
    out.put_u8(0);  // no directories
    for (const std::string_view name : files.names()) {
        out.put_text(name);
        out.put_bytes(std::string_view("\0\0\0", 3));  // directory, time, length: unknown
    }
    out.put_u8(0);
    finish_length(out, header);
    for (const CodeSymbol& symbol : symbols)
        if (!symbol.lines.empty()) put_sequence(out, symbol, files);
    finish_length(out, 0);
    return std::move(out).take();
}

/// One unit that spans all symbols and refers to the lines.
std::string make_debug_info(std::span<const CodeSymbol> symbols, NumberLayout layout) {
    OrderedWriter out(layout);
    out.put(uint32_t{0});
    out.put_u16(4);        // version
    out.put(uint32_t{0});  // .debug_abbrev from its start
    out.put_u8(layout.address_size());
    out.put_unsigned_leb(1);  // the abbreviation
    out.put(uint32_t{0});     // the lines: .debug_line from its start
    out.put_address(symbols.front().address);
    out.put_address(symbols.back().end());
    out.put_text("code made at run time");
    finish_length(out, 0);
    return std::move(out).take();
}

// Abbreviation 1: DW_TAG_compile_unit without children; pairs of an attribute and its form: DW_AT_stmt_list
// sec_offset, DW_AT_low_pc addr, DW_AT_high_pc addr, DW_AT_name string (DWARF 4, section 7.5.4).
constexpr std::string_view abbreviations("\x01\x11\x00\x10\x17\x11\x01\x12\x01\x03\x08\x00\x00\x00", 14);

}  // namespace

LineSections make_line_sections(std::span<const CodeSymbol> symbols, NumberLayout layout) {
    const auto has_lines = [](const CodeSymbol& symbol) { return !symbol.lines.empty(); };
    if (std::ranges::none_of(symbols, has_lines)) return {};
    return {std::string(abbreviations), make_debug_info(symbols, layout), make_debug_line(symbols, layout)};
}

}  // namespace op
