// SPDX-License-Identifier: GPL-2.0-or-later
// Writing: the sections one after another, then their headers.
#include "libop/jit/jo_file.h"

#include <elf.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "libop/base/counted.h"
#include "libop/base/directory.h"
#include "libop/base/error.h"
#include "libop/base/text.h"
#include "libop/jit/jo_elf.h"
#include "libop/jit/line_program.h"

namespace op {

namespace {

using namespace jo_elf;

/// Directories that are removed again, if they are empty, unless they are kept.
class MadeDirectories {
public:
    /// Paths are relative to `top`, which must outlive the object.
    explicit MadeDirectories(const Fd& top) : top_(top) {}
    MadeDirectories(const MadeDirectories&) = delete;
    MadeDirectories& operator=(const MadeDirectories&) = delete;
    ~MadeDirectories() {
        for (; !paths_.empty(); paths_.pop_back())
            ::unlinkat(top_.get(), paths_.back().c_str(), AT_REMOVEDIR);
    }
    /// Each lies in the one before.
    void add(std::string path) { paths_.push_back(std::move(path)); }
    void keep() noexcept { paths_.clear(); }

private:
    const Fd& top_;
    std::vector<std::string> paths_;
};

/// Zeros between two functions of one section, bytes.
constexpr uint64_t widest_gap = 64;
/// Numbers from 0xff00 on have other meanings in symbols.
constexpr size_t most_text_sections = 0xfe00;

/// Functions that follow each other in one section.
struct Run {
    size_t first = 0, count = 0;  ///< symbols
    bool has_code = false;
};

bool may_join(const CodeSymbol& last, const CodeSymbol& next, bool keeps_code) {
    if (code_generation(last.address) != code_generation(next.address)) return false;
    if (!keeps_code) return true;
    return last.code.empty() == next.code.empty() && next.address - last.end() <= widest_gap;
}

std::vector<Run> runs_of(std::span<const CodeSymbol> symbols, bool keeps_code) {
    std::vector<Run> runs;
    for (size_t i = 0; i < symbols.size(); ++i) {
        if (i != 0 && may_join(symbols[i - 1], symbols[i], keeps_code))
            ++runs.back().count;
        else
            runs.push_back({i, 1, keeps_code && !symbols[i].code.empty()});
    }
    return runs;
}

/// Where so many sections would be needed that symbols cannot name them, one for a generation, without bytes.
std::vector<Run> runs_of(std::span<const CodeSymbol> symbols) {
    std::vector<Run> runs = runs_of(symbols, true);
    return runs.size() <= most_text_sections ? runs : runs_of(symbols, false);
}

class JoWriter {
public:
    JoWriter(const CodeMap& code, const JoTarget& target)
        : code_(code), target_(target), out_(target.layout) {}

    std::string write() && {
        put_header();
        add({}, {});
        const std::vector<Run> runs = runs_of(code_.symbols);
        for (size_t i = 0; i < runs.size(); ++i)
            add_text(runs[i], i);
        add({.name = std::string(note_section), .type = note, .alignment = 4}, note_bytes());
        add_symbols(runs);
        add_lines();
        return std::move(*this).finish();
    }

private:
    struct Header {
        std::string name = {};
        uint32_t type = 0;
        uint64_t flags = 0, address = 0;
        uint32_t link = 0, info = 0;
        uint64_t alignment = 0, entry_size = 0;
        uint64_t offset = 0, size = 0;
    };

