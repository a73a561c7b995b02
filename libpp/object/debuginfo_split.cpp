// SPDX-License-Identifier: GPL-2.0-or-later
// Split units. libdw finds .dwo files too, but it opens any file of that name, and no .dwp file. So the parts
// of a unit are put together here, as if it had never been split.
#include "libpp/object/debuginfo_split.h"

#include <dwarf.h>
#include <elf.h>
#include <gelf.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <set>

#include "libop/base/bytes.h"
#include "libop/base/elf_handle.h"
#include "libop/base/error.h"
#include "libop/base/fd.h"
#include "libop/base/text.h"
#include "libpp/object/debuginfo_elf.h"
#include "libpp/object/debuginfo_section.h"
#include "libpp/object/dwarf_handle.h"
#include "libpp/object/elf_image_builder.h"

namespace op::pp {

namespace {

using Bytes = std::span<const std::byte>;

ElfHandle open_elf_image(Bytes bytes) {
    elf_version(EV_CURRENT);
    auto* const image = const_cast<char*>(reinterpret_cast<const char*>(bytes.data()));
    return ElfHandle(elf_memory(image, bytes.size()));
}

bool is_native(Elf* elf) {
    const char* const ident = elf_getident(elf, nullptr);
    return ident && (ident[EI_DATA] == ELFDATA2LSB) == (__BYTE_ORDER == __LITTLE_ENDIAN);
}

Bytes part(Bytes bytes, uint64_t offset, uint64_t size = UINT64_MAX) {
    if (offset > bytes.size()) return {};
    return bytes.subspan(offset, std::min<uint64_t>(size, bytes.size() - offset));
}

std::string as_string(Bytes bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

template <class T>
void append(std::string& bytes, const T& value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

/// The parts of a .dwo or .dwp file that belong to one unit.
struct SplitParts {
    Bytes info, abbrev, str_offsets, strings, rnglists;
};

/// The strings that a unit refers to, and its table of their offsets: of a package, which has those of all.
struct Strings {
    std::string offsets, text;
};

/// `version` 5 has a header before the offsets. Offsets are 4 bytes wide, as current compilers write them.
Strings own_strings(const SplitParts& parts, unsigned version) {
    constexpr size_t header_size = 8;  // length, version, padding
    Strings own;
    const size_t header = version >= 5 ? header_size : 0;
    own.offsets = as_string(part(parts.str_offsets, 0, header));
    ByteReader offsets(part(parts.str_offsets, header), ".debug_str_offsets.dwo");
    std::map<uint32_t, uint32_t> places;
    while (offsets.remaining() >= sizeof(uint32_t)) {
        const auto offset = offsets.get<uint32_t>();
        const auto [at, is_new] = places.try_emplace(offset, static_cast<uint32_t>(own.text.size()));
        if (is_new && own.text.size() <= parts.strings.size()) {  // else they overlap: damaged
            const Bytes rest = part(parts.strings, offset);
            const std::string_view text(reinterpret_cast<const char*>(rest.data()), rest.size());
            own.text += text.substr(0, text.find('\0'));
            own.text += '\0';
        }
        append(own.offsets, at->second);
    }
    return own;
}

std::optional<uint64_t> number(Dwarf_Die& die, std::initializer_list<unsigned> attributes) {
    for (const unsigned attribute : attributes) {
        Dwarf_Attribute found;
        Dwarf_Word value;
        if (dwarf_attr(&die, attribute, &found) && dwarf_formudata(&found, &value) == 0) return value;
    }
    return std::nullopt;
}

std::string text(Dwarf_Die& die, std::initializer_list<unsigned> attributes) {
    for (const unsigned attribute : attributes) {
        Dwarf_Attribute found;
        const char* const value = dwarf_attr(&die, attribute, &found) ? dwarf_formstring(&found) : nullptr;
        if (value) return value;
    }
    return "";
}

/// A file of split units. Throws an input error if it cannot be read.
struct SplitFile {
    explicit SplitFile(const std::string& path) : file(path), elf(file.bytes()) {
        if (!elf.get() || !is_native(elf.get()))
            throw_input(path + ": not an ELF file of this machine's byte order");
        if (!elf.fault().empty()) throw_input(path + ": " + elf.fault());
    }
    SplitParts whole() const {
        const auto get = [&](const char* name) { return section_content(elf.get(), name); };
        return {get(".debug_info.dwo"), get(".debug_abbrev.dwo"), get(".debug_str_offsets.dwo"),
                get(".debug_str.dwo"), get(".debug_rnglists.dwo")};
    }

    MappedFile file;
    DebugElf elf;
};

/// A .dwp file with its index (.debug_cu_index).
class Package {
public:
    explicit Package(const std::string& path) : file_(path), parts_(file_.whole()) {
        read_index(section_content(file_.elf.get(), ".debug_cu_index"));
    }

    std::optional<SplitParts> find(uint64_t id) const {
        const auto row = rows_.find(id);
        if (row == rows_.end()) return std::nullopt;
        SplitParts found{{}, {}, {}, parts_.strings, {}};
        for (const Contribution& one : row->second) {
            if (one.section == DW_SECT_INFO) found.info = part(parts_.info, one.offset, one.size);
            if (one.section == DW_SECT_ABBREV) found.abbrev = part(parts_.abbrev, one.offset, one.size);
            if (one.section == DW_SECT_STR_OFFSETS)
                found.str_offsets = part(parts_.str_offsets, one.offset, one.size);
            if (one.section == DW_SECT_RNGLISTS && version_ >= 5)
                found.rnglists = part(parts_.rnglists, one.offset, one.size);
        }
        return found;
    }

private:
    struct Contribution {
        uint32_t section, offset, size;
    };

    void read_index(Bytes bytes) {
        if (bytes.empty()) return;
        ByteReader index(bytes, ".debug_cu_index");
        version_ = index.get<uint16_t>();
        index.skip(sizeof(uint16_t));
        const size_t columns = index.get<uint32_t>(), units = index.get<uint32_t>(),
                     slots = index.get<uint32_t>();
        // Bounds the products below; what does not fit the bytes is an error of the reader's.
        constexpr size_t most_columns = 16;  // kinds of sections: there are eight (DWARF 5, 7.3.5.3)
        if (columns > most_columns || units > bytes.size() || slots > bytes.size()) return;
        ByteReader ids(index.take(slots * sizeof(uint64_t)), "ids of units");
        ByteReader rows(index.take(slots * sizeof(uint32_t)), "rows of units");
        const auto sections = index.take(columns * sizeof(uint32_t));
        const auto offsets = index.take(columns * units * sizeof(uint32_t));
        const auto sizes = index.take(columns * units * sizeof(uint32_t));
        for (size_t i = 0; i < slots; ++i) {
            const auto id = ids.get<uint64_t>();
            const auto row = rows.get<uint32_t>();
            if (row == 0 || row > units) continue;
            auto& parts = rows_[id];
            parts.clear();
            for (size_t column = 0; column < columns; ++column) {
                const size_t at = (row - 1) * columns + column;
                parts.push_back({entry(sections, column), entry(offsets, at), entry(sizes, at)});
            }
        }
    }
    static uint32_t entry(Bytes table, size_t index) {
        uint32_t value;
        std::memcpy(&value, &table[index * sizeof value], sizeof value);
        return value;
    }

    SplitFile file_;
    SplitParts parts_;
    unsigned version_ = 0;
    std::map<uint64_t, std::vector<Contribution>> rows_;  ///< by id of the unit
};

/// The data in a skeleton about its split half.
struct Skeleton {
    explicit Skeleton(Dwarf_Die& die) {
        Dwarf_Half found = 0;
        uint8_t type = 0;
        uint64_t unit_id = 0;
        if (dwarf_cu_info(die.cu, &found, &type, nullptr, nullptr, &unit_id, nullptr, nullptr) == 0) {
            version = found;
            id = unit_id;
        }
        name = text(die, {DW_AT_dwo_name, DW_AT_GNU_dwo_name});
        directory = text(die, {DW_AT_comp_dir});
        addr_base = number(die, {DW_AT_addr_base, DW_AT_GNU_addr_base}).value_or(0);
        ranges_base = number(die, {DW_AT_GNU_ranges_base}).value_or(0);
    }

    unsigned version = 0;
    uint64_t id = 0, addr_base = 0, ranges_base = 0;
    std::string name, directory;
};

}  // namespace

struct SplitUnit::Impl {
    std::string image;
    uint64_t id;
    ElfHandle elf;
    DwarfHandle dwarf;
};

SplitUnit::SplitUnit(std::string image, uint64_t id) : impl_(std::make_unique<Impl>()) {
    impl_->image = std::move(image);
    impl_->id = id;
    impl_->elf = open_elf_image(as_bytes(impl_->image));
    if (impl_->elf) impl_->dwarf.reset(dwarf_begin_elf(impl_->elf.get(), DWARF_C_READ, nullptr));
}

SplitUnit::~SplitUnit() = default;
SplitUnit::SplitUnit(SplitUnit&&) noexcept = default;
SplitUnit& SplitUnit::operator=(SplitUnit&&) noexcept = default;

std::optional<Dwarf_Die> SplitUnit::die() const {
    if (!impl_->dwarf) return std::nullopt;
    Dwarf_CU* unit = nullptr;
    uint8_t type = 0;
    uint64_t id = 0;
    Dwarf_Die die;
    while (dwarf_get_units(impl_->dwarf.get(), unit, &unit, nullptr, &type, &die, nullptr) == 0)
        if (type == DW_UT_split_compile && die.addr &&
            dwarf_cu_info(unit, nullptr, nullptr, nullptr, nullptr, &id, nullptr, nullptr) == 0 &&
            id == impl_->id)
            return die;
    return std::nullopt;
}

struct SplitUnits::Impl {
    Dwarf* linked = nullptr;
    DebugPlaces places = {};
    bool is_noted = false;
    std::optional<Package> package = {};
    // The start of each skeleton's addresses and ranges, sorted.
    std::set<uint64_t> addr_bases = {}, ranges_bases = {};

    void read_bases();
    void open_package();
    std::optional<std::string> dwo_path(const Skeleton& skeleton) const;
    std::string join(const Skeleton& skeleton, const SplitParts& parts) const;
    Bytes slice(const char* name, const std::set<uint64_t>& bases, uint64_t base) const;
    void note(const std::string& text);
};

SplitUnits::SplitUnits(Dwarf* linked, DebugPlaces places) : impl_(std::make_unique<Impl>()) {
    impl_->linked = linked;
    impl_->places = std::move(places);
    impl_->read_bases();
    impl_->open_package();
}

SplitUnits::~SplitUnits() = default;

bool SplitUnits::is_skeleton(Dwarf_Die& unit) {
    Dwarf_Attribute name;
    return (dwarf_attr(&unit, DW_AT_dwo_name, &name) || dwarf_attr(&unit, DW_AT_GNU_dwo_name, &name)) &&
           dwarf_haschildren(&unit) == 0;
}

void SplitUnits::Impl::read_bases() {
    Dwarf_CU* unit = nullptr;
    Dwarf_Die die;
    while (dwarf_get_units(linked, unit, &unit, nullptr, nullptr, &die, nullptr) == 0) {
        if (!die.addr || !is_skeleton(die)) continue;
        const Skeleton skeleton(die);
        addr_bases.insert(skeleton.addr_base);
        ranges_bases.insert(skeleton.ranges_base);
    }
}

void SplitUnits::Impl::note(const std::string& text) {
    if (places.notes && !is_noted) places.notes->warn(text);
    is_noted = true;
}

void SplitUnits::Impl::open_package() {
    for (const std::string& file : {places.image, places.path}) {
        const std::string path = file + ".dwp";
        if (package || file.empty() || !is_regular_file(path)) continue;
        try {
            package.emplace(path);
        } catch (const Error& error) {
            note(std::string(error.what()) + ": it is not used");
        }
    }
}

std::optional<std::string> SplitUnits::Impl::dwo_path(const Skeleton& skeleton) const {
    std::vector<std::string> paths;
    const bool is_whole = skeleton.name.starts_with('/') || skeleton.directory.empty();
    const std::string recorded = is_whole ? skeleton.name : skeleton.directory + "/" + skeleton.name;
    for (const std::string& root : places.roots)
        if (recorded.starts_with('/')) paths.push_back(root + recorded);
    for (const std::string& file : {places.image, places.path}) {
        if (file.empty()) continue;
        const std::string beside = file.substr(0, file.rfind('/') + 1);
        if (!skeleton.name.starts_with('/')) paths.push_back(beside + skeleton.name);
        paths.push_back(beside + std::string(base_name(skeleton.name)));
    }
    for (const std::string& path : paths)
        if (is_regular_file(path)) return path;
    return std::nullopt;
}

/// The part of a section that one skeleton refers to: up to where the next one's begins.
Bytes SplitUnits::Impl::slice(const char* name, const std::set<uint64_t>& bases, uint64_t base) const {
    const auto next = bases.upper_bound(base);
    return part(section_content(dwarf_getelf(linked), name), base,
                next == bases.end() ? UINT64_MAX : *next - base);
}

std::string SplitUnits::Impl::join(const Skeleton& skeleton, const SplitParts& parts) const {
    ElfImageBuilder image;
    image.add(".debug_info", parts.info);
    image.add(".debug_abbrev", parts.abbrev);
    const Strings strings = own_strings(parts, skeleton.version);
    image.add(".debug_str_offsets", strings.offsets);
    image.add(".debug_str", strings.text);
    image.add(".debug_rnglists", parts.rnglists);
    image.add(".debug_addr", slice(".debug_addr", addr_bases, skeleton.addr_base));
    if (skeleton.version < 5)
        image.add(".debug_ranges", slice(".debug_ranges", ranges_bases, skeleton.ranges_base));
    return std::move(image).build();
}

std::optional<SplitUnit> SplitUnits::find(Dwarf_Die& die) {
    const Skeleton skeleton(die);
    if (!is_native(dwarf_getelf(impl_->linked))) return std::nullopt;
    if (impl_->package)
        if (const auto parts = impl_->package->find(skeleton.id))
            return SplitUnit(impl_->join(skeleton, *parts), skeleton.id);
    const auto path = impl_->dwo_path(skeleton);
    if (!path) {
        impl_->note("debug information of " + printable(impl_->places.path) + " is in " +
                    printable(skeleton.name) +
                    " and other files that are not found: inlined functions are not shown apart");
        return std::nullopt;
    }
    try {
        const SplitFile file(*path);
        return SplitUnit(impl_->join(skeleton, file.whole()), skeleton.id);
    } catch (const Error& error) {
        impl_->note(std::string(error.what()) + ": it is not used");
        return std::nullopt;
    }
}

}  // namespace op::pp
