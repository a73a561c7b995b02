// SPDX-License-Identifier: GPL-2.0-or-later
// Stream encoding and decoding.
#include "libop/stream/stream.h"

#include <sys/sysmacros.h>

#include <algorithm>
#include <cstring>

#include "kernel/uapi/op_stream.h"

namespace op {
namespace {

constexpr size_t buffer_limit = 1 << 18;

// The stream's words for causes, modes and places are ours.
constexpr bool same(op_loss theirs, LossCause ours) {
    return static_cast<int>(theirs) == static_cast<int>(ours);
}
static_assert(same(OP_LOSS_KERNEL_BUFFER, LossCause::kernel_buffer));
static_assert(same(OP_LOSS_NO_MAPPING, LossCause::no_mapping));
static_assert(same(OP_LOSS_NO_PROCESS, LossCause::no_process));
static_assert(same(OP_LOSS_NESTED, LossCause::nested));
static_assert(same(OP_LOSS_PENDING, LossCause::pending));
static_assert(OP_MODE_GUEST == static_cast<int>(CpuMode::guest));
static_assert(sizeof(Place) == sizeof(op_place) && alignof(Place) <= 8);
static_assert(offsetof(Place, offset) == offsetof(op_place, offset));
static_assert(offsetof(Place, cookie) == offsetof(op_place, image));

size_t padded(size_t n) {
    return (n + 7) & ~size_t{7};
}

bool has_generation(const Mapping& m) {
    return m.file.is_known() && m.file.generation != 0;
}

uint16_t mapping_flags(const Mapping& m) {
    return static_cast<uint16_t>((m.kernel ? OP_MAPPING_KERNEL : 0) | (m.is_exact ? OP_MAPPING_EXACT : 0) |
                                 (m.file.is_known() ? OP_MAPPING_FILE : 0) |
                                 (has_generation(m) ? OP_MAPPING_GENERATION : 0));
}

template <class T>
std::string_view raw(const T& value) {
    return {reinterpret_cast<const char*>(&value), sizeof value};
}

std::string_view text_of(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Appends a fixed part and its tail, filling in the header.
template <class T>
void append(std::string& out, op_record_type type, uint16_t flags, T fixed, std::string_view tail = {}) {
    const size_t size = padded(sizeof fixed + tail.size());
    fixed.header = {static_cast<op_u16>(type), flags, static_cast<op_u32>(size)};
    out += raw(fixed);
    out += tail;
    out.append(size - sizeof fixed - tail.size(), '\0');
}

/// Longest chain and texts a record can hold; what is longer is cut.
template <class Size>
std::string_view cut(std::string_view text) {
    return text.substr(0, std::min<size_t>(text.size(), static_cast<Size>(-1)));
}

/// True if both are of one thread, program and name.
bool is_same_run(const op_record_context& a, const op_record_context& b) {
    return a.tgid == b.tgid && a.tid == b.tid && a.app == b.app &&
           std::memcmp(a.comm, b.comm, sizeof a.comm) == 0;
}

struct Encode {
    std::string& out;
    std::optional<op_record_context>& context;  ///< the stream's last
    op_record_context& named;                   ///< the last name and its thread

    void operator()(const Sample& s) const {
        const size_t frames = std::min<size_t>(s.chain.size(), 0xffff);
        op_record_sample r{};
        r.time = s.time;
        r.pc = s.pc.value();
        r.tgid = s.tgid;
        r.tid = s.tid;
        r.cpu = s.cpu;
        r.event = s.event;
        r.mode = static_cast<op_u8>(s.mode);
        r.frames = static_cast<op_u16>(frames);
        r.kernel_frames = static_cast<op_u16>(std::min<size_t>(s.kernel_frames, frames));
        r.weight = s.weight == 1 ? 0 : s.weight;
        append(out, OP_RECORD_SAMPLE, 0, r,
               {reinterpret_cast<const char*>(s.chain.data()), frames * sizeof(op_u64)});
    }
    void operator()(const Mapping& m) const {
        const auto path = cut<op_u16>(m.path);
        const auto id = cut<op_u16>(text_of(m.build_id));
        op_record_mapping r{};
        r.time = m.time;
        r.start = m.start.value();
        r.length = m.length;
        r.file_offset = m.file_offset;
        r.tgid = m.tgid;
        r.path_size = static_cast<op_u16>(path.size());
        r.build_id_size = static_cast<op_u16>(id.size());
        std::string tail = std::string(path).append(id);
        if (m.file.is_known())
            tail.append(raw(op_file_identity{major(m.file.device), minor(m.file.device), m.file.inode}));
        if (has_generation(m)) tail.append(raw(op_u64{m.file.generation}));
        append(out, OP_RECORD_MAPPING, mapping_flags(m), r, tail);
    }
    void operator()(const Unmapping& u) const {
        op_record_unmapping r{};
        r.time = u.time;
        r.start = u.start.value();
        r.length = u.length;
        r.tgid = u.tgid;
        append(out, OP_RECORD_UNMAPPING, 0, r);
    }
    void operator()(const Name& n) const {
        op_record_name r{};
        r.time = n.time;
        r.tgid = n.tgid;
        r.tid = n.tid;
        const auto comm = cut<op_u16>(n.comm);
        r.name_size = static_cast<op_u32>(comm.size());
        append(out, OP_RECORD_NAME, n.exec ? OP_NAME_EXEC : 0, r, comm);
    }
    void operator()(const Fork& f) const {
        append(out, OP_RECORD_FORK, 0,
               op_record_fork{{}, f.time, f.tgid, f.tid, f.parent_tgid, f.parent_tid});
    }
    void operator()(const Exit& e) const {
        append(out, OP_RECORD_EXIT, 0, op_record_exit{{}, e.time, e.tgid, e.tid});
    }
    void operator()(const Lost& l) const {
        append(out, OP_RECORD_LOST, static_cast<uint16_t>(l.cause), op_record_lost{{}, l.count, l.cpu, 0});
    }
    void operator()(const LostSideBand& l) const {
        append(out, OP_RECORD_LOST_SIDE_BAND, 0, op_record_lost_side_band{{}, l.count});
    }
    void operator()(const Throttle& t) const {
        append(out, OP_RECORD_THROTTLE, t.on, op_record_throttle{{}, t.time, t.cpu, t.event});
    }
    void operator()(const EventTime& t) const {
        append(out, OP_RECORD_TIME, 0, op_record_time{{}, t.time.enabled, t.time.running, t.event, 0});
    }
    void operator()(const ImageCookie& i) const {
        const auto path = cut<op_u16>(i.path);
        op_record_image r{};
        r.cookie = i.cookie;
        r.tgid = i.tgid;
        r.start = i.start.value();
        r.length = i.length;
        r.device = i.device;
        r.inode = i.inode;
        r.path_size = static_cast<op_u32>(path.size());
        append(out, OP_RECORD_IMAGE, i.region ? OP_IMAGE_REGION : 0, r, path);
    }
    /// The context of the thread's next sample has it.
    void operator()(const PlacedName& n) const {
        named = {{}, 0, n.tgid, n.tid, n.app, {}};
        n.comm.copy(named.comm, sizeof named.comm);
    }
    void operator()(const PlacedSample& s) const {
        op_record_context next{{}, s.cpu, s.tgid, s.tid, s.app, {}};
        if (named.tgid == s.tgid && named.tid == s.tid) std::ranges::copy(named.comm, next.comm);
        if (!context || context->cpu != next.cpu || !is_same_run(*context, next)) {
            context = next;
            append(out, OP_RECORD_CONTEXT, 0, next);
        }
        const size_t frames = std::min<size_t>(s.chain.size(), 0xffff);
        op_record_placed r{};
        r.place = {s.place.offset, s.place.cookie, 0};
        r.event = s.event;
        r.mode = static_cast<op_u8>(s.mode);
        r.frames = static_cast<op_u16>(frames);
        r.kernel_frames = static_cast<op_u16>(std::min<size_t>(s.kernel_frames, frames));
        append(out, OP_RECORD_PLACED, 0, r,
               {reinterpret_cast<const char*>(s.chain.data()), frames * sizeof(Place)});
    }
};

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
            r.weight == 0 ? 1 : r.weight};
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

PlacedSample decode_placed_sample(ByteReader& in, const op_record_context& context) {
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
            {reinterpret_cast<const Place*>(frames.data()), r.frames}};
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

EventTime decode_event_time(ByteReader& in) {
    const auto r = in.get<op_record_time>();
    return {event_number(r.event), {r.enabled, r.running}};
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
        case OP_RECORD_IMAGE:
            out.emplace_back(decode_image(in, head.flags));
            break;
        default:
            break;
    }
}

}  // namespace

