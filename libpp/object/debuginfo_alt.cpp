// SPDX-License-Identifier: GPL-2.0-or-later
// Shared debug information. libdw would look for it too, but it opens any file of that name.
#include "libpp/object/debuginfo_alt.h"

#include <elfutils/libdwelf.h>
#include <gelf.h>

#include "libop/base/elf_object.h"
#include "libop/base/error.h"
#include "libop/base/fd.h"
#include "libop/base/text.h"
#include "libpp/object/debuginfo.h"
#include "libpp/object/debuginfo_elf.h"
#include "libpp/object/dwarf_handle.h"

namespace op::pp {

namespace {

constexpr const char* debug_dir = "/usr/lib/debug";

/// The link of a debug file.
struct Link {
    std::string name;
    std::string build_id;  ///< lower-case hex
};

std::optional<Link> link_of(Dwarf* dwarf) {
    const char* name = nullptr;
    const void* id = nullptr;
    const ssize_t size = dwelf_dwarf_gnu_debugaltlink(dwarf, &name, &id);
    if (size == 0) return std::nullopt;
    if (size < 0) return Link{"a damaged link", ""};
    return Link{name, hex({static_cast<const std::byte*>(id), static_cast<size_t>(size)})};
}

std::vector<std::string> candidates(const Link& link, const DebugPlaces& places) {
    std::vector<std::string> paths;
    const bool is_absolute = link.name.starts_with('/');
    if (!is_absolute && !places.path.empty())
        paths.push_back(places.path.substr(0, places.path.rfind('/') + 1) + link.name);
    for (const std::string& root : places.roots) {
        if (is_absolute) paths.push_back(root + link.name);
        paths.push_back(root + debug_dir + "/.dwz/" + std::string(base_name(link.name)));
        if (link.build_id.size() > 2) paths.push_back(root + debug_file_path(link.build_id));
    }
    return paths;
}

}  // namespace

struct SharedDebugInfo::Impl {
    MappedFile file;
    std::optional<DebugElf> elf;
    DwarfHandle dwarf;

    /// True if there is a file of that build-id at the path.
    bool open(const std::string& path, const std::string& build_id) try {
        if (!is_regular_file(path)) return false;
        file = MappedFile(path);
        if (build_id.empty() || open_elf(file.bytes(), path)->build_id() != build_id) return false;
        elf.emplace(file.bytes());
        if (!elf->get() || !elf->fault().empty()) return false;
        dwarf.reset(dwarf_begin_elf(elf->get(), DWARF_C_READ, nullptr));
        return dwarf != nullptr;
    } catch (const Error&) {
        return false;  // as if it were not there
    }
};

SharedDebugInfo::SharedDebugInfo(Dwarf* dwarf, const DebugPlaces& places) {
    const auto link = link_of(dwarf);
    if (!link) return;
    impl_ = std::make_unique<Impl>();
    for (const std::string& path : candidates(*link, places))
        if (impl_->open(path, link->build_id)) {
            dwarf_setalt(dwarf, impl_->dwarf.get());
            return;
        }
    is_complete_ = false;
    if (places.notes)
        places.notes->warn("debug information of " + printable(places.path) + " needs " +
                           printable(link->name) + " (build-id " + link->build_id +
                           "), which is not found: source lines are not shown");
}

SharedDebugInfo::~SharedDebugInfo() = default;

}  // namespace op::pp
