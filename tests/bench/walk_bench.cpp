// SPDX-License-Identifier: GPL-2.0-or-later
// Walks the stacks of a recording of perf as the collector does, from the same bytes:
//   walk_bench walk PERF.DATA ROUNDS   the CPU time of a walk: of all samples, and of those of some depths
//   walk_bench print PERF.DATA         a line a sample: time, reason of the end, addresses from the inside
//   walk_bench build FILE              the time to build a file's whole table, and its size
// The recording: perf record -e cpu-clock -c PERIOD --sample-cpu --call-graph dwarf,SIZE
// The form of perf.data is that of the kernel's tools/perf/Documentation/perf.data-file-format.txt.
#include <linux/perf_event.h>
#include <time.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <deque>
#include <map>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "daemon/collect/stack_walker.h"
#include "daemon/perf/perf_decode.h"
#include "daemon/perf/user_registers.h"
#include "daemon/unwind/elf_frames.h"
#include "daemon/unwind/unwind_table.h"
#include "libop/base/bytes.h"
#include "libop/base/error.h"
#include "libop/base/fd.h"
#include "libop/base/text.h"
#include "tests/e2e/whole_table.h"
#include "utils/shared/tool.h"

namespace op::tool {
namespace {

using namespace collect;

double cpu_ns() {
    timespec t{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
}

/// The records of a file of perf.
class PerfData {
public:
    explicit PerfData(const std::string& path) : file_(path) {
        ByteReader in(file_.bytes(), path);
        if (in.get<uint64_t>() != magic) throw_input(path + " is no recording of perf");
        in.skip(16);
        const auto attr_at = in.get<uint64_t>();
        in.skip(8);
        const auto data_at = in.get<uint64_t>(), data_size = in.get<uint64_t>();
        in.seek(attr_at);
        std::memcpy(&attr_, in.take(attr_size).data(), attr_size);
        if (attr_.sample_type & ~known_fields) throw_input(path + ": its samples have other fields");
        if ((attr_.sample_type & needed_fields) != needed_fields)
            throw_input(path + ": its samples lack fields");
        in.seek(data_at);
        read({in.take(data_size), path});
    }

    /// What is not a sample, in time order.
    const std::multimap<uint64_t, Record>& side_band() const { return side_band_; }
    const std::deque<Sample>& samples() const { return samples_; }

private:
    static constexpr uint64_t magic = 0x32454c4946524550;  // "PERFILE2"
    static constexpr uint64_t needed_fields = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
                                              PERF_SAMPLE_CPU | PERF_SAMPLE_CALLCHAIN |
                                              PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
    static constexpr uint64_t known_fields = needed_fields | PERF_SAMPLE_ADDR | PERF_SAMPLE_DATA_SRC;
    static constexpr size_t attr_size = offsetof(perf_event_attr, clockid);  ///< of the fields used here
    static constexpr uint32_t first_own_type = 64;  ///< of records that the kernel does not write

    void read(ByteReader in) {
        const PerfDecoder decoder(0);
        while (in.remaining() >= sizeof(perf_event_header)) {
            const size_t at = in.position();
            const auto header = in.get<perf_event_header>();
            in.seek(at);
            const auto record = in.take(header.size);
            if (header.type == PERF_RECORD_SAMPLE) {
                take_sample({record.subspan(sizeof header), "perf sample"}, header.misc);
            } else if (header.type < first_own_type) {
                const auto decoded =
                    decoder.decode(*reinterpret_cast<const perf_event_header*>(record.data()), chains_);
                if (decoded) side_band_.emplace(decoded->time, decoded->record);
            }
        }
        std::ranges::stable_sort(samples_, {}, &Sample::time);
    }

    void take_sample(ByteReader in, uint16_t misc) {
        Sample sample{};
        sample.pc = {in.get<uint64_t>()};
        sample.tgid = in.get<uint32_t>();
        sample.tid = in.get<uint32_t>();
        sample.time = in.get<uint64_t>();
        if (attr_.sample_type & PERF_SAMPLE_ADDR) in.skip(8);
        sample.cpu = in.get<uint32_t>();
        in.skip(4);
        in.skip(8 * in.get<uint64_t>());  // the kernel's chain is not what is measured
        const bool is_user = (misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_USER;
        sample.mode = is_user ? CpuMode::user : CpuMode::kernel;
        stacks_.push_back(take_stack(in));
        sample.user_stack = &stacks_.back();
        samples_.push_back(sample);
    }

    UserStack take_stack(ByteReader& in) const {
        UserStack stack;
        const auto abi = in.get<uint64_t>();
        stack.is_kernel_thread = abi == PERF_SAMPLE_REGS_ABI_NONE;
        stack.has_registers = abi == PERF_SAMPLE_REGS_ABI_64;
        if (abi != PERF_SAMPLE_REGS_ABI_NONE) take_registers(in, stack.registers);
        stack.requested = in.get<uint64_t>();
        if (stack.requested == 0) return stack;
        stack.bytes = in.take(stack.requested);
        stack.bytes = stack.bytes.first(std::min(in.get<uint64_t>(), stack.requested));
        return stack;
    }

    /// perf records more of them than we do.
    void take_registers(ByteReader& in, UserRegisters& registers) const {
        size_t index = 0;
        for (int bit = 0; bit < 64; ++bit) {
            const uint64_t mask = uint64_t{1} << bit;
            const bool is_ours = user_register_mask & mask;
            const uint64_t value = attr_.sample_regs_user & mask ? in.get<uint64_t>() : 0;
            if (!is_ours) continue;
            const uint8_t number = user_register_numbers[index++];
            if (number == user_register_pc)
                registers.pc = {value};
            else
                registers.by_number[number] = value;
        }
    }

    MappedFile file_;
    perf_event_attr attr_{};
    ChainArena chains_;
    std::multimap<uint64_t, Record> side_band_;
    std::deque<UserStack> stacks_;
    std::deque<Sample> samples_;
};

/// Walks every sample with the mappings of its time.
template <class Take>
void walk_in_order(const PerfData& data, Take take) {
    ProcessTable table;
    StackWalker walker(table);
    std::vector<uint64_t> chain;
    auto next = data.side_band().begin();
    for (const Sample& sample : data.samples()) {
        for (; next != data.side_band().end() && next->first <= sample.time; ++next)
            std::visit(
                [&](const auto& record) {
                    if constexpr (requires { table.apply(record); }) table.apply(record);
                },
                next->second);
        const StackEnd end = walker.walk(sample, chain);
        take(sample, chain, end);
    }
}

void print(const std::string& path) {
    const PerfData data(path);
    walk_in_order(data, [](const Sample& sample, const std::vector<uint64_t>& chain, StackEnd end) {
        std::printf("%llu %s", static_cast<unsigned long long>(sample.time),
                    std::string(stack_end_name(end)).c_str());
        if (sample.mode == CpuMode::user) std::printf(" %s", hex(sample.pc.value()).c_str());
        for (const uint64_t address : chain)
            std::printf(" %s", hex(address).c_str());
        std::printf("\n");
    });
}

/// Samples of like depth.
struct Band {
    size_t from, to;  ///< frames, half-open
    std::vector<const Sample*> samples = {};
    size_t frames = 0;
};

/// Mappings as they are in the end: not for programs that map different files at one address.
void map_all(const PerfData& data, ProcessTable& table) {
    for (const auto& [time, record] : data.side_band())
        std::visit(
            [&](const auto& each) {
                using Kind = std::decay_t<decltype(each)>;
                constexpr bool is_change = requires {
                    table.apply(each);
                }
                &&!std::is_same_v<Kind, Exit>;
                if constexpr (is_change) table.apply(each);
            },
            record);
}

/// Prints "FROM TO SAMPLES FRAMES NS FIRST": frames a sample; ns a sample once the tables are built, in the
/// best round; ns a sample in the round that builds them.
void measure(const PerfData& data, const Band& band, uint64_t rounds) {
    ProcessTable table;
    map_all(data, table);
    StackWalker walker(table);
    std::vector<uint64_t> chain;
    const auto count = static_cast<double>(band.samples.size());
    double first = 0, best = 0;
    for (uint64_t round = 0; round <= rounds; ++round) {
        const double start = cpu_ns();
        for (const Sample* const sample : band.samples)
            walker.walk(*sample, chain);
        const double ns = (cpu_ns() - start) / count;
        if (round == 0) first = ns;
        if (round == 1 || (round > 1 && ns < best)) best = ns;
    }
    std::printf("%zu %zu %zu %.1f %.0f %.0f\n", band.from, band.to, band.samples.size(),
                static_cast<double>(band.frames) / count, best, first);
}

void walk(const std::string& path, uint64_t rounds) {
    constexpr size_t fewest = 50;
    const PerfData data(path);
    std::vector<Band> bands{{1, 9999}, {15, 26}, {50, 71}};
    walk_in_order(data, [&](const Sample& sample, const std::vector<uint64_t>& chain, StackEnd) {
        const size_t frames = chain.size() + 1;
        for (Band& band : bands) {
            if (frames < band.from || frames >= band.to) continue;
            band.samples.push_back(&sample);
            band.frames += frames;
        }
    });
    for (const Band& band : bands)
        if (band.samples.size() >= fewest) measure(data, band, rounds);
}

/// Prints "ROWS NS BYTES", the latter two a row; the time is the best of some rounds.
void build(const std::string& path) {
    constexpr int rounds = 5;
    const Fd file = open_regular(path);
    const auto found = find_elf_frames(file);
    if (!found || found->sections.empty()) throw_input(path + ": no unwind tables");
    double best = 0, rows = 0, bytes = 0;
    for (int round = 0; round < rounds; ++round) {
        const double start = cpu_ns();
        const SectionRules table = test::whole_table(file, *found);
        const double ns = cpu_ns() - start;
        if (round == 0 || ns < best) best = ns;
        rows = static_cast<double>(table.rows());
        bytes = static_cast<double>(table.memory());
    }
    std::printf("%.0f %.1f %.2f\n", rows, best / rows, bytes / rows);
}

int walk_bench(Tool&, int argc, char** argv) {
    const std::string_view what = argc > 1 ? argv[1] : "";
    if (what == "walk" && argc == 4)
        walk(argv[2], parse_number(argv[3]).value_or(1));
    else if (what == "print" && argc == 3)
        print(argv[2]);
    else if (what == "build" && argc == 3)
        build(argv[2]);
    else
        throw_usage("usage: walk_bench walk PERF.DATA ROUNDS | print PERF.DATA | build FILE");
    return 0;
}

}  // namespace
}  // namespace op::tool

int main(int argc, char** argv) {
    return op::tool::run(argc, argv, op::tool::walk_bench);
}
