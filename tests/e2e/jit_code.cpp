// SPDX-License-Identifier: GPL-2.0-or-later
// jit_code map|dump|prepared STEP...: makes code while it runs and announces it as compilers do. Prints its
// process number first. Steps, in order:
//   NAME@SLOT:MS  a function in that slot of 64 bytes, run for so much CPU time
//   SLOT>SLOT:MS  (dump) the function in the first slot moves to the second and runs there
//   exec          the rest of the arguments is what the process runs as another jit_code
// map: lines in /tmp/perf-PID.map. dump: records in ./jit-PID.dump. prepared: nothing; $JIT_PREPARE, a shell
// command, makes the map $MAP before the first step.
#include <fcntl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>

namespace {

// Makes a frame with a frame pointer, counts down from 2,000,000 and returns.
#if defined(__x86_64__)
constexpr unsigned char loop_code[] = {0x55, 0x48, 0x89, 0xe5, 0xb9, 0x80, 0x84, 0x1e,
                                       0x00, 0xff, 0xc9, 0x75, 0xfc, 0x5d, 0xc3};
#elif defined(__aarch64__)
constexpr unsigned char loop_code[] = {0xfd, 0x7b, 0xbf, 0xa9, 0xfd, 0x03, 0x00, 0x91, 0xc0, 0x03,
                                       0xa0, 0x52, 0x00, 0x04, 0x00, 0x71, 0xe1, 0xff, 0xff, 0x54,
                                       0xfd, 0x7b, 0xc1, 0xa8, 0xc0, 0x03, 0x5f, 0xd6};
#else
constexpr unsigned char loop_code[] = {0};
#endif
constexpr size_t slot_bytes = 64, heap_bytes = 65536;

unsigned char* heap;
std::FILE* out;
bool is_dump;
uint64_t next_index;

uint64_t now_ns(clockid_t clock) {
    timespec t{};
    ::clock_gettime(clock, &t);
    return static_cast<uint64_t>(t.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(t.tv_nsec);
}

template <class T>
void put(const T& value) {
    std::fwrite(&value, sizeof value, 1, out);
}

uint64_t address_of(long slot) {
    return reinterpret_cast<uint64_t>(heap + static_cast<size_t>(slot) * slot_bytes);
}

void put_record_head(uint32_t id, size_t size) {
    put(id);
    put(static_cast<uint32_t>(size));
    put(now_ns(CLOCK_MONOTONIC));
    put(static_cast<uint32_t>(::getpid()));
    put(static_cast<uint32_t>(::getpid()));
}

void announce_load(const std::string& name, long slot) {
    if (!out) return;
    if (!is_dump) {
        std::fprintf(out, "%lx %zx %s\n", address_of(slot), sizeof loop_code, name.c_str());
    } else {
        put_record_head(0, 56 + name.size() + 1 + sizeof loop_code);
        for (const uint64_t field :
             {address_of(slot), address_of(slot), uint64_t{sizeof loop_code}, next_index++})
            put(field);
        std::fwrite(name.c_str(), name.size() + 1, 1, out);
        std::fwrite(loop_code, sizeof loop_code, 1, out);
    }
    std::fflush(out);
}

void announce_move(long from, long to) {
    if (!out || !is_dump) return;
    put_record_head(1, 64);
    for (const uint64_t field :
         {address_of(to), address_of(from), address_of(to), uint64_t{sizeof loop_code}, next_index - 1})
        put(field);
    std::fflush(out);
}

void run(long slot, long ms) {
    unsigned char* const code = heap + static_cast<size_t>(slot) * slot_bytes;
    std::memcpy(code, loop_code, sizeof loop_code);
    __builtin___clear_cache(reinterpret_cast<char*>(code), reinterpret_cast<char*>(code + sizeof loop_code));
    const auto function = reinterpret_cast<void (*)()>(code);
    const uint64_t end = now_ns(CLOCK_PROCESS_CPUTIME_ID) + static_cast<uint64_t>(ms) * 1'000'000;
    while (now_ns(CLOCK_PROCESS_CPUTIME_ID) < end)
        function();
}

/// Removes what an earlier process of this number has left.
bool remove_left_map(const std::string& map) {
    std::error_code failure;
    std::filesystem::remove_all(map, failure);
    if (failure)
        std::fprintf(stderr, "%s of an earlier process: %s\n", map.c_str(), failure.message().c_str());
    return !failure;
}

bool open_output(const std::string& kind) {
    const std::string pid = std::to_string(::getpid());
    const std::string map = "/tmp/perf-" + pid + ".map";
    if (kind != "dump" && !remove_left_map(map)) return false;
    if (kind == "map") {
        out = std::fopen(map.c_str(), "w");
    } else if (kind == "dump") {
        is_dump = true;
        out = std::fopen(("jit-" + pid + ".dump").c_str(), "w+");
        if (!out) return false;
        for (const uint32_t word : {0x4A695444u, 1u, 40u, 62u, 0u, static_cast<uint32_t>(::getpid())})
            put(word);
        put(now_ns(CLOCK_MONOTONIC));
        put(uint64_t{0});
        std::fflush(out);
        const size_t page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
        if (::mmap(nullptr, page, PROT_READ | PROT_EXEC, MAP_PRIVATE, ::fileno(out), 0) == MAP_FAILED)
            return false;
    } else {
        ::setenv("MAP", map.c_str(), 1);
        const char* const command = std::getenv("JIT_PREPARE");
        return command && std::system(command) == 0;
    }
    return out != nullptr;
}

bool do_step(const char* step) {
    long from = 0, slot = 0, ms = 0;
    if (std::sscanf(step, "%ld>%ld:%ld", &from, &slot, &ms) == 3) {
        announce_move(from, slot);
        run(slot, ms);
        return true;
    }
    const char* const at = std::strchr(step, '@');
    if (!at || std::sscanf(at, "@%ld:%ld", &slot, &ms) != 2) return false;
    announce_load(std::string(step, at), slot);
    run(slot, ms);
    return true;
}

}  // namespace

int main(int argc, char** argv) {
    if (sizeof loop_code == 1) return 77;
    if (argc < 3) return 2;
    std::printf("%d\n", static_cast<int>(::getpid()));
    std::fflush(stdout);
    void* const memory =
        ::mmap(nullptr, heap_bytes, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED || !open_output(argv[1])) return 1;
    heap = static_cast<unsigned char*>(memory);
    for (int i = 2; i < argc; ++i) {
        if (std::strcmp(argv[i], "exec") == 0) return ::execv("/proc/self/exe", argv + i);
        if (!do_step(argv[i])) return 2;
    }
    return 0;
}