void RecordEncoder::encode(const Record& record, std::string& out) {
    std::visit(Encode{out, context_, named_}, record);
}

size_t RecordDecoder::decode(std::span<const std::byte> bytes, std::vector<Record>& out, size_t limit) {
    const size_t end = out.size() + limit;
    size_t at = 0;
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
    if (head.type == OP_RECORD_PLACED) {
        if (!context_) throw_input("placed record without a context");
        out.emplace_back(decode_placed_sample(in, *context_));
    } else if (head.type == OP_RECORD_CONTEXT) {
        decode_context(in.take(sizeof(op_record_context)), out);
    } else {
        decode_plain(in, head, out);
    }
    return head.size;
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

StreamWriter::StreamWriter(Fd fd, std::string path, const SessionInfo& session)
    : fd_(std::move(fd)), path_(std::move(path)) {
    buffer_ += raw(op_stream_file{OP_STREAM_MAGIC, OP_STREAM_VERSION, sizeof(op_stream_file)});
    const std::string text = to_json(session);
    append(buffer_, OP_RECORD_SESSION, 0, op_record_session{{}, text.size()}, text);
}

void StreamWriter::write(const Record& record) {
    encoder_.encode(record, buffer_);
    flush_if_large();
}

void StreamWriter::flush_if_large() {
    if (buffer_.size() >= buffer_limit) finish();
}

void StreamWriter::finish() {
    const size_t written = write_part(fd_.get(), buffer_);
    const int error = errno;
    buffer_.erase(0, written);  // else the next attempt would write it twice
    if (!buffer_.empty()) throw_system("cannot write " + path_, error);
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
