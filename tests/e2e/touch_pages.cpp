// SPDX-License-Identifier: GPL-2.0-or-later
// touch_pages PAGES CHILDREN [wait|keep]: touches that many fresh pages, in itself and in each of its
// children, so that the number of page faults is known but for what starting a program takes. With `wait` it
// begins when it has read a line; with `keep` the pages are freed by its end.
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

void touch(size_t pages, bool keep) {
    const size_t size = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
    void* const memory =
        ::mmap(nullptr, pages * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) ::_exit(1);
    ::madvise(memory, pages * size, MADV_NOHUGEPAGE);
    for (size_t i = 0; i < pages; ++i)
        static_cast<volatile char*>(memory)[i * size] = 1;
    if (!keep) ::munmap(memory, pages * size);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3) return 2;
    const size_t pages = static_cast<size_t>(::atol(argv[1]));
    const char* const mode = argc > 3 ? argv[3] : "";
    const bool keep = ::strcmp(mode, "keep") == 0;
    char line = 0;
    if (::strcmp(mode, "wait") == 0 && ::read(STDIN_FILENO, &line, 1) != 1) return 1;
    for (int i = 0; i < ::atoi(argv[2]); ++i)
        if (::fork() == 0) {
            touch(pages, keep);
            ::_exit(0);
        }
    touch(pages, keep);
    while (::wait(nullptr) > 0) {
    }
    return 0;
}
