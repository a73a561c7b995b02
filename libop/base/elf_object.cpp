// SPDX-License-Identifier: GPL-2.0-or-later
// ELF (gABI, "Object Files") through libelf. Everything read is checked against the file's size.
#include "libop/base/elf_object.h"

#include <gelf.h>
#include <libelf.h>

#include <algorithm>
#include <cstring>

#include "libop/base/build_id.h"
#include "libop/base/elf_handle.h"
#include "libop/base/elf_object_layout.h"
#include "libop/base/error.h"

namespace op {
namespace {

/// No compiler makes longer ones; a string table without end must not cost its size for every symbol.
constexpr size_t longest_name = 1 << 16;

/// Sections and segments of notes that are searched for the build-id.
constexpr size_t note_block_limit = 64;

/// Mapping symbols and assembler labels: marks, not functions.
bool is_mark(std::string_view name) {
    if (name.starts_with(".L") || name == "gcc2_compiled.") return true;
    const bool short_mark =
        name.size() >= 2 && name[0] == '$' && std::string_view("atdx").find(name[1]) != name.npos;
    return short_mark && (name.size() == 2 || name[2] == '.');
}

/// The names used by compilers, by old linkers that compressed the section, and by -gsplit-dwarf.
bool is_debug_info(std::string_view section) {
    return section == ".debug_info" || section == ".zdebug_info" || section == ".debug_info.dwo";
}

/// Sections that are read although they are no part of the running image.
bool is_extra(std::string_view section) {
    return section == ".gnu_debuglink" || section == ".gnu_debugdata";
}

class ElfObject final : public ObjectFile {
public:
    ElfObject(std::span<const std::byte> bytes, std::string_view label) : bytes_(bytes) {
        elf_version(EV_CURRENT);
        // libelf reads only; the cast is for its signature.
        auto* image = const_cast<char*>(reinterpret_cast<const char*>(bytes.data()));
        elf_.reset(elf_memory(image, bytes.size()));
        if (!elf_ || elf_kind(elf_.get()) != ELF_K_ELF || !gelf_getehdr(elf_.get(), &head_))
            throw_input(std::string(label) + ": not an ELF file");
        read_sections();
        if (sections_.empty()) read_segments();
    }

    std::span<const Section> sections() const override { return sections_; }
    std::vector<RawSymbol> symbols(bool dynamic) const override;
    std::string build_id() const override;
    std::optional<DebugLink> debug_link() const override;
    bool has_debug_info() const override { return has_debug_info_; }

private:
    std::span<const std::byte> part(uint64_t offset, uint64_t size) const {
        if (offset > bytes_.size() || size > bytes_.size() - offset) return {};
        return bytes_.subspan(offset, size);
    }
    /// True for the other byte order: libelf translates the structures it knows, not the bytes of sections.
    bool is_foreign() const {
        return (head_.e_ident[EI_DATA] == ELFDATA2LSB) != (__BYTE_ORDER == __LITTLE_ENDIAN);
    }
    void read_sections();
    void read_segments();
    Elf_Scn* find_table(uint32_t type) const;

