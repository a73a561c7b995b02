// SPDX-License-Identifier: GPL-2.0-or-later
// Reading: the sections that hold code, the symbol table, the lines and the note. Everything is checked
// against the file's size.
#include <algorithm>
#include <bit>

#include "libop/base/error.h"
#include "libop/jit/jo_elf.h"
#include "libop/jit/jo_file.h"
#include "libop/jit/line_program.h"

namespace op {

namespace {

using namespace jo_elf;

/// Symbols without a size get no longer one.
constexpr uint64_t longest_function = uint64_t{1} << 32;

struct JoSection {
    uint32_t name_at = 0, type = 0;
    uint64_t flags = 0, address = 0, offset = 0, size = 0;
    uint32_t link = 0;
    std::string_view name = {};

    bool is_code() const noexcept { return (flags & flag_execinstr) != 0 && size <= UINT64_MAX - address; }
};

class JoReader {
public:
    JoReader(std::span<const std::byte> bytes, std::string_view label) : bytes_(bytes), label_(label) {}

    JoFile read() && {
        read_header();
        read_sections();
        read_symbols();
        read_note();
        cut_overlaps();
        drop_contested();
        take_code();
        take_lines();
        return std::move(file_);
    }

private:
    [[noreturn]] void refuse(const char* why) const { throw_input(std::string(label_) + ": " + why); }
    OrderedReader reader(std::span<const std::byte> bytes) const { return {bytes, layout(), label_}; }
    const NumberLayout& layout() const { return file_.target.layout; }
    /// The bytes of a section; none if it has none in the file.
    std::span<const std::byte> content(const JoSection& section) const {
        if (section.type == nobits || section.offset > bytes_.size()) return {};
        const auto rest = bytes_.subspan(section.offset);
        return section.size > rest.size() ? std::span<const std::byte>{} : rest.first(section.size);
    }
    static std::string_view text_at(std::span<const std::byte> strings, uint64_t at) {
        if (at >= strings.size()) return {};
        const std::string_view text(reinterpret_cast<const char*>(strings.data()), strings.size());
        const std::string_view rest = text.substr(at, longest_code_name);
        return rest.substr(0, rest.find('\0'));
    }

    void read_header() {
        constexpr size_t ident = 16;
        if (bytes_.size() < ident || std::memcmp(bytes_.data(), magic.data(), magic.size()) != 0)
            refuse("not an ELF file");
        const auto file_class = static_cast<unsigned>(bytes_[4]), order = static_cast<unsigned>(bytes_[5]);
        if (file_class != class_32 && file_class != class_64) refuse("of no known class");
        if (order != little_endian && order != big_endian) refuse("of no known byte order");
        file_.target.layout = {file_class == class_64, order == big_endian};
        OrderedReader in = reader(bytes_);
        in.skip(ident);
        if (in.u16() != type_executable) refuse("not of type EXEC");
        file_.target.elf_machine = in.u16();
        in.u32();
        in.address();
        in.address();
        headers_at_ = in.address();
        in.skip(4 + 6);  // flags; sizes of headers
        header_size_ = in.u16();
        header_count_ = in.u16();
        names_section_ = in.u16();
    }

    void read_sections() {
        const size_t least = layout().is_64bit ? 64 : 40;
        if (header_size_ < least || headers_at_ > bytes_.size() ||
            size_t{header_count_} * header_size_ > bytes_.size() - headers_at_)
            refuse("its section headers are cut off");
        for (size_t i = 0; i < header_count_; ++i) {
            OrderedReader in = reader(bytes_.subspan(headers_at_ + i * header_size_, least));
            JoSection section;
            section.name_at = in.u32();
            section.type = in.u32();
            section.flags = in.address();
            section.address = in.address();
            section.offset = in.address();
            section.size = in.address();
            section.link = in.u32();
            sections_.push_back(section);
        }
        if (names_section_ >= sections_.size()) return;
        const auto names = content(sections_[names_section_]);
        for (JoSection& section : sections_)
            section.name = text_at(names, section.name_at);
    }

    const JoSection* find(auto matches) const {
        const auto at = std::ranges::find_if(sections_, matches);
        return at == sections_.end() ? nullptr : &*at;
    }

