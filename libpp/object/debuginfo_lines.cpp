// SPDX-License-Identifier: GPL-2.0-or-later
// Lines and functions by compilation unit.
#include "libpp/object/debuginfo_lines.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <gelf.h>

#include <algorithm>
#include <string>
#include <unordered_map>

#include "libop/base/elf_object_layout.h"
#include "libop/base/text.h"
#include "libpp/object/debuginfo_alt.h"
#include "libpp/object/debuginfo_elf.h"
#include "libpp/object/debuginfo_inlines.h"
#include "libpp/object/debuginfo_relocated.h"
#include "libpp/object/debuginfo_split.h"
#include "libpp/object/dwarf_handle.h"
#include "libpp/object/range_map.h"

namespace op::pp {
namespace {

/// The addresses of a file's code. Debug information of functions that the linker dropped lies elsewhere,
/// mostly at 0.
class CodeSections {
public:
    /// For a relocatable file `layout` has the addresses by section index; otherwise it is empty.
    CodeSections(Elf* elf, std::span<const uint64_t> layout) {
        std::vector<RangeMap::Range> sections;
        for (Elf_Scn* scn = nullptr; (scn = elf_nextscn(elf, scn));) {
            GElf_Shdr sh;
            if (!gelf_getshdr(scn, &sh)) break;
            const size_t index = elf_ndxscn(scn);
            if (!(sh.sh_flags & SHF_ALLOC) || !(sh.sh_flags & SHF_EXECINSTR)) continue;
            const uint64_t start = index < layout.size() ? layout[index] : sh.sh_addr;
            sections.push_back({start, start + std::min(sh.sh_size, UINT64_MAX - start), 0});
        }
        is_known_ = !sections.empty();
        sections_ = RangeMap(std::move(sections));
    }
    /// True for all addresses if the file has no section headers.
    bool holds(uint64_t address) const { return !is_known_ || sections_.find(address).has_value(); }

private:
    bool is_known_ = false;
    RangeMap sections_;
};

/// True if the last call of libelf or libdw that failed did so for want of memory; they return what they
/// have.
bool ran_out_of_memory() {
    const auto is_memory = [](const char* text) {
        return text && std::string_view(text).find("memory") != std::string_view::npos;
    };
    const int of_dwarf = dwarf_errno(), of_elf = elf_errno();
    return (of_dwarf != 0 && is_memory(dwarf_errmsg(of_dwarf))) ||
           (of_elf != 0 && is_memory(elf_errmsg(of_elf)));
}

}  // namespace

struct LineTable::Impl {
    /// A compilation unit; opened on first use.
    struct Unit {
        Dwarf_Off offset;
        bool is_open = false, has_functions = false;
        Dwarf_Die die{};
        Dwarf_Files* files = nullptr;
        std::optional<SplitUnit> split = {};
        InlineTable functions = {};
    };

    DebugPlaces places = {};
    std::optional<DebugElf> elf = {};
    std::optional<SharedDebugInfo> shared = {};  ///< outlives what uses it
    DwarfHandle linked = {};
    std::optional<RelocatedDebugInfo> relocated = {};
    Dwarf* dwarf = nullptr;                      ///< one of both
    std::optional<SplitUnits> split_units = {};  ///< opened on first use
    std::optional<CodeSections> code = {};
    /// The number of ranges that may still be read, of units and of functions: at most as many as a file of
    /// this size can hold.
    size_t unit_ranges = 0, function_ranges = 0;
    std::vector<Unit> units = {};
    /// By name as libdw has it; each unit's files are strings of its own there.
    std::unordered_map<const char*, std::string> whole_paths = {};
    RangeMap by_address = {};  ///< to an index into units, counted from the last
    bool lacked_memory = false;

