// SPDX-License-Identifier: GPL-2.0-or-later
// Decoding, field by field.
#include "daemon/import/perf_data_decoder.h"

#include <linux/perf_event.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "daemon/import/perf_data_user_stack.h"
#include "libop/base/error.h"
#include "libop/base/fd.h"
#include "libop/base/text.h"

namespace op::collect {
namespace {

constexpr uint64_t word = sizeof(uint64_t);
/// An event number no session has; the collector counts its samples as unknown_event.
constexpr uint16_t unknown_event = UINT16_MAX;
/// Addresses from here on are the kernel's on every machine that perf knows.
constexpr uint64_t upper_half = uint64_t{1} << 63;
constexpr uint64_t no_time = UINT64_MAX;
constexpr std::string_view kernel_path = "[kernel.kallsyms]", guest_path = "[guest.";

/// Bytes of the fields among `which`, each of a word.
uint64_t words(uint64_t sample_type, uint64_t which) {
    return word * static_cast<uint64_t>(std::popcount(sample_type & which));
}

// Fields of a sample before its time and its id, and of the trailer from its time and id to its end.
constexpr uint64_t before_time = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID;
constexpr uint64_t before_id = before_time | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR;
constexpr uint64_t from_cpu = PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER;
constexpr uint64_t from_id = PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | from_cpu;
constexpr uint64_t from_time = PERF_SAMPLE_TIME | from_id;
constexpr uint64_t whole_trailer = PERF_SAMPLE_TID | from_time;

CpuMode mode_of(uint16_t misc, uint64_t pc) {
    switch (misc & PERF_RECORD_MISC_CPUMODE_MASK) {
        case PERF_RECORD_MISC_USER:
            return CpuMode::user;
        case PERF_RECORD_MISC_KERNEL:
            return CpuMode::kernel;
        case PERF_RECORD_MISC_CPUMODE_UNKNOWN:
            return pc >= upper_half ? CpuMode::kernel : CpuMode::user;
        default:
            return CpuMode::guest;
    }
}

/// Sorts a chain's addresses into the arena: kernel frames first, the sampled pc dropped, marks heeded.
/// Chains without marks begin in the sample's own mode.
void take_chain(FieldReader& in, bool wants_user, Sample& sample, ChainArena& chains) {
    const uint64_t count = in.u64();
    if (count > in.remaining() / word) throw_input("a chain is longer than its record");
    const size_t start = chains.mark();
    bool kernel = sample.mode == CpuMode::kernel, wanted = true, first = true;
    uint16_t kernel_frames = 0;
    for (uint64_t i = 0; i < count; ++i) {
        const uint64_t address = in.u64();
        if (address >= PERF_CONTEXT_MAX) {
            kernel = address == PERF_CONTEXT_KERNEL;
            wanted = kernel || address == PERF_CONTEXT_USER;
        } else if (wanted) {
            if ((!first || address != sample.pc.value()) && (kernel || wants_user)) {
                chains.add(address);
                kernel_frames += kernel;
            }
            first = false;
        }
    }
    sample.chain = chains.since(start);
    sample.kernel_frames = kernel_frames;
}

void skip_read(FieldReader& in, uint64_t format) {
    const uint64_t times = words(format, PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING);
    const uint64_t value = word + words(format, PERF_FORMAT_ID | uint64_t{1} << 4);  // LOST
    if (!(format & PERF_FORMAT_GROUP)) return in.skip(times + value);
    const uint64_t count = in.u64();
    in.skip(times);
    if (count > in.remaining() / value) throw_input("a group is longer than its record");
    in.skip(count * value);
}

void skip_branches(FieldReader& in, const PerfDataAttr& attr) {
    constexpr uint64_t entry = sizeof(perf_branch_entry);
    const uint64_t count = in.u64();
    if (attr.branch_sample_type & PERF_SAMPLE_BRANCH_HW_INDEX) in.skip(word);
    if (count > in.remaining() / entry) throw_input("branches are longer than their record");
    in.skip(count * entry);
}

/// "/lib/modules/6.1/kernel/net/nf-tables.ko.xz", "[nf_tables]" -> "nf_tables", as /proc/modules has it.
std::string module_name(std::string_view path) {
    std::string name(base_name(path));
    if (name.starts_with('[') && name.ends_with(']')) name = name.substr(1, name.size() - 2);
    if (const size_t end = name.find(".ko"); end != name.npos) name.resize(end);
    std::ranges::replace(name, '-', '_');
    std::ranges::replace(name, '/', '_');
    return name;
}

bool is_name_character(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

FileIdentity read_identity(FieldReader in) {
    const uint32_t major = in.u32(), minor = in.u32();
    FileIdentity file{makedev(major, minor), in.u64()};
    file.generation = in.u64();
    return file;
}

/// What a record that cannot be decoded is counted as.
std::optional<Record> damaged(uint32_t type) {
    switch (type) {
        case PERF_RECORD_SAMPLE:
        case PERF_RECORD_LOST:  // of one at least
        case PERF_RECORD_LOST_SAMPLES:
            return Lost{1, 0, LossCause::damaged_stream};
        case PERF_RECORD_MMAP:
        case PERF_RECORD_MMAP2:
        case PERF_RECORD_COMM:
        case PERF_RECORD_FORK:
        case PERF_RECORD_EXIT:
            return LostSideBand{1};
        default:
            return std::nullopt;
    }
}

}  // namespace

uint16_t PerfDataDecoder::event_of(uint64_t id) const noexcept {
    const uint16_t attr = header_.attrs.find(id);
    return attr < events_.of_attr.size() ? events_.of_attr[attr] : unknown_event;
}

/// The attribute by which a sample is laid out, and its event.
const PerfDataAttr& PerfDataDecoder::attr_of_sample(std::span<const std::byte> body, uint16_t& event) const {
    const PerfDataAttr& first = header_.attrs.attrs.front();
    constexpr uint64_t any_id = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_ID;
    if (header_.attrs.attrs.size() == 1 || !(first.sample_type & any_id)) {
        event = event_of(0);
        return first;
    }
    FieldReader in = reader(body);
    if (!(first.sample_type & PERF_SAMPLE_IDENTIFIER)) {
        in.skip(words(first.sample_type, before_id));
    }
    const uint16_t attr = header_.attrs.find(in.u64());
    event = attr < events_.of_attr.size() ? events_.of_attr[attr] : unknown_event;
    return attr < header_.attrs.attrs.size() ? header_.attrs.attrs[attr] : first;
}

uint64_t PerfDataDecoder::time_of(const RawPerfRecord& record) const noexcept try {
    FieldReader in = reader(record.body);
    uint64_t time = 0;
    if (record.type == PERF_RECORD_SAMPLE) {
        uint16_t event = 0;
        const PerfDataAttr& attr = attr_of_sample(record.body, event);
        if (!(attr.sample_type & PERF_SAMPLE_TIME)) return 0;
        in.skip(words(attr.sample_type, before_time));
        time = in.u64();
    } else {
        const PerfDataAttr& attr = attr_of_others();
        const uint64_t tail = words(attr.sample_type, from_time);
        if (!attr.has_sample_id || !(attr.sample_type & PERF_SAMPLE_TIME) || tail > record.body.size())
            return 0;
        in.skip(record.body.size() - tail);
        time = in.u64();
    }
    return time == no_time ? 0 : time;
} catch (const Error&) {
    return 0;
}

std::span<const std::byte> PerfDataDecoder::without_trailer(std::span<const std::byte> body) const {
    const PerfDataAttr& attr = attr_of_others();
    const uint64_t tail = attr.has_sample_id ? words(attr.sample_type, whole_trailer) : 0;
    if (tail > body.size()) throw_input("a record is shorter than its trailer");
    return body.first(body.size() - tail);
}

/// Of a record that is no sample; 0 if it has none.
uint32_t PerfDataDecoder::cpu_of(std::span<const std::byte> body) const {
    const PerfDataAttr& attr = attr_of_others();
    const uint64_t tail = words(attr.sample_type, from_cpu);
    if (!attr.has_sample_id || !(attr.sample_type & PERF_SAMPLE_CPU) || tail > body.size()) return 0;
    return reader(body.subspan(body.size() - tail)).u32();
}

Record PerfDataDecoder::decode_sample(const RawPerfRecord& record, ChainArena& chains) const {
    Sample s{};
    const PerfDataAttr& attr = attr_of_sample(record.body, s.event);
    const auto has = [&attr](uint64_t field) { return (attr.sample_type & field) != 0; };
    FieldReader in = reader(record.body);
    if (has(PERF_SAMPLE_IDENTIFIER)) in.skip(word);
    if (has(PERF_SAMPLE_IP)) s.pc = {in.u64()};
    if (has(PERF_SAMPLE_TID)) {
        s.tgid = in.u32();
        s.tid = in.u32();
    }
    if (has(PERF_SAMPLE_TIME)) s.time = in.u64();
    in.skip(words(attr.sample_type, PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID));
    if (has(PERF_SAMPLE_CPU)) {
        s.cpu = in.u32();
        in.skip(sizeof(uint32_t));
    }
    s.mode = mode_of(record.misc, s.pc.value());
    if (has(PERF_SAMPLE_PERIOD)) in.skip(word);
    if (has(PERF_SAMPLE_READ)) skip_read(in, attr.read_format);
    const bool is_walked = walks_stacks_ && has(PERF_SAMPLE_STACK_USER) && has(PERF_SAMPLE_REGS_USER);
    if (has(PERF_SAMPLE_CALLCHAIN)) take_chain(in, !is_walked, s, chains);
    if (!is_walked) return s;  // nothing further is needed
    if (has(PERF_SAMPLE_RAW)) in.skip(in.u32());
    if (has(PERF_SAMPLE_BRANCH_STACK)) skip_branches(in, attr);
    s.user_stack = chains.add_stack(take_user_stack(in, attr.regs_user));
    return s;
}

std::span<const std::byte> PerfDataDecoder::known_build_id(std::string_view path) const {
    const auto& ids = header_.features.build_ids;
    const auto it = ids.find(std::string(path));
    return it == ids.end() ? std::span<const std::byte>() : as_bytes(it->second);
}

// Where several profilers record, the kernel leaves the mark of a build-id that one of them asked for in the
// records of those that did not, which have a device and an inode there (perf_event_mmap_output(), seen with
// Linux 6.18). What perf inject writes has the mark and no flag; its build-ids are whole.
void PerfDataDecoder::identify(Mapping& mapping, uint16_t misc, std::span<const std::byte> identity) const {
    constexpr size_t sha1 = 20, md5 = 16;
    const auto length = std::to_integer<size_t>(identity[0]);
    if (!(misc & PERF_RECORD_MISC_MMAP_BUILD_ID))
        mapping.file = read_identity(reader(identity));
    else if (attr_of_others().has_build_ids || length == sha1 || length == md5)
        mapping.build_id = trimmed_build_id(identity.subspan(4), length);
}

// MMAP: pid, tid, addr, len, pgoff, path. MMAP2: before the path 24 bytes of device and inode or of build-id,
// prot, flags.
std::optional<Record> PerfDataDecoder::decode_mapping(const RawPerfRecord& record, bool has_more) {
    constexpr uint16_t is_data = PERF_RECORD_MISC_MMAP_DATA;
    constexpr uint32_t executable = 4;  // PROT_EXEC on every machine
    FieldReader in = reader(without_trailer(record.body));
    Mapping m{};
    m.time = time_of(record);
    m.tgid = in.u32();
    in.skip(sizeof(uint32_t));
    m.start = {in.u64()};
    m.length = in.u64();
    m.file_offset = in.u64();
    const unsigned mode = record.misc & PERF_RECORD_MISC_CPUMODE_MASK;
    bool is_code = !(record.misc & is_data);
    if (has_more) {
        identify(m, record.misc, in.take(24));
        is_code = (in.u32() & executable) != 0 || mode == PERF_RECORD_MISC_KERNEL;
        in.skip(sizeof(uint32_t));
    }
    const std::string_view path = FieldReader::text(in.take(in.remaining()));
    if (!is_code || mode > PERF_RECORD_MISC_USER || path.starts_with(guest_path)) return std::nullopt;
    if (m.build_id.empty()) m.build_id = known_build_id(path);
    if (mode == PERF_RECORD_MISC_KERNEL) return kernel_mapping(m, path);
    m.path = path;
    return m;
}

/// `[kernel.kallsyms]_text` is the kernel, whatever symbol is named; else it is a module's path or name.
std::optional<Record> PerfDataDecoder::kernel_mapping(Mapping m, std::string_view path) {
    m.kernel = true;
    m.tgid = 0;
    m.file = {};
    m.file_offset = 0;
    const bool is_module =
        !path.starts_with("[kernel") && (path.starts_with('[') || path.find(".ko") != path.npos);
    if (is_module) {
        m.path = names_.emplace_back(module_name(path));
        if (m.path.empty() || m.length == 0) return std::nullopt;
        return m;
    }
    m.path = kallsyms_image;
    if (m.build_id.empty()) m.build_id = known_build_id(kernel_path);
    return m;
}

/// KSYMBOL: addr, u32 length, u16 kind, u16 flags, name. Programs of BPF and trampolines are images of their
/// own. The place of one that is gone keeps its name until something else is there.
std::optional<Record> PerfDataDecoder::made_kernel_code(const RawPerfRecord& record) {
    FieldReader in = reader(without_trailer(record.body));
    Mapping m{};
    m.time = time_of(record);
    m.kernel = true;
    m.start = {in.u64()};
    m.length = in.u32();
    in.skip(sizeof(uint16_t));
    const bool is_gone = (in.u16() & PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER) != 0;
    std::string name(FieldReader::text(in.take(in.remaining())));
    if (is_gone || name.empty() || name.size() > longest_made || m.length == 0) return std::nullopt;
    std::ranges::replace_if(
        name, [](char c) { return !is_name_character(c); }, '_');
    if (!made_.contains(name) && made_.size() >= most_made) return std::nullopt;
    m.path = *made_.insert(std::move(name)).first;
    return m;
}

/// True for a process that ran before the recording began: as if it had called exec then, its first mapping
/// is its program's. perf writes those records itself, with time 0.
bool PerfDataDecoder::is_first_name(uint32_t tgid, uint32_t tid, uint64_t time) {
    const PerfDataAttr& attr = attr_of_others();
    if (tgid != tid) return false;
    if (attr.has_sample_id && (attr.sample_type & PERF_SAMPLE_TIME)) return time == 0;
    return named_.size() < most_named && named_.insert(tgid).second;
}

std::optional<Record> PerfDataDecoder::decode_other(const RawPerfRecord& record) {
    const uint64_t time = time_of(record);
    const auto mapping = [&](bool has_more) { return decode_mapping(record, has_more); };
    if (record.type == PERF_RECORD_MMAP) return mapping(false);
    if (record.type == PERF_RECORD_MMAP2) return mapping(true);
    if (record.type == PERF_RECORD_KSYMBOL) return made_kernel_code(record);
    FieldReader in = reader(without_trailer(record.body));
    switch (record.type) {
        case PERF_RECORD_COMM: {
            const uint32_t tgid = in.u32(), tid = in.u32();
            const bool exec = record.misc & PERF_RECORD_MISC_COMM_EXEC || is_first_name(tgid, tid, time);
            return Name{time, tgid, tid, exec, FieldReader::text(in.take(in.remaining()))};
        }
        case PERF_RECORD_FORK:
        case PERF_RECORD_EXIT: {
            const uint32_t tgid = in.u32(), parent = in.u32(), tid = in.u32(), parent_tid = in.u32();
            if (record.type == PERF_RECORD_EXIT) return Exit{time, tgid, tid};
            return Fork{time, tgid, tid, parent, parent_tid};
        }
        case PERF_RECORD_LOST:
            in.skip(word);
            return Lost{in.u64(), cpu_of(record.body), LossCause::kernel_buffer};
        case PERF_RECORD_LOST_SAMPLES:
            return Lost{in.u64(), cpu_of(record.body), LossCause::kernel_buffer};
        case PERF_RECORD_THROTTLE:
        case PERF_RECORD_UNTHROTTLE: {
            in.skip(word);
            const uint16_t event = event_of(in.u64());
            return Throttle{time, cpu_of(record.body), event, record.type == PERF_RECORD_THROTTLE};
        }
        default:
            return std::nullopt;
    }
}

std::optional<Record> PerfDataDecoder::decode(const RawPerfRecord& record, ChainArena& chains) try {
    if (record.type == PERF_RECORD_SAMPLE) return decode_sample(record, chains);
    return decode_other(record);
} catch (const Error&) {
    return damaged(record.type);
}

}  // namespace op::collect