    void put_header() {
        const NumberLayout& layout = target_.layout;
        out_.put_bytes(magic);
        for (const unsigned byte :
             {layout.is_64bit ? class_64 : class_32, layout.is_big_endian ? big_endian : little_endian, 1u})
            out_.put_u8(byte);
        out_.put_bytes(std::string(9, '\0'));
        out_.put_u16(type_executable);
        out_.put_u16(target_.elf_machine);
        out_.put(uint32_t{1});
        out_.put_address(0);  // no entry
        out_.put_address(0);  // no segments
        headers_at_ = out_.size();
        out_.put_address(0);
        out_.put(uint32_t{0});
        for (const unsigned value :
             {layout.is_64bit ? 64u : 52u, 0u, 0u, layout.is_64bit ? 64u : 40u, 0u, 0u})
            out_.put_u16(value);
    }
    void add(Header header, std::string_view bytes) {
        if (header.alignment > 1) out_.align(header.alignment);
        header.offset = header.type == 0 ? 0 : out_.size();
        if (header.type != nobits) header.size = bytes.size();
        out_.put_bytes(bytes);
        headers_.push_back(std::move(header));
    }
    void add_text(const Run& run, size_t number) {
        const std::span symbols = std::span(code_.symbols).subspan(run.first, run.count);
        const uint64_t start = symbols.front().address;
        std::string bytes;
        for (const CodeSymbol& symbol : symbols) {
            if (!run.has_code) break;
            bytes.resize(symbol.address - start);
            bytes.append(reinterpret_cast<const char*>(symbol.code.data()), symbol.code.size());
        }
        add({.name = ".text." + std::to_string(number),
             .type = run.has_code ? progbits : nobits,
             .flags = flag_alloc | flag_execinstr,
             .address = start,
             .alignment = 1,
             .size = symbols.back().end() - start},
            bytes);
    }
    std::string note_bytes() const {
        OrderedWriter note(target_.layout);
        note.put(static_cast<uint32_t>(note_name.size()));
        note.put(static_cast<uint32_t>(8 + 16 * code_.contested.size()));
        note.put(note_type);
        note.put_bytes(note_name);
        note.put(note_version);
        note.put(uint32_t{0});
        for (const CodeRange& range : code_.contested) {
            note.put(range.address);
            note.put(range.size);
        }
        return std::move(note).take();
    }
    void add_symbols(std::span<const Run> runs) {
        OrderedWriter table(target_.layout);
        std::string names(1, '\0');
        put_symbol(table, 0, {}, 0, 0);
        for (size_t i = 0; i < runs.size(); ++i) {
            const std::span symbols = std::span(code_.symbols).subspan(runs[i].first, runs[i].count);
            for (const CodeSymbol& symbol : symbols) {
                put_symbol(table, names.size(), symbol, symbol.address - symbols.front().address, i + 1);
                names.append(symbol.name.substr(0, std::min(longest_code_name, symbol.name.find('\0'))));
                names.push_back('\0');
            }
        }
        const bool is_64bit = target_.layout.is_64bit;
        add({.name = ".symtab",
             .type = symtab,
             .link = static_cast<uint32_t>(headers_.size() + 1),
             .info = 1,
             .alignment = 8,
             .entry_size = is_64bit ? 24u : 16u},
            table.bytes());
        add({.name = ".strtab", .type = strtab, .alignment = 1}, names);
    }
    /// `name` is its place in .strtab, `value` counts from the start of the section.
    void put_symbol(OrderedWriter& table, size_t name, const CodeSymbol& symbol, uint64_t value,
                    size_t section) const {
        const bool is_64bit = target_.layout.is_64bit;
        table.put(static_cast<uint32_t>(name));
        if (!is_64bit) {
            table.put_address(value);
            table.put_address(symbol.size);
        }
        table.put_u8(section == 0 ? 0 : global_function);
        table.put_u8(0);
        table.put_u16(static_cast<unsigned>(section));
        if (is_64bit) {
            table.put_address(value);
            table.put_address(symbol.size);
        }
    }
    void add_lines() {
        const LineSections lines = make_line_sections(code_.symbols, target_.layout);
        if (lines.debug_line.empty()) return;
        add({.name = ".debug_abbrev", .type = progbits, .alignment = 1}, lines.debug_abbrev);
        add({.name = ".debug_info", .type = progbits, .alignment = 1}, lines.debug_info);
        add({.name = ".debug_line", .type = progbits, .alignment = 1}, lines.debug_line);
    }
    std::string finish() && {
        std::string names;
        std::vector<size_t> name_at;
        headers_.push_back({.name = ".shstrtab", .type = strtab, .alignment = 1});
        for (const Header& header : headers_) {
            name_at.push_back(names.size());
            names.append(header.name).push_back('\0');
        }
        headers_.back().offset = out_.size();
        headers_.back().size = names.size();
        out_.put_bytes(names);
        out_.align(8);
        patch_header();
        for (size_t i = 0; i < headers_.size(); ++i)
            put_section_header(headers_[i], name_at[i]);
        return std::move(out_).take();
    }
    void patch_header() {
        const bool is_64bit = target_.layout.is_64bit;
        if (is_64bit)
            out_.patch(headers_at_, uint64_t{out_.size()});
        else
            out_.patch(headers_at_, static_cast<uint32_t>(out_.size()));
        const size_t counts_at = headers_at_ + target_.layout.address_size() + 4 + 8;
        out_.patch(counts_at, static_cast<uint16_t>(headers_.size()));
        out_.patch(counts_at + 2, static_cast<uint16_t>(headers_.size() - 1));
    }
    void put_section_header(const Header& header, size_t name) {
        out_.put(static_cast<uint32_t>(name));
        out_.put(header.type);
        for (const uint64_t value : {header.flags, header.address, header.offset, header.size})
            out_.put_address(value);
        out_.put(header.link);
        out_.put(header.info);
        out_.put_address(header.alignment);
        out_.put_address(header.entry_size);
    }

