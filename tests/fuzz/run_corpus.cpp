// SPDX-License-Identifier: GPL-2.0-or-later
// Runs a fuzz target as a plain test: over every file of its corpus, over every truncation of the small ones,
// and over a fixed number of seeded mutations. A crash or sanitizer report fails the test.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
/// Mutations of each file. A target whose inputs take long defines it, with a lower number; a sixteenth of
/// the truncations is run then.
extern "C" __attribute__((weak)) int fuzz_mutations();

namespace {

using Input = std::vector<uint8_t>;
constexpr int default_mutations = 400;
constexpr size_t truncation_limit = 512;

void run(const Input& input) {
    LLVMFuzzerTestOneInput(input.data(), input.size());
}

Input mutated(Input input, std::mt19937& random) {
    const int edits = 1 + random() % 8;
    for (int i = 0; i < edits && !input.empty(); ++i) {
        const size_t at = random() % input.size();
        switch (random() % 4) {
            case 0:
                input[at] = random();
                break;
            case 1:
                input[at] ^= 1 << random() % 8;
                break;
            case 2:
                input[at] = random() % 2 ? 0xff : 0;
                break;
            default:
                input.resize(at);
                break;
        }
    }
    return input;
}

void run_all(const Input& input, int mutations, std::mt19937& random) {
    run(input);
    const size_t step = mutations < default_mutations ? 16 : 1;
    const size_t lengths = std::min(input.size(), truncation_limit);
    for (size_t n = 0; n < lengths; n += step)
        run({input.begin(), input.begin() + n});
    for (int i = 0; i < mutations; ++i)
        run(mutated(input, random));
}

}  // namespace

// The corpus is $srcdir/tests/fuzz/corpus/<name> for a program called .../<name>_fuzz.
int main(int, char** argv) {
    namespace fs = std::filesystem;
    std::string name = fs::path(argv[0]).filename();
    name = name.substr(0, name.rfind("_fuzz"));
    if (name.starts_with("lt-")) name = name.substr(3);
    const char* source = std::getenv("srcdir");
    const fs::path corpus = fs::path(source ? source : ".") / "tests/fuzz/corpus" / name;
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(corpus))
        files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    if (files.empty()) {
        std::fprintf(stderr, "%s: empty corpus\n", corpus.c_str());
        return 1;
    }
    std::mt19937 random(1);
    const int mutations = fuzz_mutations ? fuzz_mutations() : default_mutations;
    for (const auto& path : files) {
        std::ifstream in(path, std::ios::binary);
        run_all(Input(std::istreambuf_iterator<char>(in), {}), mutations, random);
    }
    std::printf("%zu corpus files, %d mutations each\n", files.size(), mutations);
}