    void read_symbols() {
        const JoSection* table = find([](const JoSection& section) { return section.type == symtab; });
        if (!table || table->link >= sections_.size()) return;
        const auto names = content(sections_[table->link]);
        OrderedReader in = reader(content(*table));
        const size_t entry = layout().is_64bit ? 24 : 16;
        // Names may share their text; in all they get no more room than a file may take.
        size_t text_left = jo_file_limit;
        while (in.remaining() >= entry && symbols().size() < most_jo_symbols) {
            Entry symbol = read_entry(in);
            const std::string_view name = text_at(names, symbol.name);
            if ((symbol.info & type_mask) != type_function || name.empty() || name.size() > text_left)
                continue;
            text_left -= name.size();
            add_symbol(symbol, name);
        }
    }
    struct Entry {
        uint32_t name = 0;
        uint8_t info = 0;
        uint16_t section = 0;
        uint64_t value = 0, size = 0;
    };
    Entry read_entry(OrderedReader& in) const {
        Entry entry;
        entry.name = in.u32();
        if (!layout().is_64bit) {
            entry.value = in.u32();
            entry.size = in.u32();
        }
        entry.info = in.u8();
        in.u8();
        entry.section = in.u16();
        if (layout().is_64bit) {
            entry.value = in.u64();
            entry.size = in.u64();
        }
        return entry;
    }
    void add_symbol(const Entry& entry, std::string_view name) {
        if (entry.section >= sections_.size() || !sections_[entry.section].is_code()) return;
        const JoSection& section = sections_[entry.section];
        if (entry.value >= section.size) return;
        const uint64_t room = section.size - entry.value;
        const uint64_t size = entry.size == 0 ? std::min(room, longest_function) : std::min(room, entry.size);
        symbols().push_back({section.address + entry.value, size, std::string(name)});
    }

    void read_note() {
        file_.is_ours = false;
        const JoSection* section = find([](const JoSection& one) { return one.name == note_section; });
        if (!section || content(*section).size() < 12 + note_name.size() + 8) return;
        OrderedReader in = reader(content(*section));
        const uint32_t name_size = in.u32(), size = in.u32(), type = in.u32();
        if (name_size != note_name.size() || type != note_type) return;
        in.skip(name_size);
        if (in.u32() != note_version) return;
        in.skip(4);
        file_.is_ours = true;
        for (uint64_t left = size < 8 ? 0 : (size - 8) / 16; left != 0 && in.remaining() >= 16; --left) {
            const CodeRange range{in.u64(), in.u64()};
            if (range.size != 0 && range.size <= UINT64_MAX - range.address)
                file_.code.contested.push_back(range);
        }
        std::ranges::sort(file_.code.contested, {}, &CodeRange::address);
    }

    /// A symbol ends where the next one begins; of those that begin at one address the last in the table
    /// stays.
    void cut_overlaps() {
        std::ranges::stable_sort(symbols(), {}, &CodeSymbol::address);
        std::vector<CodeSymbol> kept;
        for (CodeSymbol& symbol : symbols()) {
            if (!kept.empty() && kept.back().address == symbol.address) kept.pop_back();
            if (!kept.empty())
                kept.back().size = std::min(kept.back().size, symbol.address - kept.back().address);
            kept.push_back(std::move(symbol));
        }
        symbols() = std::move(kept);
    }

    void drop_contested() {
        uint64_t end = 0;
        auto at = file_.code.contested.begin();
        const auto last = file_.code.contested.end();
        std::erase_if(symbols(), [&](const CodeSymbol& symbol) {
            for (; at != last && at->address < symbol.end(); ++at)
                end = std::max(end, at->end());
            return symbol.address < end;
        });
    }

    /// The bytes of the sections, but for functions of which all are zero: OProfile writes so what it was not
    /// given.
    void take_code() {
        std::vector<const JoSection*> with_code;
        for (const JoSection& section : sections_)
            if (section.is_code() && !content(section).empty()) with_code.push_back(&section);
        std::ranges::stable_sort(with_code, {}, &JoSection::address);
        size_t left = jo_file_limit;
        for (CodeSymbol& symbol : symbols()) {
            auto at = std::ranges::upper_bound(with_code, symbol.address, {}, &JoSection::address);
            if (at == with_code.begin() || symbol.size > left) continue;
            const JoSection& section = **--at;
            const auto bytes = content(section);
            const uint64_t offset = symbol.address - section.address;
            if (offset >= bytes.size() || symbol.size > bytes.size() - offset) continue;
            const auto code = bytes.subspan(offset, symbol.size);
            if (std::ranges::all_of(code, [](std::byte byte) { return byte == std::byte{}; })) continue;
            symbol.code.assign(code.begin(), code.end());
            left -= symbol.size;
        }
    }

    void take_lines() {
        const JoSection* section = find([](const JoSection& one) { return one.name == ".debug_line"; });
        if (!section) return;
        std::vector<CodeLine> lines;
        try {
            lines = parse_line_section(content(*section), layout(), label_);
        } catch (const Error&) {
            return;
        }
        auto line = lines.begin();
        for (CodeSymbol& symbol : symbols()) {
            for (; line != lines.end() && line->address < symbol.end(); ++line)
                if (line->address >= symbol.address && line->line != 0)
                    symbol.lines.push_back(std::move(*line));
        }
    }

    std::vector<CodeSymbol>& symbols() { return file_.code.symbols; }

    std::span<const std::byte> bytes_;
    std::string_view label_;
    JoFile file_;
    uint64_t headers_at_ = 0;
    uint16_t header_size_ = 0, header_count_ = 0, names_section_ = 0;
    std::vector<JoSection> sections_;
};

}  // namespace

JoFile parse_jo(std::span<const std::byte> bytes, std::string_view label) {
    return JoReader(bytes, label).read();
}

}  // namespace op
