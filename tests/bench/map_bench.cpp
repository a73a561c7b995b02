// SPDX-License-Identifier: GPL-2.0-or-later
// Reads a perf map as a recorder's reader does (daemon/jit/map_reader.h), or makes one to read:
//   map_bench make FILE LINES
//   map_bench read FILE LINES ADDRESSES   so many addresses, in functions all over it, have to have names
// Functions have 64 bytes, and names of 60 characters as runtimes give them.
#include <fcntl.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <vector>

#include "daemon/jit/map_reader.h"

namespace {

constexpr uint64_t first = 0x7f0000000000, size = 64;

int make(const char* path, uint64_t lines) {
    std::FILE* const out = std::fopen(path, "w");
    if (!out) return 1;
    for (uint64_t i = 0; i < lines; ++i)
        std::fprintf(out, "%llx %llx JS:*function_%07llu /srv/application/lib/module_%03llu.js:%05llu:13\n",
                     static_cast<unsigned long long>(first + i * size), static_cast<unsigned long long>(size),
                     static_cast<unsigned long long>(i), static_cast<unsigned long long>(i % 1000),
                     static_cast<unsigned long long>(i % 100000));
    return std::fclose(out) == 0 ? 0 : 1;
}

int read(const char* path, uint64_t lines, uint64_t addresses) {
    std::vector<uint64_t> wanted;
    for (uint64_t i = 0; i < addresses; ++i)
        wanted.push_back(first + i * lines / addresses * size + 5);
    const op::collect::MapAnswer answer = op::collect::read_map(op::open_file(path, O_RDONLY), wanted);
    const bool is_whole = answer.symbols.size() == addresses && answer.counts.lines == lines;
    if (!is_whole) std::fprintf(stderr, "map_bench: %zu names\n", answer.symbols.size());
    return is_whole ? 0 : 1;
}

uint64_t number(const char* text) {
    return std::strtoull(text, nullptr, 10);
}

}  // namespace

int main(int argc, char** argv) try {
    if (argc == 4 && std::strcmp(argv[1], "make") == 0) return make(argv[2], number(argv[3]));
    if (argc == 5 && std::strcmp(argv[1], "read") == 0)
        return read(argv[2], number(argv[3]), number(argv[4]));
    std::fputs("usage: map_bench make FILE LINES | read FILE LINES ADDRESSES\n", stderr);
    return 2;
} catch (const std::exception& e) {
    std::fprintf(stderr, "map_bench: %s\n", e.what());
    return 1;
}
