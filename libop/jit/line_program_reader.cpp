// SPDX-License-Identifier: GPL-2.0-or-later
// Reading: every unit of the section, its rows by the state machine of DWARF 4, section 6.2.2.
#include <algorithm>
#include <cstdint>

#include "libop/jit/line_program.h"
#include "libop/jit/line_program_codes.h"

namespace op {

namespace {

using namespace dwarf_line;

/// Rows of all units, within the bounds.
class RowList {
public:
    void add(uint64_t address, uint64_t line, std::string_view file) {
        const size_t text = std::min(file.size(), longest_code_file);
        is_full_ |= rows_.size() >= most_code_lines || text > text_left_;
        if (is_full_) return;
        text_left_ -= text;
        const auto number = static_cast<uint32_t>(std::min<uint64_t>(line, UINT32_MAX));
        rows_.push_back({address, number, std::string(file.substr(0, text))});
    }
    /// After the first row that had no room.
    bool is_full() const noexcept { return is_full_; }
    std::vector<CodeLine> take() {
        std::ranges::stable_sort(rows_, {}, &CodeLine::address);
        return std::move(rows_);
    }

private:
    std::vector<CodeLine> rows_;
    size_t text_left_ = most_code_line_text;
    bool is_full_ = false;
};

class LineUnit {
public:
    LineUnit(OrderedReader& in, std::string_view what, RowList& rows) : in_(in), what_(what), rows_(rows) {}

    void read() {
        const uint32_t length = in_.u32();
        if (length > in_.remaining()) throw_input(std::string(what_) + ": a unit of lines is cut off");
        const size_t end = in_.position() + length;
        version_ = in_.u16();
        if (version_ >= 2 && version_ <= 4) {
            const uint32_t header = in_.u32();
            const size_t program = in_.position() + header;
            read_header();
            if (header <= length && program <= end) in_.seek(program);
            while (in_.position() < end && !rows_.is_full())
                step();
        }
        in_.seek(end);
    }

private:
    void read_header() {
        step_bytes_ = in_.u8();
        if (version_ >= 4) in_.skip(1);
        in_.skip(1);
        line_base_ = static_cast<int8_t>(in_.u8());
        line_range_ = in_.u8();
        opcode_base_ = in_.u8();
        if (line_range_ == 0 || opcode_base_ == 0)
            throw_input(std::string(what_) + ": a unit of lines has no range of lines");
        operands_.assign(1, 0);
        for (unsigned i = 1; i < opcode_base_; ++i)
            operands_.push_back(in_.u8());
        for (std::string_view directory; !(directory = in_.text()).empty();)
            directories_.push_back(directory);
        for (std::string_view name; !(name = in_.text()).empty();)
            take_file(name);
    }
    void take_file(std::string_view name) {
        const uint64_t directory = in_.unsigned_leb();
        in_.unsigned_leb();
        in_.unsigned_leb();
        files_.push_back({directory, name});
    }
    std::string file_name() const {
        if (file_ == 0 || file_ > files_.size()) return "?";
        const auto& [directory, name] = files_[file_ - 1];
        if (name.starts_with('/') || directory == 0 || directory > directories_.size())
            return std::string(name.substr(0, longest_code_file));
        return std::string(directories_[directory - 1].substr(0, longest_code_file)) + "/" +
               std::string(name.substr(0, longest_code_file));
    }

    void step() {
        const uint8_t opcode = in_.u8();
        if (opcode >= opcode_base_) {
            advance_special(opcode);
            line_ += static_cast<uint64_t>(int64_t{line_base_} + (opcode - opcode_base_) % line_range_);
            rows_.add(address_, line_, file_name());
        } else if (opcode == 0) {
            extended();
        } else {
            standard(opcode);
        }
    }
    void advance_special(unsigned opcode) {
        address_ += uint64_t{(opcode - opcode_base_) / line_range_} * step_bytes_;
    }
    void standard(uint8_t opcode) {
        switch (opcode) {
            case copy:
                return rows_.add(address_, line_, file_name());
            case advance_pc:
                address_ += in_.unsigned_leb() * step_bytes_;
                return;
            case advance_line:
                line_ += static_cast<uint64_t>(in_.signed_leb());
                return;
            case set_file:
                file_ = in_.unsigned_leb();
                return;
            case const_add_pc:
                return advance_special(255);
            case fixed_advance_pc:
                address_ += in_.u16();
                return;
            default:
                for (unsigned i = 0; i < operands_[opcode]; ++i)
                    in_.unsigned_leb();
        }
    }
    void extended() {
        const uint64_t size = in_.unsigned_leb();
        if (size == 0 || size > in_.remaining()) throw_input(std::string(what_) + ": an opcode is cut off");
        const size_t end = in_.position() + size;
        switch (in_.u8()) {
            case end_sequence:
                rows_.add(address_, 0, {});
                address_ = 0;
                line_ = file_ = 1;
                break;
            case set_address:
                if (size == 9) address_ = in_.u64();
                if (size == 5) address_ = in_.u32();
                break;
            case define_file:
                take_file(in_.text());
                break;
        }
        in_.seek(end);
    }

    OrderedReader& in_;
    std::string_view what_;
    RowList& rows_;
    uint16_t version_ = 0;
    unsigned step_bytes_ = 1, line_range_ = 1, opcode_base_ = 1;
    int line_base_ = 0;
    std::vector<uint8_t> operands_;
    std::vector<std::string_view> directories_;
    struct File {
        uint64_t directory;
        std::string_view name;
    };
    std::vector<File> files_;
    uint64_t address_ = 0, line_ = 1, file_ = 1;
};

}  // namespace

std::vector<CodeLine> parse_line_section(std::span<const std::byte> debug_line, NumberLayout layout,
                                         std::string_view what) {
    OrderedReader in(debug_line, layout, what);
    RowList rows;
    while (in.remaining() >= 4)
        LineUnit(in, what, rows).read();
    return rows.take();
}

}  // namespace op
