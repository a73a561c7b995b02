// SPDX-License-Identifier: GPL-2.0-or-later
// Stream decoding: bytes to records, and the file they are read from.
#include "libop/stream/stream.h"

#include <sys/sysmacros.h>

#include <algorithm>
#include <cstring>

#include "kernel/uapi/op_stream.h"
#include "libop/base/error.h"
#include "libop/stream/record_bytes.h"

namespace op {
namespace {

/// None of reasons that a newer version has.
std::optional<StackEnd> decode_stack_end(uint8_t number) {
    if (number == 0 || number > static_cast<uint8_t>(StackEnd::count)) return std::nullopt;
    return static_cast<StackEnd>(number - 1);
}

Sample decode_sample(ByteReader& in) {
    const auto r = in.get<op_record_sample>();
    const auto frames = in.take(r.frames * sizeof(op_u64));
    if (r.mode > OP_MODE_GUEST || r.kernel_frames > r.frames)
        throw_input("sample record: impossible mode or chain");
    return {r.time,
            r.tgid,
            r.tid,
            r.cpu,
            r.event,
            static_cast<CpuMode>(r.mode),
            r.kernel_frames,
            RuntimeAddress{r.pc},
            {reinterpret_cast<const uint64_t*>(frames.data()), r.frames},
            r.weight == 0 ? 1 : r.weight,
            nullptr,
            decode_stack_end(r.stack_end)};
}

Mapping decode_mapping(ByteReader& in, uint16_t flags) {
    const auto r = in.get<op_record_mapping>();
    const auto path = text_of(in.take(r.path_size));
    const auto id = in.take(r.build_id_size);
    Mapping m{
        r.time, r.tgid, RuntimeAddress{r.start}, r.length, r.file_offset, (flags & OP_MAPPING_KERNEL) != 0,
        path,   id};
    m.is_exact = (flags & OP_MAPPING_EXACT) != 0;
    if (flags & OP_MAPPING_FILE) {
        const auto file = in.get<op_file_identity>();
        m.file = {makedev(file.device_major, file.device_minor), file.inode};
        if (flags & OP_MAPPING_GENERATION) m.file.generation = in.get<op_u64>();
    }
    return m;
}

Name decode_name(ByteReader& in, uint16_t flags) {
    const auto r = in.get<op_record_name>();
    return {r.time, r.tgid, r.tid, (flags & OP_NAME_EXEC) != 0, text_of(in.take(r.name_size))};
}

Lost decode_lost(ByteReader& in, uint16_t flags) {
    const auto r = in.get<op_record_lost>();
    if (flags >= loss_causes) throw_input("loss record: unknown cause");
    return {r.count, r.cpu, static_cast<LossCause>(flags)};
}

ImageCookie decode_image(ByteReader& in, uint16_t flags) {
    const auto r = in.get<op_record_image>();
    if (r.cookie == 0) throw_input("image record: cookie 0");
    const auto path = text_of(in.take(r.path_size));
    return {r.cookie, (flags & OP_IMAGE_REGION) != 0,
            r.tgid,   RuntimeAddress{r.start},
            r.length, r.device,
            r.inode,  path};
}

/// What holds for all placed samples up to a record that changes it.
struct PlacedState {
    const op_record_context& context;
    uint64_t time;
};

PlacedSample decode_placed(ByteReader& in, const PlacedState& state, uint32_t weight) {
    const op_record_context& context = state.context;
    const auto r = in.get<op_record_placed>();
    const auto frames = in.take(r.frames * sizeof(op_place));
    if (r.mode > OP_MODE_GUEST || r.kernel_frames > r.frames)
        throw_input("placed record: impossible mode or chain");
    return {context.tgid,
            context.tid,
            context.cpu,
            context.app,
            r.event,
            static_cast<CpuMode>(r.mode),
            r.kernel_frames,
            {r.place.offset, r.place.image},
            {reinterpret_cast<const Place*>(frames.data()), r.frames},
            weight,
            0,
            nullptr,
            decode_stack_end(r.stack_end),
            state.time};
}

/// The pc, then the others by number.
UserRegisters decode_registers(ByteReader& in, uint16_t count) {
    UserRegisters registers;
    for (uint16_t i = 0; i < count; ++i) {
        const auto value = in.get<op_u64>();
        if (i == 0)
            registers.pc = RuntimeAddress{value};
        else if (i <= unwind_registers)
            registers.by_number[i - 1] = value;
    }
    return registers;
}

UserStack decode_user_stack(ByteReader& in, const op_user_stack& head) {
    UserStack stack;
    stack.registers = decode_registers(in, head.registers);
    stack.is_32_bit = (head.flags & OP_STACK_32BIT) != 0;
    stack.has_registers = head.registers > 1 && !stack.is_32_bit;
    stack.bytes = in.take(head.bytes);
    stack.requested = head.wanted;
    stack.is_whole = (head.flags & OP_STACK_IS_LONGER) == 0;
    return stack;
}

PlacedMaps decode_maps(ByteReader& in) {
    const auto r = in.get<op_record_maps>();
    if (r.slot >= OP_MAPS_SLOTS) throw_input("mappings record: impossible slot");
    const auto mappings = in.take(uint64_t{r.mappings} * sizeof(op_mapped));
    return {r.number, r.slot, r.tgid, {reinterpret_cast<const PlacedMapping*>(mappings.data()), r.mappings}};
}

PlacedSample decode_placed_sample(ByteReader& in, uint16_t flags, const PlacedState& state) {
    return decode_placed(in, state, flags == 0 ? 1 : flags);
}

RawSample decode_raw_sample(ByteReader& in, uint16_t flags, const PlacedState& state) {
    const PlacedSample placed = decode_placed(in, state, 1);
    return {placed, in.take(flags)};
}

/// Numbers beyond 16 bits belong to no event; they become 0xffff, which belongs to no event either.
uint16_t event_number(op_u32 event) {
    return static_cast<uint16_t>(std::min<op_u32>(event, 0xffff));
}

Unmapping decode_unmapping(ByteReader& in) {
    const auto r = in.get<op_record_unmapping>();
    return {r.time, r.tgid, RuntimeAddress{r.start}, r.length};
}

Fork decode_fork(ByteReader& in) {
    const auto r = in.get<op_record_fork>();
    return {r.time, r.tgid, r.tid, r.parent_tgid, r.parent_tid};
}

Exit decode_exit(ByteReader& in) {
    const auto r = in.get<op_record_exit>();
    return {r.time, r.tgid, r.tid};
}

Throttle decode_throttle(ByteReader& in, uint16_t flags) {
    const auto r = in.get<op_record_throttle>();
    return {r.time, r.cpu, event_number(r.event), flags != 0};
}

MissedPeriods decode_missed(ByteReader& in) {
    const auto r = in.get<op_record_missed>();
    return {r.count, r.cpu};
}

EventTime decode_event_time(ByteReader& in) {
    const auto r = in.get<op_record_time>();
    return {event_number(r.event), {r.enabled, r.running}};
}

bool is_placed(uint16_t type) {
    return type == OP_RECORD_PLACED || type == OP_RECORD_PLACED_RAW || type == OP_RECORD_PLACED_STACK;
}

/// Decodes a record that needs no context; nothing if its type is unknown.
void decode_plain(ByteReader& in, const op_record_header& head, std::vector<Record>& out) {
    switch (head.type) {
        case OP_RECORD_SAMPLE:
            out.emplace_back(decode_sample(in));
            break;
        case OP_RECORD_MAPPING:
            out.emplace_back(decode_mapping(in, head.flags));
            break;
        case OP_RECORD_UNMAPPING:
            out.emplace_back(decode_unmapping(in));
            break;
        case OP_RECORD_NAME:
            out.emplace_back(decode_name(in, head.flags));
            break;
        case OP_RECORD_FORK:
            out.emplace_back(decode_fork(in));
            break;
        case OP_RECORD_EXIT:
            out.emplace_back(decode_exit(in));
            break;
        case OP_RECORD_LOST:
            out.emplace_back(decode_lost(in, head.flags));
            break;
        case OP_RECORD_THROTTLE:
            out.emplace_back(decode_throttle(in, head.flags));
            break;
        case OP_RECORD_TIME:
            out.emplace_back(decode_event_time(in));
            break;
        case OP_RECORD_LOST_SIDE_BAND:
            out.emplace_back(LostSideBand{in.get<op_record_lost_side_band>().count});
            break;
        case OP_RECORD_MISSED:
            out.emplace_back(decode_missed(in));
            break;
        case OP_RECORD_MAPS:
            out.emplace_back(decode_maps(in));
            break;
        case OP_RECORD_IMAGE:
            out.emplace_back(decode_image(in, head.flags));
            break;
        default:
            break;
    }
}

}  // namespace

size_t RecordDecoder::decode(std::span<const std::byte> bytes, std::vector<Record>& out, size_t limit) {
    const size_t end = out.size() + limit;
    size_t at = 0;
    stacks_.clear();
    try {
        while (out.size() < end && !damage_ && at < bytes.size())
            at += decode_one(bytes.subspan(at), out);
    } catch (const Error& e) {
        damage_ = e.what();
        out.emplace_back(Lost{1, 0, LossCause::damaged_stream});
    }
    return at;
}

size_t RecordDecoder::decode_one(std::span<const std::byte> bytes, std::vector<Record>& out) {
    const auto head = ByteReader(bytes, "record").get<op_record_header>();
    if (head.size < sizeof head || head.size % 8) throw_input("record with impossible size");
    if (head.size > bytes.size()) throw_input("record cut off");
    ByteReader in(bytes.first(head.size), "record");
    if (is_placed(head.type)) {
        if (!context_) throw_input("placed record without a context");
        decode_placed_one(in, head, out);
    } else if (head.type == OP_RECORD_CONTEXT) {
        decode_context(in.take(sizeof(op_record_context)), out);
    } else if (head.type == OP_RECORD_SAMPLE_TIME) {
        time_ = in.get<op_record_sample_time>().time;
    } else {
        decode_plain(in, head, out);
    }
    return head.size;
}

void RecordDecoder::decode_placed_one(ByteReader& in, const op_record_header& head,
                                      std::vector<Record>& out) {
    const PlacedState state{*context_, time_};
    if (head.type == OP_RECORD_PLACED_RAW) {
        out.emplace_back(decode_raw_sample(in, head.flags, state));
        return;
    }
    PlacedSample sample = decode_placed_sample(in, head.flags, state);
    if (head.type == OP_RECORD_PLACED_STACK) {
        const auto stack = in.get<op_user_stack>();
        sample.maps = stack.maps;
        sample.user_stack = &stacks_.emplace_back(decode_user_stack(in, stack));
    }
    out.emplace_back(sample);
}

/// The driver restates a context often: what does not change a run is no record.
void RecordDecoder::decode_context(std::span<const std::byte> bytes, std::vector<Record>& out) {
    op_record_context next;
    std::memcpy(&next, bytes.data(), sizeof next);
    const bool is_named = next.comm[0] != '\0' || (context_ && context_->comm[0] != '\0');
    const bool is_same = context_ && is_same_run(next, *context_);
    context_ = next;
    if (!is_named || is_same) return;
    const std::string_view comm = text_of(bytes.subspan(offsetof(op_record_context, comm), sizeof next.comm));
    out.emplace_back(PlacedName{next.tgid, next.tid, next.app, comm.substr(0, comm.find('\0'))});
}

StreamReader::StreamReader(std::span<const std::byte> bytes, std::string label)
    : bytes_(bytes), label_(std::move(label)) {
    ByteReader in(bytes, "stream");
    if (bytes.size() < sizeof(op_stream_file)) throw_input(label_ + ": not a recorded stream (too short)");
    const auto head = in.get<op_stream_file>();
    if (head.magic == __builtin_bswap64(OP_STREAM_MAGIC))
        throw_input(label_ + ": recorded on a machine of the other byte order");
    if (head.magic != OP_STREAM_MAGIC) throw_input(label_ + ": not a recorded stream");
    if (head.version != OP_STREAM_VERSION)
        throw_input(label_ + ": stream version " + std::to_string(head.version) +
                    ", this program reads version " + std::to_string(OP_STREAM_VERSION));
    if (head.header_size < sizeof head || head.header_size % 8 || head.header_size > bytes.size())
        throw_input(label_ + ": damaged stream head");
    in.seek(head.header_size);
    const auto record = in.get<op_record_session>();
    if (record.header.type != OP_RECORD_SESSION || record.header.size % 8 ||
        record.header.size < sizeof record || record.text_size > record.header.size - sizeof record)
        throw_input(label_ + ": damaged stream: no session record");
    const auto tail = in.take(record.header.size - sizeof record);
    session_ = parse_session_info(text_of(tail.first(record.text_size)), label_);
    position_ = in.position();
}

void StreamReader::read(std::vector<Record>& out, size_t limit) {
    out.clear();
    position_ += decoder_.decode(bytes_.subspan(position_), out, limit);
    if (decoder_.damage() && !damage_)
        damage_ = label_ + ": damaged at byte " + std::to_string(position_) + " (" + *decoder_.damage() + ")";
}

}  // namespace op
