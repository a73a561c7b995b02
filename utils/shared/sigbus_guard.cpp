// SPDX-License-Identifier: GPL-2.0-or-later
// A handler of SIGBUS that maps memory under the access that failed.
#include "utils/shared/sigbus_guard.h"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>

namespace op::tool {

namespace {

/// Set by the signal handler, which cannot report it in another way.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
std::atomic<bool> was_cut_off = false;
static_assert(std::atomic<bool>::is_always_lock_free);

/// Makes only system calls. If it cannot help, the access is repeated with the default action and ends us.
void put_page(int number, siginfo_t* info, void*) {
    const int saved = errno;
    const uintptr_t size = ::sysconf(_SC_PAGESIZE);
    void* const page = reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(info->si_addr) & ~(size - 1));
    if (info->si_code == BUS_ADRERR &&
        ::mmap(page, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == page)
        was_cut_off = true;
    else
        ::signal(number, SIG_DFL);
    errno = saved;
}

}  // namespace

void guard_mappings() noexcept {
    struct sigaction action {};
    action.sa_sigaction = put_page;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    ::sigemptyset(&action.sa_mask);
    ::sigaction(SIGBUS, &action, nullptr);
}

bool was_mapping_cut_off() noexcept {
    return was_cut_off;
}

}  // namespace op::tool
