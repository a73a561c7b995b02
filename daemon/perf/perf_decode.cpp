// SPDX-License-Identifier: GPL-2.0-or-later
// Decoding of perf records. Damaged ones are losses.
#include "daemon/perf/perf_decode.h"

#include <linux/perf_event.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <cstring>
#include <tuple>

#include "daemon/perf/user_registers.h"
#include "libop/base/bytes.h"
#include "libop/base/error.h"

namespace op::collect {
namespace {

/// An event number no session has; the collector counts its samples as unknown_event.
constexpr uint16_t unknown_event = UINT16_MAX;

CpuMode mode_of(uint16_t misc) {
    switch (misc & PERF_RECORD_MISC_CPUMODE_MASK) {
        case PERF_RECORD_MISC_USER:
            return CpuMode::user;
        case PERF_RECORD_MISC_KERNEL:
            return CpuMode::kernel;
        default:
            return CpuMode::guest;
    }
}

std::string_view c_string(std::span<const std::byte> bytes) {
    const auto* text = reinterpret_cast<const char*>(bytes.data());
    return {text, ::strnlen(text, bytes.size())};
}

/// Sorts a chain's addresses into the arena: kernel frames first, the sampled pc dropped, markers heeded.
std::pair<std::span<const uint64_t>, uint16_t> take_chain(ByteReader& in, uint64_t pc, ChainArena& chains) {
    const auto count = in.get<uint64_t>();
    if (count > in.remaining() / sizeof(uint64_t)) throw_input("chain longer than its record");
    const size_t start = chains.mark();
    bool kernel = false, wanted = true, first = true;
    uint16_t kernel_frames = 0;
    for (uint64_t i = 0; i < count; ++i) {
        const auto address = in.get<uint64_t>();
        if (address >= PERF_CONTEXT_MAX) {
            kernel = address == PERF_CONTEXT_KERNEL;
            wanted = kernel || address == PERF_CONTEXT_USER;
        } else if (wanted) {
            if (!first || address != pc) {
                chains.add(address);
                kernel_frames += kernel;
            }
            first = false;
        }
    }
    return {chains.since(start), kernel_frames};
}

/// REGS_USER and STACK_USER. What the kernel copied begins at the stack pointer; its last word is the number
/// of bytes that are valid.
UserStack take_user_stack(ByteReader& in) {
    UserStack stack;
    const auto abi = in.get<uint64_t>();
    if (abi != PERF_SAMPLE_REGS_ABI_NONE)
        for (const uint8_t number : user_register_numbers) {
            const auto value = in.get<uint64_t>();
            if (number == user_register_pc)
                stack.registers.pc = {value};
            else
                stack.registers.by_number[number] = value;
        }
    stack.is_kernel_thread = abi == PERF_SAMPLE_REGS_ABI_NONE;
    stack.has_registers = abi == PERF_SAMPLE_REGS_ABI_64;
    stack.is_32_bit = abi == PERF_SAMPLE_REGS_ABI_32;
    stack.requested = in.get<uint64_t>();
    if (stack.requested == 0) return stack;
    stack.bytes = in.take(stack.requested);
    stack.bytes = stack.bytes.first(std::min(in.get<uint64_t>(), stack.requested));
    return stack;
}

/// MMAP2: u32 major, minor; u64 inode, generation (perf_event_open(2)).
FileIdentity decode_file(ByteReader in) {
    const auto major = in.get<uint32_t>(), minor = in.get<uint32_t>();
    FileIdentity file{makedev(major, minor), in.get<uint64_t>()};
    file.generation = in.get<uint64_t>();
    return file;
}

}  // namespace

PerfDecoder::PerfDecoder(uint64_t sample_type, std::vector<Sampling> samplings)
    : has_id_(sample_type & PERF_SAMPLE_IDENTIFIER),
      has_chain_(sample_type & PERF_SAMPLE_CALLCHAIN),
      has_user_stack_(sample_type & PERF_SAMPLE_STACK_USER),
      trailer_size_(has_id_ ? 32 : 24),
      samplings_(std::move(samplings)) {}

const Sampling* PerfDecoder::sampling_of(uint16_t event) const noexcept {
    for (const Sampling& sampling : samplings_)
        if (sampling.opened == event) return &sampling;
    return nullptr;
}

uint16_t PerfDecoder::event_of(uint64_t id) const {
    const auto it = events_.find(id);
    return it == events_.end() ? unknown_event : it->second;
}

// sample_id at the end of every other record: pid, tid; time; cpu, reserved; [identifier].
PerfDecoder::Trailer PerfDecoder::trailer(std::span<const std::byte> body) const {
    ByteReader in(body, "perf record");
    in.seek(body.size() - std::min(body.size(), trailer_size_));
    Trailer t;
    in.skip(8);
    t.time = in.get<uint64_t>();
    t.cpu = in.get<uint32_t>();
    in.skip(4);
    if (has_id_) t.event = event_of(in.get<uint64_t>());
    return t;
}

std::optional<PerfDecoder::Decoded> PerfDecoder::decode_sample(std::span<const std::byte> body, uint16_t misc,
                                                               ChainArena& chains) const {
    ByteReader in(body, "perf sample");
    Sample s{};
    if (has_id_) s.event = event_of(in.get<uint64_t>());
    s.pc = {in.get<uint64_t>()};
    s.tgid = in.get<uint32_t>();
    s.tid = in.get<uint32_t>();
    s.time = in.get<uint64_t>();
    s.cpu = in.get<uint32_t>();
    s.mode = mode_of(misc);
    in.skip(4);
    if (has_chain_) std::tie(s.chain, s.kernel_frames) = take_chain(in, s.pc.value(), chains);
    Decoded decoded{s.time, s, sampling_of(s.event)};
    if (decoded.sampling) decoded.raw = in.take(in.get<uint32_t>());
    if (has_user_stack_) std::get<Sample>(decoded.record).user_stack = chains.add_stack(take_user_stack(in));
    return decoded;
}

// MMAP2: pid, tid, addr, len, pgoff, then 24 bytes of device and inode or of build-id, prot, flags, name.
std::optional<PerfDecoder::Decoded> PerfDecoder::decode_mapping(std::span<const std::byte> body,
                                                                uint16_t misc, const Trailer& t) const {
    ByteReader in(body.first(body.size() - trailer_size_), "perf mapping");
    Mapping m{};
    m.time = t.time;
    m.tgid = in.get<uint32_t>();
    in.skip(4);
    m.start = {in.get<uint64_t>()};
    m.length = in.get<uint64_t>();
    m.file_offset = in.get<uint64_t>();
    const auto identity = in.take(24);
    if (misc & PERF_RECORD_MISC_MMAP_BUILD_ID)
        m.build_id = identity.subspan(4, std::min<size_t>(std::to_integer<size_t>(identity[0]), 20));
    else
        m.file = decode_file({identity, "perf mapping"});
    in.skip(8);
    m.path = c_string(in.take(in.remaining()));
    if ((misc & PERF_RECORD_MISC_CPUMODE_MASK) != PERF_RECORD_MISC_USER) return std::nullopt;
    return Decoded{t.time, m};
}

std::optional<PerfDecoder::Decoded> PerfDecoder::decode(const perf_event_header& header,
                                                        ChainArena& chains) const try {
    const auto* start = reinterpret_cast<const std::byte*>(&header) + sizeof header;
    const std::span body(start, header.size - sizeof header);
    if (header.type == PERF_RECORD_SAMPLE) return decode_sample(body, header.misc, chains);
    const Trailer t = trailer(body);
    ByteReader in(body.first(body.size() - trailer_size_), "perf record");
    switch (header.type) {
        case PERF_RECORD_MMAP2:
            return decode_mapping(body, header.misc, t);
        case PERF_RECORD_COMM: {
            const auto tgid = in.get<uint32_t>(), tid = in.get<uint32_t>();
            const bool exec = header.misc & PERF_RECORD_MISC_COMM_EXEC;
            return Decoded{t.time, Name{t.time, tgid, tid, exec, c_string(in.take(in.remaining()))}};
        }
        case PERF_RECORD_FORK:
        case PERF_RECORD_EXIT: {
            const auto tgid = in.get<uint32_t>(), parent = in.get<uint32_t>();
            const auto tid = in.get<uint32_t>(), parent_tid = in.get<uint32_t>();
            if (header.type == PERF_RECORD_EXIT) return Decoded{t.time, Exit{t.time, tgid, tid}};
            return Decoded{t.time, Fork{t.time, tgid, tid, parent, parent_tid}};
        }
        case PERF_RECORD_LOST:
            in.skip(8);
            return Decoded{.time = t.time,
                           .record = Lost{in.get<uint64_t>(), t.cpu, LossCause::kernel_buffer},
                           .had_no_room = true};
        case PERF_RECORD_LOST_SAMPLES:
            return Decoded{t.time, Lost{in.get<uint64_t>(), t.cpu, LossCause::kernel_buffer}};
        case PERF_RECORD_THROTTLE:
        case PERF_RECORD_UNTHROTTLE:
            return Decoded{t.time, Throttle{t.time, t.cpu, t.event, header.type == PERF_RECORD_THROTTLE},
                           sampling_of(t.event)};
        default:
            return std::nullopt;
    }
} catch (const Error&) {
    switch (header.type) {
        case PERF_RECORD_SAMPLE:
        case PERF_RECORD_LOST:  // of one at least
        case PERF_RECORD_LOST_SAMPLES:
            return Decoded{0, Lost{1, 0, LossCause::damaged_stream}};
        case PERF_RECORD_MMAP2:
        case PERF_RECORD_COMM:
        case PERF_RECORD_FORK:
        case PERF_RECORD_EXIT:
            return Decoded{0, LostSideBand{1}};
        default:
            return std::nullopt;
    }
}

void PerfDecoder::deliver(const Decoded& decoded, std::vector<Record>& out) const {
    if (!decoded.sampling) return out.push_back(decoded.record);
    if (const auto* throttle = std::get_if<Throttle>(&decoded.record))
        return derive_throttles(*decoded.sampling, *throttle, out);
    derive_samples(*decoded.sampling, decoded.raw, std::get<Sample>(decoded.record), out);
}

}  // namespace op::collect
