// SPDX-License-Identifier: GPL-2.0-or-later
// The cost of storing a call stack, and how the store grows, with stacks as an interpreter and a compiler
// have them: made by walks through a made-up call graph whose figures are near those measured of python3 and
// g++.
#include "libop/stacks/stack_set.h"

#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <stdlib.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "libop/stacks/stack_file.h"

namespace {

/// A program: which calls its functions make, and how far stacks differ from one sample to the next.
struct Program {
    size_t functions;
    double skew;     ///< of calls: the k-th most frequent has a probability ~ 1/k^skew
    double depth;    ///< mean number of frames
    double returns;  ///< mean number of frames left between two samples
    double leaves;   ///< mean number of hot instructions in a function
};
constexpr Program interpreter{1500, 4, 16.5, 1, 6};
constexpr Program compiler{3000, 2.6, 22.7, 4, 10};

/// Stacks of one thread after the other.
class Walk {
public:
    explicit Walk(const Program& program) : program_(program) {
        for (size_t k = 1; k <= calls; ++k)
            sums_.push_back((sums_.empty() ? 0 : sums_.back()) + std::pow(k, -program_.skew));
    }

    /// The next sample's stack, innermost frame first; valid until the next call.
    std::span<const op::StackFrame> next() {
        const size_t wanted =
            std::max(2.0, std::normal_distribution(program_.depth, program_.depth / 6)(random_));
        const size_t left = 1 + std::geometric_distribution(1 / (1 + program_.returns))(random_);
        path_.resize(std::min(path_.size() - std::min(path_.size(), left), wanted - 1));
        while (path_.size() < wanted - 1)
            path_.push_back(call(path_.empty() ? 0 : callee(path_.back())));
        const uint64_t function = callee(path_.back());
        const uint64_t leaf = std::geometric_distribution(1 / program_.leaves)(random_);
        frames_.assign(1, frame(function, 0x800 + leaf * 4, true));
        for (size_t i = path_.size(); i-- > 0;)
            frames_.push_back(frame(path_[i] >> 8, (path_[i] & 0xff) * 16, false));
        return frames_;
    }

private:
    static constexpr size_t calls = 100;

    uint64_t call(uint64_t function) {
        const double at = std::uniform_real_distribution(0.0, sums_.back())(random_);
        return function << 8 | (std::ranges::lower_bound(sums_, at) - sums_.begin());
    }
    uint64_t callee(uint64_t call) const { return call * 0x9E3779B97F4A7C15 % 1000003 % program_.functions; }
    static op::StackFrame frame(uint64_t function, uint64_t offset, bool is_exact) {
        return {static_cast<uint32_t>(1 + function % 20), 0x1000 + function * 0x1230 + offset, is_exact};
    }

    const Program program_;
    std::mt19937_64 random_{1};
    std::vector<double> sums_;
    std::vector<uint64_t> path_;  ///< calls: the function and the number of its call
    std::vector<op::StackFrame> frames_;
};

class Session {
public:
    Session() : path_(std::filesystem::temp_directory_path() / "oprofile-ng-bench.XXXXXX") {
        dir_ =
            op::Fd(::mkdtemp(path_.data()) ? ::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1);
    }
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;
    ~Session() { std::filesystem::remove_all(path_); }

    const op::Fd& dir() const { return dir_; }
    /// The bytes of all files.
    double size() const {
        uintmax_t sum = 0;
        for (const auto& entry : std::filesystem::directory_iterator(path_ + "/stacks"))
            sum += entry.file_size();
        return static_cast<double>(sum);
    }
    /// The entries that a file has.
    double entries(const std::string& name) const {
        const std::string bytes = op::read_file(path_ + "/stacks/" + name);
        uint32_t used;
        std::memcpy(&used, bytes.data() + offsetof(op::RawStackFileHeader, used), sizeof used);
        return used;
    }

private:
    std::string path_;
    op::Fd dir_;
};

const op::SampleClass some_class{"CYCLES", 100000, 0, {}, {}, {}};

void make_images(op::StackSet& set) {
    for (int i = 0; i < 20; ++i)
        set.image({op::ImageName::Kind::file, "/usr/lib/lib" + std::to_string(i), 0, 0, 0});
}

/// Samples as a run has them, and what the store has become.
void grow(benchmark::State& state, const Program& program) {
    const auto samples = static_cast<size_t>(state.range(0));
    std::vector<std::vector<op::StackFrame>> stacks;
    Walk walk(program);
    for (size_t i = 0; i < samples; ++i) {
        const auto next = walk.next();
        stacks.emplace_back(next.begin(), next.end());
    }
    for (auto _ : state) {
        state.PauseTiming();
        const Session session;
        op::Diagnostics notes;
        op::StackSet set(session.dir(), "bench", notes);
        make_images(set);
        state.ResumeTiming();
        for (const auto& stack : stacks)
            set.add(some_class, 1, stack, op::StackEnd::root, 1);
        state.PauseTiming();
        state.counters["nodes"] = session.entries(op::mangle_class(some_class));
        state.counters["frames"] = session.entries("frames");
        state.counters["bytes_per_sample"] = session.size() / static_cast<double>(samples);
        if (set.counts().complete != samples) state.SkipWithError("samples lost");
        state.ResumeTiming();
    }
    state.counters["ns_per_sample"] =
        benchmark::Counter(static_cast<double>(state.iterations() * samples) * 1e-9,
                           benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK_CAPTURE(grow, python, interpreter)->Arg(12'594)->Arg(12'594 * 5)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(grow, compiler, compiler)->Arg(11'384)->Arg(11'384 * 5)->Unit(benchmark::kMillisecond);

/// A thread whose callers stay while its innermost frame moves, at a depth.
void repeat(benchmark::State& state) {
    const auto depth = static_cast<size_t>(state.range(0));
    const Session session;
    op::Diagnostics notes;
    op::StackSet set(session.dir(), "bench", notes);
    make_images(set);
    std::vector<op::StackFrame> stack;
    for (size_t i = 0; i < depth; ++i)
        stack.push_back({static_cast<uint32_t>(1 + i % 20), 0x1000 + i * 0x1230, i == 0});
    uint64_t samples = 0;
    for (auto _ : state) {
        stack[0].offset = 0x1000 + samples++ % 64 * 4;
        set.add(some_class, 1, stack, op::StackEnd::root, 1, 77);
    }
}
BENCHMARK(repeat)->Arg(20)->Arg(60);

/// Stacks of which nothing is common with the one before.
void alternate(benchmark::State& state) {
    const auto depth = static_cast<size_t>(state.range(0));
    const Session session;
    op::Diagnostics notes;
    op::StackSet set(session.dir(), "bench", notes);
    make_images(set);
    std::vector<std::vector<op::StackFrame>> stacks(64);
    for (size_t s = 0; s < stacks.size(); ++s)
        for (size_t i = 0; i < depth; ++i)
            stacks[s].push_back(
                {static_cast<uint32_t>(1 + i % 20), 0x1000 + (s * depth + i) * 0x1230, i == 0});
    size_t samples = 0;
    for (auto _ : state)
        set.add(some_class, 1, stacks[samples++ % stacks.size()], op::StackEnd::root, 1, 77);
}
BENCHMARK(alternate)->Arg(20)->Arg(60);

}  // namespace

BENCHMARK_MAIN();
