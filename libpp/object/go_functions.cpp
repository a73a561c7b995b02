// SPDX-License-Identifier: GPL-2.0-or-later
// Go's table of functions: a header, then pairs of a function's start and the place of its description, which
// has the place of its name. Lines and inlined functions of the table are not read.
#include "libpp/object/go_functions.h"

#include <elf.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "libop/base/bytes.h"
#include "libpp/object/section_finder.h"

namespace op::pp {
namespace {

/// Bounds for hostile tables; large programs have two hundred thousand functions.
constexpr uint64_t most_functions = 1 << 22;
constexpr size_t longest_name = 4096;

/// The header's first word.
constexpr uint32_t magic_1_2 = 0xfffffffb, magic_1_16 = 0xfffffffa;
constexpr uint32_t magic_1_18 = 0xfffffff0, magic_1_20 = 0xfffffff1;

/// The layout of a table. Places are distances from the section's first byte.
struct Layout {
    uint64_t functions = 0;        ///< how many
    uint64_t names = 0;            ///< what the places of names count from
    uint64_t table = 0;            ///< place of the pairs
    uint64_t descriptions = 0;     ///< what the places of descriptions count from
    std::optional<uint64_t> text;  ///< what starts count from; none: they are addresses
    uint64_t text_field = 0;       ///< place of the header's field for `text`
    size_t word = 4;               ///< bytes of a start in pairs and descriptions
};

uint64_t get_word(ByteReader& in, size_t size) {
    return size == 8 ? in.get<uint64_t>() : in.get<uint32_t>();
}

/// From the header. Nothing if it is not one.
std::optional<Layout> read_layout(std::span<const std::byte> bytes) {
    ByteReader in(bytes, ".gopclntab");
    const auto magic = in.get<uint32_t>();
    const auto zeros = in.get<uint16_t>();
    const auto quantum = in.get<uint8_t>(), pointer = in.get<uint8_t>();
    const bool is_known =
        magic == magic_1_2 || magic == magic_1_16 || magic == magic_1_18 || magic == magic_1_20;
    if (!is_known || zeros != 0 || (quantum != 1 && quantum != 2 && quantum != 4)) return std::nullopt;
    if (pointer != 4 && pointer != 8) return std::nullopt;
    Layout layout;
    layout.functions = get_word(in, pointer);
    if (magic == magic_1_2) {
        layout.table = in.position();
        layout.word = pointer;
        return layout;
    }
    get_word(in, pointer);  // source files
    layout.text_field = in.position();
    if (magic == magic_1_16)
        layout.word = pointer;
    else
        layout.text = get_word(in, pointer);
    layout.names = get_word(in, pointer);
    for (int other = 0; other < 3; ++other)  // compilation units, source files, lines
        get_word(in, pointer);
    layout.descriptions = layout.table = get_word(in, pointer);
    return layout;
}

/// What the dynamic linker adds a program's place in memory to and stores at an address; 0 if nothing is
/// known.
uint64_t relocated(std::span<const Section> sections, LinkAddress address) {
    const Section* const table = find_section(sections, ".rela.dyn");
    if (!table) return 0;
    ByteReader in(table->bytes, ".rela.dyn");
    while (in.remaining() >= sizeof(Elf64_Rela)) {
        const auto entry = in.get<Elf64_Rela>();
        if (entry.r_offset == address.value() && ELF64_R_SYM(entry.r_info) == 0)
            return static_cast<uint64_t>(entry.r_addend);
    }
    return 0;
}

/// The address that starts count from. Left to the dynamic linker in some position-independent programs, and
/// not stored at all by the newest releases: then it is where .text starts, unless C code was linked in
/// (.init).
std::optional<LinkAddress> text_start(std::span<const Section> sections, const Section& table,
                                      const Layout& layout) {
    if (!layout.text) return LinkAddress{0};
    if (*layout.text != 0) return LinkAddress{*layout.text};
    const uint64_t stored = relocated(sections, table.address + layout.text_field);
    if (stored != 0) return LinkAddress{stored};
    const Section* const text = find_section(sections, ".text");
    if (!text || find_section(sections, ".init")) return std::nullopt;
    return text->address;
}

/// Reads the functions of one table.
class Table {
public:
    Table(std::span<const std::byte> bytes, const Layout& layout, LinkAddress text)
        : bytes_(bytes), layout_(layout), text_(text), pairs_(bytes, ".gopclntab") {
        pairs_.seek(std::min<uint64_t>(layout.table, bytes.size()));
    }

