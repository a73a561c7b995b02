// SPDX-License-Identifier: GPL-2.0-or-later
// A program of known shares: three_parts() does three times the work of one_part(), in turns of about a
// millisecond so that any load of the machine disturbs both alike.
//   shares plain TURNS | threads TURNS | forks TURNS
//   shares MODE TURNS FILE: writes the CPU time it used itself, in seconds, to FILE
//   shares children COUNT: that many children one after the other, each doing next to nothing
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

namespace {

constexpr int unit = 250'000;  // steps of a part: some hundred microseconds
volatile uint64_t sink;

}  // namespace

// The same steps in both, so that a step costs the same; not merged, since the seeds differ.
#define STEPS(count, seed)                                   \
    uint64_t x = seed;                                       \
    for (int i = 0; i < (count); ++i)                        \
        x = x * 6364136223846793005u + 1442695040888963407u; \
    sink = x

extern "C" __attribute__((noinline)) void three_parts() {
    STEPS(3 * unit, 1);
}
extern "C" __attribute__((noinline)) void one_part() {
    STEPS(unit, 2);
}

/// Between none and a fourth of a part. A child's clock starts with it, so without this every child would be
/// sampled at the same points of its short life.
extern "C" __attribute__((noinline)) void prelude(int child) {
    STEPS(child * 7919 % 64 * (unit / 256), 3);
}

namespace {

void work(int turns) {
    for (int i = 0; i < turns; ++i) {
        three_parts();
        one_part();
    }
}

void in_threads(int turns) {
    constexpr int count = 4;
    std::vector<std::thread> threads;
    for (int i = 0; i < count; ++i)
        threads.emplace_back(work, turns / count);
    for (auto& t : threads)
        t.join();
}

/// Children one after the other.
void in_children(int count, int turns) {
    for (int i = 0; i < count; ++i) {
        const pid_t child = ::fork();
        if (child == 0) {
            prelude(i);
            work(turns);
            ::_exit(0);
        }
        int status = 0;
        if (child < 0 || ::waitpid(child, &status, 0) != child || status != 0) std::exit(1);
    }
}

bool write_cpu_time(const char* path) {
    timespec used{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    std::FILE* file = std::fopen(path, "w");
    return file && std::fprintf(file, "%.6f\n", used.tv_sec + used.tv_nsec * 1e-9) > 0 &&
           std::fclose(file) == 0;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3 && argc != 4) return 2;
    const int turns = std::atoi(argv[2]);
    if (!std::strcmp(argv[1], "plain")) work(turns);
    if (!std::strcmp(argv[1], "threads")) in_threads(turns);
    if (!std::strcmp(argv[1], "forks")) in_children(turns / 2, 2);
    if (!std::strcmp(argv[1], "children")) in_children(turns, 0);
    return argc == 3 || write_cpu_time(argv[3]) ? 0 : 1;
}
