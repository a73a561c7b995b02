// SPDX-License-Identifier: GPL-2.0-or-later
// map_code CHILDREN MAPPINGS: each child maps and unmaps a page of executable memory that many times, which
// floods the side band; then the children have ended and the program computes for a while by itself.
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

volatile unsigned long sum;

void map_and_unmap(long mappings) {
    const size_t size = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
    for (long i = 0; i < mappings; ++i) {
        void* const memory = ::mmap(nullptr, size, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) ::_exit(1);
        ::munmap(memory, size);
    }
}

void compute() {
    for (unsigned long i = 0; i < 100'000'000; ++i)
        sum = sum + i;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3) return 2;
    for (int i = 0; i < ::atoi(argv[1]); ++i)
        if (::fork() == 0) {
            map_and_unmap(::atol(argv[2]));
            ::_exit(0);
        }
    while (::wait(nullptr) > 0) {
    }
    compute();
    return 0;
}