    std::vector<RawSymbol> read() {
        std::vector<RawSymbol> found;
        if (layout_.functions > std::min(most_functions, pairs_.remaining() / (2 * layout_.word)))
            return found;
        found.reserve(layout_.functions + 1);
        for (uint64_t i = 0; i < layout_.functions; ++i) {
            const uint64_t start = get_word(pairs_, layout_.word);
            found.push_back({text_ + start, 0, name_of(get_word(pairs_, layout_.word)), true, false});
            if (i > 0) end_at(found[i - 1], found[i].address);
        }
        if (found.empty() || pairs_.remaining() < layout_.word) return found;
        const LinkAddress end = text_ + get_word(pairs_, layout_.word);
        end_at(found.back(), end);
        found.push_back({end, 0, {}, false, false});
        return found;
    }

private:
    static void end_at(RawSymbol& function, LinkAddress end) {
        if (end >= function.address) function.size = end - function.address;
    }
    /// By the place of the description, which begins with the start again.
    std::string_view name_of(uint64_t description) const {
        const uint64_t at = description + layout_.descriptions + layout_.word;
        if (description > bytes_.size() || layout_.descriptions > bytes_.size() || at > bytes_.size())
            return {};
        ByteReader in(bytes_.subspan(at), ".gopclntab");
        if (in.remaining() < sizeof(int32_t)) return {};
        const auto name = in.get<uint32_t>();
        if (layout_.names > bytes_.size() || name > bytes_.size() - layout_.names) return {};
        const auto rest = bytes_.subspan(layout_.names + name);
        const std::string_view text(reinterpret_cast<const char*>(rest.data()),
                                    std::min(rest.size(), longest_name));
        return text.substr(0, text.find('\0'));
    }

    std::span<const std::byte> bytes_;
    const Layout& layout_;
    LinkAddress text_;
    ByteReader pairs_;
};

/// The functions of the table at the beginning of `table`. Empty if they do not lie in code.
std::vector<RawSymbol> read_table(std::span<const Section> sections, const Section& table) {
    constexpr size_t longest_header = 8 + 8 * 8;
    if (table.bytes.size() < longest_header) return {};
    const auto layout = read_layout(table.bytes);
    const auto text = layout ? text_start(sections, table, *layout) : std::nullopt;
    if (!text) return {};
    auto functions = Table(table.bytes, *layout, *text).read();
    if (functions.empty() || !SectionFinder(sections).find(functions.front().address)) return {};
    return functions;
}

/// What of a section begins like a table of Go 1.18 or later; empty if nothing does.
Section from_table(Section section) {
    constexpr size_t alignment = 8;
    ByteReader in(section.bytes, section.name);
    while (in.remaining() >= alignment) {
        const auto magic = in.get<uint32_t>();
        const bool is_header = (magic == magic_1_18 || magic == magic_1_20) && in.get<uint16_t>() == 0;
        in.seek((in.position() + alignment - 1) / alignment * alignment);
        if (!is_header) continue;
        const size_t at = in.position() - alignment;
        section.address = section.address + at;
        section.bytes = section.bytes.subspan(at);
        return section;
    }
    section.bytes = {};
    return section;
}

}  // namespace

std::vector<RawSymbol> go_functions(std::span<const Section> sections) {
    for (const char* name : {".gopclntab", ".data.rel.ro.gopclntab"})
        if (const Section* const section = find_section(sections, name))
            return read_table(sections, *section);
    // Linkers for C join it with other data.
    const Section* const joined = find_section(sections, ".data.rel.ro");
    if (!joined || !find_section(sections, ".go.buildinfo")) return {};
    return read_table(sections, from_table(*joined));
}

}  // namespace op::pp
