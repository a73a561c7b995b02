// SPDX-License-Identifier: GPL-2.0-or-later
// The cost of counting a sample: 20 M samples into a new file, over keys as skewed as in real profiles.
#include "libop/session/sample_file.h"

#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <stdlib.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

namespace {

constexpr size_t sample_count = 20'000'000;

/// Distinct offsets as code has them: runs of neighbouring instructions, with jumps to other functions.
std::vector<uint64_t> code_offsets(size_t n, std::mt19937_64& random) {
    std::vector<uint64_t> keys;
    keys.reserve(n);
    for (uint64_t at = 0x1000; keys.size() < n; at += 1 + random() % (random() % 10 == 0 ? 1000 : 12))
        keys.push_back(at);
    std::shuffle(keys.begin(), keys.end(), random);
    return keys;
}

/// Samples on `n` keys, the k-th most frequent with probability ~ 1/k.
std::vector<uint64_t> zipf_samples(size_t n) {
    std::mt19937_64 random(1);
    const std::vector<uint64_t> keys = code_offsets(n, random);
    std::vector<double> sums;
    sums.reserve(n);
    for (size_t k = 1; k <= n; ++k)
        sums.push_back((sums.empty() ? 0 : sums.back()) + 1.0 / k);
    std::uniform_real_distribution<double> uniform(0, sums.back());
    std::vector<uint64_t> samples(sample_count);
    for (uint64_t& sample : samples) {
        const auto rank = std::lower_bound(sums.begin(), sums.end(), uniform(random)) - sums.begin();
        sample = keys[std::min<size_t>(rank, n - 1)];
    }
    return samples;
}

void add_samples(benchmark::State& state) {
    const std::vector<uint64_t> samples = zipf_samples(state.range(0));
    std::string path = std::filesystem::temp_directory_path() / "oprofile-ng-bench.XXXXXX";
    const op::Fd dir(::mkdtemp(path.data()) ? ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1);
    if (!dir) return state.SkipWithError("no temporary directory");
    op::Diagnostics notes;
    for (auto _ : state) {
        op::SampleFile file(dir, "CYCLES.100000.0.all.all.all", {}, path, notes);
        for (const uint64_t key : samples)
            file.add(key);
        if (file.flush_and_count().stored != sample_count) state.SkipWithError("samples lost");
        state.PauseTiming();
        std::filesystem::remove(path + "/CYCLES.100000.0.all.all.all");
        state.ResumeTiming();
    }
    state.counters["ns_per_sample"] =
        benchmark::Counter(static_cast<double>(state.iterations()) * sample_count * 1e-9,
                           benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
    std::filesystem::remove_all(path);
}
BENCHMARK(add_samples)->Arg(1'000)->Arg(100'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