    const CodeMap& code_;
    const JoTarget& target_;
    OrderedWriter out_;
    std::vector<Header> headers_;
    size_t headers_at_ = 0;
};

/// What the symbols take in a file at most, bytes: without, and with their lines and code.
struct Room {
    uint64_t names = 0, lines = 0, code = 0;
};

Room room_for(const CodeSymbol& symbol) {
    constexpr uint64_t section_and_symbol = 64 + 16 + 24, row = 32;
    Room room{section_and_symbol + std::min(symbol.name.size(), longest_code_name) + 1, 0, 0};
    for (const CodeLine& line : symbol.lines)
        room.lines += row + std::min(line.file.size(), longest_code_file);
    if (!symbol.code.empty()) room.code = symbol.size + widest_gap;
    return room;
}

Room room_for(std::span<const CodeSymbol> symbols) {
    Room sum{1 << 16, 0, 0};
    for (const CodeSymbol& symbol : symbols) {
        const Room room = room_for(symbol);
        sum = {sum.names + room.names, sum.lines + room.lines, sum.code + room.code};
    }
    return sum;
}

/// Takes symbols off the end; returns how many.
size_t drop_symbols(CodeMap& code, uint64_t room, size_t limit) {
    const size_t before = code.symbols.size();
    if (before > most_jo_symbols) code.symbols.resize(most_jo_symbols);
    while (!code.symbols.empty() && room > limit) {
        room -= room_for(code.symbols.back()).names;
        code.symbols.pop_back();
    }
    return before - code.symbols.size();
}

}  // namespace

JoTarget host_jo_target() noexcept {
#if defined __x86_64__
    return {EM_X86_64, {}};
#elif defined __i386__
    return {EM_386, {}};
#elif defined __aarch64__
    return {EM_AARCH64, {}};
#elif defined __arm__
    return {EM_ARM, {}};
#elif defined __powerpc__
    return {EM_PPC64, {}};
#elif defined __s390__
    return {EM_S390, {}};
#elif defined __riscv
    return {EM_RISCV, {}};
#else
    return {EM_NONE, {}};
#endif
}

std::string fit_for_jo(CodeMap& code, size_t limit) {
    constexpr size_t most_contested = 1 << 16;
    std::vector<std::string> left_out;
    const Room room = room_for(code.symbols);
    if (room.names + room.lines + room.code > limit && room.code != 0) {
        for (CodeSymbol& symbol : code.symbols)
            symbol.code.clear();
        left_out.emplace_back("bytes of code");
    }
    if (room.names + room.lines > limit && room.lines != 0) {
        for (CodeSymbol& symbol : code.symbols)
            symbol.lines.clear();
        left_out.emplace_back("lines");
    }
    if (const size_t dropped = drop_symbols(code, room.names, limit); dropped != 0)
        left_out.push_back(counted(dropped, "symbol"));
    if (code.contested.size() > most_contested) code.contested.resize(most_contested);
    return joined(left_out);
}

std::string make_jo(const CodeMap& code, const JoTarget& target) {
    const bool fits = code.symbols.size() <= most_jo_symbols;
    if (!fits || !is_sound(code.symbols))
        throw Error(ErrorKind::internal, "the symbols of run-time code are not sound");
    return JoWriter(code, target).write();
}

std::string jo_path(const ImageName& application, uint32_t tgid) {
    return mangle_image(application) + "/{dep}/{anon:anon}/" + std::to_string(tgid) + ".jo";
}

std::optional<uint32_t> parse_jo_path(std::string_view path) {
    const std::vector<std::string_view> parts = split(path, '/');
    const size_t count = parts.size();
    if (count < 4 || parts[count - 3] != "{dep}" || !parts[count - 2].starts_with("{anon:"))
        return std::nullopt;
    std::string_view name = parts.back();
    if (!name.ends_with(".jo")) return std::nullopt;
    const auto tgid = parse_number(name.substr(0, name.size() - 3));
    if (!tgid || *tgid > UINT32_MAX) return std::nullopt;
    return static_cast<uint32_t>(*tgid);
}

std::optional<JoFile> read_jo(const Fd& session, const std::string& label, const std::string& path) {
    const std::string name = printable(label + "/" + path);
    const auto bytes = read_file_below(session, path, name, jo_file_limit);
    if (!bytes) return std::nullopt;
    return parse_jo(as_bytes(*bytes), name);
}

void write_jo(const Fd& session, const std::string& label, const std::string& path, std::string_view bytes,
              const AccessPolicy& policy) {
    MadeDirectories made(session);
    Fd owner;
    const Fd* dir = &session;
    size_t begin = 0;
    for (size_t end; (end = path.find('/', begin)) != path.npos; begin = end + 1) {
        const std::string name = path.substr(begin, end - begin), to = path.substr(0, end);
        if (!open_at(*dir, name.c_str(), O_PATH)) made.add(to);
        owner = open_directory_at(*dir, name, label + "/" + to, true, policy);
        dir = &owner;
    }
    replace_file_at(*dir, path.substr(begin), printable(label + "/" + path), bytes, policy.first_file_mode(),
                    [&](const Fd& file) { policy.finish(file); });
    made.keep();
}

}  // namespace op
