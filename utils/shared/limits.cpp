// SPDX-License-Identifier: GPL-2.0-or-later
// Limits that the kernel enforces (setrlimit(2)).
#include "utils/shared/limits.h"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "libop/base/sanitized.h"

namespace op::tool {

namespace {

constexpr uint64_t gib = uint64_t{1} << 30;

/// Lowers a limit for good.
int lower_limit(decltype(RLIMIT_DATA) which, uint64_t value) noexcept {
    rlimit limit{};
    if (::getrlimit(which, &limit) != 0) return errno;
    const auto wanted = std::min<rlim_t>(value, limit.rlim_max);
    limit = {std::min(limit.rlim_cur, wanted), wanted};
    return ::setrlimit(which, &limit) == 0 ? 0 : errno;
}

}  // namespace

uint64_t memory_limit(uint64_t physical) noexcept {
    return std::clamp(physical / 2, 4 * gib, 64 * gib);
}

/// RLIMIT_DATA, not RLIMIT_AS: it leaves out files that are mapped for reading, which may be larger than the
/// machine's memory. The address sanitizer reserves terabytes for itself: no limit there.
int limit_memory() noexcept {
    if (is_sanitized) return 0;
    const auto pages = static_cast<uint64_t>(std::max(::sysconf(_SC_PHYS_PAGES), 0L));
    return lower_limit(RLIMIT_DATA, memory_limit(pages * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE))));
}

int limit_core_files() noexcept {
    return lower_limit(RLIMIT_CORE, 0);
}

std::string out_of_memory_text() {
    rlimit limit{};
    const bool is_limited = ::getrlimit(RLIMIT_DATA, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
                            ::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1;
    if (!is_limited) return "out of memory";
    return "out of memory: the limit is " + std::to_string(limit.rlim_cur >> 20) + " MiB (see --no-sandbox)";
}

}  // namespace op::tool
