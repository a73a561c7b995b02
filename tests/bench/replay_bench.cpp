// SPDX-License-Identifier: GPL-2.0-or-later
// Replays a canned stream through the collector and prints the rate and the peak memory; then the same
// samples as the driver would place them.
//   replay_bench [MILLIONS OF SAMPLES]
// The stream: 40 processes on 8 CPUs, each with 12 images of 128 functions spread over 1 MB of code;
// processes, images, functions and the instructions in them skewed as in real profiles (few hot ones, a long
// tail); a mapping now and then.
#include <fcntl.h>
#include <sys/resource.h>
#include <time.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <random>

#include "daemon/collect/collector.h"
#include "daemon/run/recording.h"
#include "daemon/source/replay_source.h"
#include "libop/stream/stream.h"
#include "tests/unit/temp_dir.h"

namespace {

using namespace op;

constexpr uint32_t processes = 40, images = 12;

uint64_t image_start(uint32_t process, uint32_t image) {
    return 0x7f0000000000 + process * 0x10000000ull + image * 0x200000ull;
}

/// Cookies of the driver: an image has the same in all processes.
uint32_t cookie_of(uint32_t process, uint32_t image) {
    return image == 0 ? 100 + process % 10 : image;
}

void write_stream(const std::string& path, uint64_t samples, bool placed) {
    SessionInfo info;
    info.events = {{"TIMER", 0, 1000000}};
    info.cpu_type = 4;
    StreamWriter out(open_file(path, O_WRONLY | O_CREAT | O_TRUNC), path, info);
    std::deque<std::string> paths;
    for (uint32_t p = 0; p < processes; ++p) {
        out.write(Name{0, p + 1, p + 1, true, "process"});
        for (uint32_t i = 0; i < images; ++i) {
            const auto& name = paths.emplace_back(i == 0 ? "/usr/bin/app" + std::to_string(p % 10)
                                                         : "/usr/lib/lib" + std::to_string(i) + ".so");
            if (placed) {
                out.write(ImageCookie{cookie_of(p, i), false, 0, {0}, 0, 0, 0, name});
            } else {
                out.write(Mapping{0, p + 1, {image_start(p, i)}, 0x100000, 0, false, name, {}});
            }
        }
    }
    std::mt19937_64 random(1);
    const auto skewed = [&](uint64_t n) {  // density ~ 1/x on [0, n)
        return static_cast<uint64_t>(std::exp(std::uniform_real_distribution<>(0, std::log(n))(random))) - 1;
    };
    for (uint64_t n = 0; n < samples; ++n) {
        const uint32_t p = skewed(processes), i = skewed(images);
        const uint64_t function = skewed(128) * 37 % 128;  // hot ones lie apart
        const uint64_t offset = function * 8192 + skewed(24) * 4;
        const uint32_t cpu = n % 8;
        if (placed) {
            out.write(PlacedSample{
                p + 1, p + 1, cpu, cookie_of(p, 0), 0, CpuMode::user, 0, {offset, cookie_of(p, i)}, {}});
            continue;
        }
        out.write(Sample{n, p + 1, p + 1, cpu, 0, CpuMode::user, 0, {image_start(p, i) + offset}, {}});
        if (n % 100000 == 0) out.write(Mapping{n, p + 1, {0x1000}, 0x1000, 0, false, "/usr/lib/late.so", {}});
    }
    out.finish();
}

double cpu_seconds() {
    timespec t{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}

/// Lowers the peak the kernel remembers to what is used now.
void reset_peak() {
    write_fd(open_file("/proc/self/clear_refs", O_WRONLY).get(), "5", "clear_refs");
}

long peak_kb() {
    const std::string status = read_file("/proc/self/status");
    return std::atol(status.c_str() + status.find("VmHWM:") + 6);
}

/// Replays `samples` samples and prints the figures, their names beginning with `what`; false if any got
/// lost.
bool measure(const char* what, uint64_t samples, bool placed) {
    const test::TempDir dir;
    const std::string path = dir / "stream";
    write_stream(path, samples, placed);
    reset_peak();
    Diagnostics notes;
    SessionWriter session(dir.path(), false, notes);
    session.begin(false);
    collect::ReplaySource source(path, notes);
    collect::Collector collector(session, source.describe(), {}, notes);
    const double start = cpu_seconds();
    collect::drain_into(source, [&](auto records) { collector.process(records); });
    const SessionInfo info = collector.flush_and_account();
    const double seconds = cpu_seconds() - start;
    if (info.ledger.stored() != samples || !info.ledger.balanced()) return false;
    const long peak = peak_kb();
    size_t keys = 0, files = 0;
    const SessionReader reader(session.current_path());
    for (const std::string& name : reader.list()) {
        keys += reader.read(name, notes).entries.size();
        ++files;
    }
    std::printf("%s_samples_per_second %.0f\n%s_peak_kb %ld\n%s_keys %zu\n%s_files %zu\n", what,
                samples / seconds, what, peak, what, keys, what, files);
    return true;
}

}  // namespace

int main(int argc, char** argv) {
    const uint64_t samples = 1'000'000 * (argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 10);
    return measure("replay", samples, false) && measure("placed", samples, true) ? 0 : 1;
}