    std::span<const std::byte> bytes_;
    ElfHandle elf_;
    GElf_Ehdr head_{};
    std::vector<Section> sections_;  ///< allocated ones
    bool has_debug_info_ = false;
    /// By section index: the linked addresses of code, half-open, and what its symbols count from. Empty for
    /// others.
    struct Code {
        uint64_t start = 0, end = 0, base = 0;
    };
    std::vector<Code> code_;
};

void ElfObject::read_sections() {
    size_t names = 0;
    elf_getshdrstrndx(elf_.get(), &names);
    const bool is_relocatable = head_.e_type == ET_REL;
    const auto layout = is_relocatable ? relocatable_layout(elf_.get()) : std::vector<uint64_t>{};
    code_.emplace_back();
    for (Elf_Scn* scn = nullptr; (scn = elf_nextscn(elf_.get(), scn));) {
        GElf_Shdr sh;
        if (!gelf_getshdr(scn, &sh)) break;
        const char* name = elf_strptr(elf_.get(), names, sh.sh_name);
        if (name && sh.sh_type != SHT_NOBITS && is_debug_info(name)) has_debug_info_ = true;
        const bool wanted = (sh.sh_flags & SHF_ALLOC) || (name && is_extra(name));
        const bool code = (sh.sh_flags & SHF_EXECINSTR) && (sh.sh_flags & SHF_ALLOC);
        const size_t index = elf_ndxscn(scn);
        const uint64_t address = !is_relocatable ? sh.sh_addr : index < layout.size() ? layout[index] : 0;
        const uint64_t end = address + std::min(sh.sh_size, UINT64_MAX - address);
        code_.push_back(code ? Code{address, end, is_relocatable ? address : 0} : Code{});
        if (!wanted) continue;
        const bool in_file =
            sh.sh_type != SHT_NOBITS && !(is_foreign() && name && std::strcmp(name, ".eh_frame_hdr") == 0);
        sections_.push_back({name ? name : "",
                             {address},
                             sh.sh_offset,
                             sh.sh_size,
                             code,
                             in_file,
                             in_file ? part(sh.sh_offset, sh.sh_size) : std::span<const std::byte>{}});
    }
}

void ElfObject::read_segments() {
    size_t count = 0;
    if (head_.e_type == ET_REL || elf_getphdrnum(elf_.get(), &count) != 0) return;
    for (size_t i = 0; i < count; ++i) {
        GElf_Phdr ph;
        if (!gelf_getphdr(elf_.get(), static_cast<int>(i), &ph)) break;
        const bool loaded = ph.p_type == PT_LOAD && ph.p_filesz > 0;
        if (!loaded && (ph.p_type != PT_GNU_EH_FRAME || is_foreign())) continue;
        sections_.push_back({loaded ? "" : ".eh_frame_hdr",
                             {ph.p_vaddr},
                             ph.p_offset,
                             ph.p_filesz,
                             loaded && (ph.p_flags & PF_X),
                             true,
                             part(ph.p_offset, ph.p_filesz)});
    }
}

Elf_Scn* ElfObject::find_table(uint32_t type) const {
    for (Elf_Scn* scn = nullptr; (scn = elf_nextscn(elf_.get(), scn));) {
        GElf_Shdr sh;
        if (gelf_getshdr(scn, &sh) && sh.sh_type == type) return scn;
    }
    return nullptr;
}

std::vector<RawSymbol> ElfObject::symbols(bool dynamic) const {
    std::vector<RawSymbol> found;
    Elf_Scn* scn = find_table(dynamic ? SHT_DYNSYM : SHT_SYMTAB);
    GElf_Shdr sh;
    if (!scn || !gelf_getshdr(scn, &sh)) return found;
    Elf_Data* data = elf_getdata(scn, nullptr);
    Elf_Scn* names = elf_getscn(elf_.get(), sh.sh_link);
    Elf_Data* text = names ? elf_getdata(names, nullptr) : nullptr;
    if (!data || !data->d_buf || !text || !text->d_buf) return found;
    const std::string_view strings(static_cast<const char*>(text->d_buf), text->d_size);
    const size_t count = data->d_size / gelf_fsize(elf_.get(), ELF_T_SYM, 1, EV_CURRENT);
    found.reserve(count);
    for (size_t i = 1; i < count; ++i) {
        GElf_Sym sym;
        if (!gelf_getsym(data, static_cast<int>(i), &sym)) break;
        const int type = GELF_ST_TYPE(sym.st_info), bind = GELF_ST_BIND(sym.st_info);
        const bool function = type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE;
        if (!function || sym.st_shndx == SHN_UNDEF || sym.st_name >= strings.size()) continue;
        const Code code = sym.st_shndx < code_.size() ? code_[sym.st_shndx] : Code{};
        // ARM marks Thumb functions by an odd address.
        const uint64_t mark = head_.e_machine == EM_ARM && type == STT_FUNC ? 1 : 0;
        const uint64_t address = (sym.st_value & ~mark) + code.base;
        auto name = strings.substr(sym.st_name, longest_name);
        name = name.substr(0, name.find('\0'));
        if (address < code.start || address >= code.end || name.empty() || is_mark(name)) continue;
        found.push_back({{address}, sym.st_size, name, bind != STB_LOCAL, bind == STB_WEAK});
    }
    return found;
}

std::string ElfObject::build_id() const {
    size_t blocks = 0;  // of notes, looked at
    const auto id_in = [&](uint64_t offset, uint64_t size) -> std::string {
        if (++blocks > note_block_limit || offset > bytes_.size()) return {};
        const auto rest = bytes_.subspan(offset);
        return build_id_of_notes(rest.first(std::min<uint64_t>(size, rest.size())), is_foreign());
    };
    for (Elf_Scn* scn = nullptr; (scn = elf_nextscn(elf_.get(), scn));) {
        GElf_Shdr sh;
        if (!gelf_getshdr(scn, &sh) || sh.sh_type != SHT_NOTE) continue;
        if (auto id = id_in(sh.sh_offset, sh.sh_size); !id.empty()) return id;
    }
    size_t count = 0;
    elf_getphdrnum(elf_.get(), &count);
    for (size_t i = 0; i < count; ++i) {  // a file without section headers
        GElf_Phdr ph;
        if (!gelf_getphdr(elf_.get(), static_cast<int>(i), &ph)) break;
        if (ph.p_type != PT_NOTE) continue;
        if (auto id = id_in(ph.p_offset, ph.p_filesz); !id.empty()) return id;
    }
    return {};
}

// The name, zeros up to a multiple of 4, then the CRC in the file's byte order.
std::optional<DebugLink> ElfObject::debug_link() const {
    for (const Section& section : sections_) {
        if (section.name != ".gnu_debuglink" || section.bytes.size() < 8) continue;
        const auto* text = reinterpret_cast<const char*>(section.bytes.data());
        std::string name(text, ::strnlen(text, section.bytes.size() - 4));
        uint32_t crc = 0;
        std::memcpy(&crc, text + (section.bytes.size() / 4 - 1) * 4, sizeof crc);
        if (is_foreign()) crc = __builtin_bswap32(crc);
        if (name.empty() || name.find('/') != std::string::npos) return std::nullopt;
        return DebugLink{std::move(name), crc};
    }
    return std::nullopt;
}

}  // namespace

std::unique_ptr<ObjectFile> open_elf(std::span<const std::byte> bytes, std::string_view label) {
    if (bytes.empty()) throw_input(std::string(label) + ": not an ELF file");
    return std::make_unique<ElfObject>(bytes, label);
}

}  // namespace op
