// SPDX-License-Identifier: GPL-2.0-or-later
// Runs commands in turn, round after round, and prints a line of medians for each:
//   wall ms, CPU ms (with what it waited for), peak RSS KB, CPU ms of the profiled program, CPU ms without it
// Usage: measure ROUNDS FILE COMMAND... [::: COMMAND...]...
// A profiled program writes its own CPU seconds to FILE ("-" = no such file). Output of the commands
// goes to /dev/null. A command that fails ends the measurement.
#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

struct Figures {
    double wall = 0, cpu = 0, rss = 0, program = 0, own = 0;
};

double now() {
    timespec t{};
    ::clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e3 + t.tv_nsec * 1e-6;
}

double ms(const timeval& t) {
    return t.tv_sec * 1e3 + t.tv_usec * 1e-3;
}

double program_cpu(const char* path) {
    double seconds = 0;
    std::FILE* file = std::fopen(path, "r");
    if (!file) return 0;
    if (std::fscanf(file, "%lf", &seconds) != 1) seconds = 0;
    std::fclose(file);
    return seconds * 1e3;
}

Figures run(std::vector<char*> words, const char* cpu_file) {
    words.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    ::posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    const double start = now();
    pid_t child = 0;
    if (::posix_spawnp(&child, words[0], &actions, nullptr, words.data(), environ) != 0) std::exit(2);
    int status = 0;
    rusage usage{};
    ::wait4(child, &status, 0, &usage);
    if (status != 0) {
        std::fprintf(stderr, "measure: %s failed\n", words[0]);
        std::exit(1);
    }
    Figures f{now() - start, ms(usage.ru_utime) + ms(usage.ru_stime), static_cast<double>(usage.ru_maxrss), 0,
              0};
    f.program = std::strcmp(cpu_file, "-") ? program_cpu(cpu_file) : 0;
    f.own = f.cpu - f.program;
    return f;
}

double median(const std::vector<Figures>& all, double Figures::*field) {
    std::vector<double> values;
    for (const Figures& f : all)
        values.push_back(f.*field);
    std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
    return values[values.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 4) return 2;
    std::vector<std::vector<char*>> commands(1);
    for (int i = 3; i < argc; ++i) {
        if (!std::strcmp(argv[i], ":::")) {
            commands.emplace_back();
        } else {
            commands.back().push_back(argv[i]);
        }
    }
    std::vector<std::vector<Figures>> results(commands.size());
    for (int round = 0; round < std::atoi(argv[1]); ++round)
        for (size_t i = 0; i < commands.size(); ++i)
            results[i].push_back(run(commands[i], argv[2]));
    for (const auto& r : results)
        std::printf("%.2f %.2f %.0f %.2f %.2f\n", median(r, &Figures::wall), median(r, &Figures::cpu),
                    median(r, &Figures::rss), median(r, &Figures::program), median(r, &Figures::own));
}
