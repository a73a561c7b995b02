// SPDX-License-Identifier: GPL-2.0-or-later
// Copies the pages that are there.
#include "daemon/source/own_vdso.h"

#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <optional>

#include "daemon/source/proc_scan.h"
#include "libop/base/build_id.h"

namespace op::collect {

bool is_other_vdso(uint64_t start) noexcept {
    constexpr uint64_t end_of_32_bits = uint64_t{1} << 32;
    return (start >= end_of_32_bits) != (sizeof(void*) == sizeof(uint64_t));
}

uint64_t own_vdso_length() {
    static const uint64_t length = [] {
        const uint64_t start = ::getauxval(AT_SYSINFO_EHDR);
        const auto maps = start != 0 ? read_file_if_any("/proc/self/maps") : std::nullopt;
        for (const MapsLine& line : parse_maps(maps.value_or("")))
            if (line.start == start) return line.end - start;
        return uint64_t{0};
    }();
    return length;
}

Fd own_vdso() {
    const uint64_t length = own_vdso_length();
    Fd file(length != 0 ? ::memfd_create("vdso", MFD_CLOEXEC) : -1);
    if (!file) return {};
    const auto* const start = reinterpret_cast<const char*>(::getauxval(AT_SYSINFO_EHDR));
    if (::write(file.get(), start, length) != static_cast<ssize_t>(length)) return {};
    return file;
}

const std::string& own_vdso_build_id() {
    static const std::string id = [] {
        const Fd file = own_vdso();
        return file ? build_id_of_fd(file) : std::string();
    }();
    return id;
}

}  // namespace op::collect