    void note_lack_of_memory();
    void open_dwarf();
    void read_units();
    void add_ranges(Dwarf_Die& unit, std::vector<RangeMap::Range>& ranges);
    Unit* unit_at(uint64_t address);
    SourceLine line_in(Unit& unit, uint64_t address);
    std::string_view file_name(Unit& unit, uint32_t index);
    std::string_view file_name(Dwarf_CU* cu, uint32_t index);
    std::string_view whole_path(Dwarf_Die& unit, const char* name);
    InlineTable& functions_of(Unit& unit);
    InlineTable read_functions(Unit& unit);
};

void LineTable::Impl::open_dwarf() {
    GElf_Ehdr head;
    if (!gelf_getehdr(elf->get(), &head)) return;
    if (head.e_type == ET_REL) {
        dwarf = relocated.emplace(elf->bytes()).dwarf();
        code.emplace(elf->get(), relocatable_layout(elf->get()));
    } else {
        linked.reset(dwarf_begin_elf(elf->get(), DWARF_C_READ, nullptr));
        dwarf = linked.get();
        code.emplace(elf->get(), std::span<const uint64_t>{});
    }
}

/// To be called where something is missing that may have been there; adds one note for the file.
void LineTable::Impl::note_lack_of_memory() {
    if (lacked_memory || !ran_out_of_memory()) return;
    lacked_memory = true;
    if (places.notes)
        places.notes->warn("memory ran out while the debug information in " + printable(places.path) +
                           " was read: a part of it is missing");
}

void LineTable::Impl::add_ranges(Dwarf_Die& unit, std::vector<RangeMap::Range>& ranges) {
    // The first of overlapping units is found.
    const auto number = UINT32_MAX - static_cast<uint32_t>(units.size());
    Dwarf_Addr base, start, end;
    for (ptrdiff_t at = 0; unit_ranges > 0 && (at = dwarf_ranges(&unit, at, &base, &start, &end)) > 0;
         --unit_ranges)
        if (start < end && code->holds(start)) ranges.push_back({start, end, number});
}

void LineTable::Impl::read_units() {
    std::vector<RangeMap::Range> ranges;
    Dwarf_Off at = 0, next = 0;
    size_t head = 0;
    while (dwarf_nextcu(dwarf, at, &next, &head, nullptr, nullptr, nullptr) == 0) {
        Dwarf_Die unit;
        const size_t before = ranges.size();
        if (dwarf_offdie(dwarf, at + head, &unit)) add_ranges(unit, ranges);
        if (ranges.size() > before) units.push_back({at + head});
        if (next <= at) break;
        at = next;
    }
    by_address = RangeMap(std::move(ranges));
}

LineTable::Impl::Unit* LineTable::Impl::unit_at(uint64_t address) {
    const auto number = by_address.find(address);
    if (!number) return nullptr;
    Unit& unit = units[UINT32_MAX - *number];
    if (!unit.is_open) {
        if (!dwarf_offdie(dwarf, unit.offset, &unit.die)) return nullptr;
        unit.is_open = true;
    }
    return &unit;
}

/// Relative names count from the directory that the unit was compiled in. libdw has joined that already where
/// it is relative itself (as -ffile-prefix-map makes it).
std::string_view LineTable::Impl::whole_path(Dwarf_Die& unit, const char* name) {
    if (*name == '/' || *name == '\0') return name;
    const auto [at, is_new] = whole_paths.try_emplace(name);
    Dwarf_Attribute found;
    const char* const directory =
        is_new && dwarf_attr(&unit, DW_AT_comp_dir, &found) ? dwarf_formstring(&found) : nullptr;
    const bool is_joined = directory && std::string_view(name).starts_with(std::string(directory) + "/");
    if (is_new) at->second = directory && !is_joined ? std::string(directory) + "/" + name : name;
    return at->second;
}

SourceLine LineTable::Impl::line_in(Unit& unit, uint64_t address) {
    Dwarf_Line* const line = dwarf_getsrc_die(&unit.die, address);
    int number = 0;
    const char* const file = line ? dwarf_linesrc(line, nullptr, nullptr) : nullptr;
    if (!file) note_lack_of_memory();
    if (!file || dwarf_lineno(line, &number) != 0) return {};
    return {whole_path(unit.die, file), static_cast<uint32_t>(std::max(number, 0))};
}

std::string_view LineTable::Impl::file_name(Unit& unit, uint32_t index) {
    size_t count = 0;
    if (!unit.files && dwarf_getsrcfiles(&unit.die, &unit.files, &count) != 0) unit.files = nullptr;
    const char* const name = unit.files ? dwarf_filesrc(unit.files, index, nullptr, nullptr) : nullptr;
    return name ? whole_path(unit.die, name) : "";
}

/// Of a unit that holds no code, as that of functions which several units share. Before DWARF 5 files count
/// from 1.
std::string_view LineTable::Impl::file_name(Dwarf_CU* cu, uint32_t index) {
    Dwarf_Die unit;
    Dwarf_Half version = 0;
    Dwarf_Files* files = nullptr;
    size_t count = 0;
    if (!dwarf_cu_die(cu, &unit, &version, nullptr, nullptr, nullptr, nullptr, nullptr) ||
        (index == 0 && version < 5) || dwarf_getsrcfiles(&unit, &files, &count) != 0)
        return "";
    const char* const name = dwarf_filesrc(files, index, nullptr, nullptr);
    return name ? whole_path(unit, name) : "";
}

InlineTable& LineTable::Impl::functions_of(Unit& unit) {
    if (unit.has_functions) return unit.functions;
    unit.functions = read_functions(unit);
    unit.has_functions = true;
    note_lack_of_memory();
    return unit.functions;
}

InlineTable LineTable::Impl::read_functions(Unit& unit) {
    const auto is_code = [this](uint64_t start) { return code->holds(start); };
    if (!SplitUnits::is_skeleton(unit.die)) return {unit.die, 0, is_code, function_ranges};
    if (!split_units) split_units.emplace(dwarf, places);
    unit.split = split_units->find(unit.die);
    const auto die = unit.split ? unit.split->die() : std::nullopt;
    if (!die) return {};
    Dwarf_Addr base = 0;
    if (dwarf_lowpc(&unit.die, &base) != 0) base = 0;
    return {*die, base, is_code, function_ranges};
}

LineTable::LineTable(std::span<const std::byte> bytes, DebugPlaces places) : impl_(std::make_unique<Impl>()) {
    impl_->places = std::move(places);
    const DebugElf& elf = impl_->elf.emplace(bytes);
    if (!elf.fault().empty() && impl_->places.notes)
        impl_->places.notes->warn("the debug information in " + printable(impl_->places.path) +
                                  " is not read: " + elf.fault());
    if (!elf.get() || !elf.fault().empty()) return;
    impl_->open_dwarf();
    impl_->unit_ranges = impl_->function_ranges = std::min<size_t>(bytes.size(), UINT32_MAX);
    impl_->note_lack_of_memory();
    if (!impl_->dwarf) return;
    impl_->shared.emplace(impl_->dwarf, impl_->places);
    if (impl_->shared->is_complete()) impl_->read_units();
    impl_->note_lack_of_memory();
}

LineTable::~LineTable() = default;

bool LineTable::has_lines() const noexcept {
    return !impl_->by_address.empty();
}

std::optional<SourceLine> LineTable::find(LinkAddress address) {
    Impl::Unit* const unit = impl_->unit_at(address.value());
    if (!unit) return std::nullopt;
    const SourceLine line = impl_->line_in(*unit, address.value());
    if (line.file.empty()) return std::nullopt;
    return line;
}

std::optional<SourceLine> LineTable::declaration(LinkAddress address, std::string_view function) {
    Impl::Unit* const unit = impl_->unit_at(address.value());
    if (!unit) return std::nullopt;
    const auto found = impl_->functions_of(*unit).declaration(address.value(), function);
    if (!found) return std::nullopt;
    const bool is_split = unit->split.has_value();  // then the skeleton has the files
    const std::string_view file =
        is_split ? impl_->file_name(*unit, found->file) : impl_->file_name(found->unit, found->file);
    if (file.empty()) return std::nullopt;
    return SourceLine{file, found->line};
}

std::vector<InlineFrame> LineTable::frames(LinkAddress address) {
    Impl::Unit* const unit = impl_->unit_at(address.value());
    if (!unit) return {};
    SourceLine place = impl_->line_in(*unit, address.value());
    const auto functions = impl_->functions_of(*unit).find(address.value());
    if (functions.empty()) return {{{}, place.file, place.line}};
    std::vector<InlineFrame> frames;
    frames.reserve(functions.size());
    for (const FunctionScope& function : functions) {
        frames.push_back({function.name, place.file, place.line});
        place = {impl_->file_name(*unit, function.call_file), function.call_line};
    }
    return frames;
}

std::vector<std::string_view> LineTable::inlined_functions(LinkAddress address, size_t most) {
    Impl::Unit* const unit = impl_->unit_at(address.value());
    if (!unit) return {};
    return impl_->functions_of(*unit).inlined(address.value(), most);
}

}  // namespace op::pp
