// SPDX-License-Identifier: GPL-2.0-or-later
// Relocating through libdwfl, whose callbacks return where the bytes are and where the sections lie.
#include "libpp/object/debuginfo_relocated.h"

#include <elfutils/libdwfl.h>
#include <gelf.h>

#include <string>
#include <vector>

#include "libop/base/elf_object_layout.h"
#include "libop/base/object_file.h"

namespace op::pp {

namespace {

struct DwflEnd {
    void operator()(Dwfl* dwfl) const { dwfl_end(dwfl); }
};

}  // namespace

struct RelocatedDebugInfo::Impl {
    std::string image;  ///< relocations are applied in place
    std::vector<uint64_t> addresses = {};
    std::unique_ptr<Dwfl, DwflEnd> dwfl = {};
    Dwarf* dwarf = nullptr;

    Elf* open() { return elf_memory(image.data(), image.size()); }
    void relocate(const Dwfl_Callbacks& callbacks);

    // The callbacks of libdwfl; it keeps our pointer in `data`.
    static Impl& self(void** data) { return *static_cast<Impl*>(*data); }
    static int find_elf(Dwfl_Module*, void** data, const char*, Dwarf_Addr, char**, Elf** elf) {
        *elf = self(data).open();
        return -1;  // no file
    }
    static int find_debug_file(Dwfl_Module*, void**, const char*, Dwarf_Addr, const char*, const char*,
                               GElf_Word, char**) {
        return -1;
    }
    static int section_address(Dwfl_Module*, void** data, const char*, Dwarf_Addr, const char*,
                               GElf_Word index, const GElf_Shdr*, Dwarf_Addr* address) {
        const auto& addresses = self(data).addresses;
        *address = index < addresses.size() && addresses[index] ? addresses[index] : Dwarf_Addr(-1);
        return DWARF_CB_OK;
    }
};

void RelocatedDebugInfo::Impl::relocate(const Dwfl_Callbacks& callbacks) {
    dwfl.reset(dwfl_begin(&callbacks));
    if (!dwfl) return;
    dwfl_report_begin(dwfl.get());
    Dwfl_Module* const module = dwfl_report_module(dwfl.get(), "module", relocatable_base, INT64_MAX);
    void** data = nullptr;
    if (!module || !dwfl_module_info(module, &data, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr))
        return;
    *data = this;
    dwfl_report_end(dwfl.get(), nullptr, nullptr);
    Dwarf_Addr bias = 0;
    dwarf = dwfl_module_getdwarf(module, &bias);
    if (bias != 0) dwarf = nullptr;
}

RelocatedDebugInfo::RelocatedDebugInfo(std::span<const std::byte> bytes) : impl_(std::make_unique<Impl>()) {
    static const Dwfl_Callbacks callbacks{Impl::find_elf, Impl::find_debug_file, Impl::section_address,
                                          nullptr};
    impl_->image.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    elf_version(EV_CURRENT);
    if (Elf* const elf = impl_->open()) {
        impl_->addresses = relocatable_layout(elf);
        elf_end(elf);
    }
    impl_->relocate(callbacks);
}

RelocatedDebugInfo::~RelocatedDebugInfo() = default;

Dwarf* RelocatedDebugInfo::dwarf() const noexcept {
    return impl_->dwarf;
}

}  // namespace op::pp
