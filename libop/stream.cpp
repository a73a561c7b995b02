// SPDX-License-Identifier: GPL-2.0-or-later
// Stream encoding and decoding.
#include "libop/stream.h"

#include <algorithm>
#include <cstring>

#include "kernel/uapi/op_stream.h"

namespace op {
namespace {

constexpr size_t buffer_limit = 1 << 18;

size_t padded(size_t n) {
    return (n + 7) & ~size_t{7};
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

struct Encode {
    std::string& out;

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
        append(out, OP_RECORD_MAPPING, m.kernel ? OP_MAPPING_KERNEL : 0, r, std::string(path).append(id));
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
    void operator()(const Throttle& t) const {
        append(out, OP_RECORD_THROTTLE, t.on, op_record_throttle{{}, t.time, t.cpu, t.event});
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
            {reinterpret_cast<const uint64_t*>(frames.data()), r.frames}};
}

Mapping decode_mapping(ByteReader& in, uint16_t flags) {
    const auto r = in.get<op_record_mapping>();
    const auto path = text_of(in.take(r.path_size));
    const auto id = in.take(r.build_id_size);
    return {
        r.time, r.tgid, RuntimeAddress{r.start}, r.length, r.file_offset, (flags & OP_MAPPING_KERNEL) != 0,
        path,   id};
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

/// Decodes one record of a known type from its bytes; false if the type is unknown.
bool decode(std::span<const std::byte> bytes, const op_record_header& head, std::vector<Record>& out) {
    ByteReader in(bytes, "record");
    switch (head.type) {
        case OP_RECORD_SAMPLE:
            out.emplace_back(decode_sample(in));
            return true;
        case OP_RECORD_MAPPING:
            out.emplace_back(decode_mapping(in, head.flags));
            return true;
        case OP_RECORD_UNMAPPING: {
            const auto r = in.get<op_record_unmapping>();
            out.emplace_back(Unmapping{r.time, r.tgid, RuntimeAddress{r.start}, r.length});
            return true;
        }
        case OP_RECORD_NAME:
            out.emplace_back(decode_name(in, head.flags));
            return true;
        case OP_RECORD_FORK: {
            const auto r = in.get<op_record_fork>();
            out.emplace_back(Fork{r.time, r.tgid, r.tid, r.parent_tgid, r.parent_tid});
            return true;
        }
        case OP_RECORD_EXIT: {
            const auto r = in.get<op_record_exit>();
            out.emplace_back(Exit{r.time, r.tgid, r.tid});
            return true;
        }
        case OP_RECORD_LOST:
            out.emplace_back(decode_lost(in, head.flags));
            return true;
        case OP_RECORD_THROTTLE: {
            const auto r = in.get<op_record_throttle>();
            out.emplace_back(Throttle{r.time, r.cpu, static_cast<uint16_t>(r.event), head.flags != 0});
            return true;
        }
        default:
            return false;
    }
}

}  // namespace

StreamWriter::StreamWriter(Fd fd, std::string path, const SessionInfo& session)
    : fd_(std::move(fd)), path_(std::move(path)) {
    buffer_ += raw(op_stream_file{OP_STREAM_MAGIC, OP_STREAM_VERSION, sizeof(op_stream_file)});
    const std::string text = to_json(session);
    append(buffer_, OP_RECORD_SESSION, 0, op_record_session{{}, text.size()}, text);
}

void StreamWriter::write(const Record& record) {
    std::visit(Encode{buffer_}, record);
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
    : in_(bytes, "stream"), label_(std::move(label)) {
    if (bytes.size() < sizeof(op_stream_file)) throw_input(label_ + ": not a recorded stream (too short)");
    const auto head = in_.get<op_stream_file>();
    if (head.magic == __builtin_bswap64(OP_STREAM_MAGIC))
        throw_input(label_ + ": recorded on a machine of the other byte order");
    if (head.magic != OP_STREAM_MAGIC) throw_input(label_ + ": not a recorded stream");
    if (head.version != OP_STREAM_VERSION)
        throw_input(label_ + ": stream version " + std::to_string(head.version) +
                    ", this program reads version " + std::to_string(OP_STREAM_VERSION));
    if (head.header_size < sizeof head || head.header_size % 8 || head.header_size > bytes.size())
        throw_input(label_ + ": damaged stream head");
    in_.seek(head.header_size);
    const auto record = in_.get<op_record_session>();
    if (record.header.type != OP_RECORD_SESSION || record.header.size % 8 ||
        record.header.size < sizeof record || record.text_size > record.header.size - sizeof record)
        throw_input(label_ + ": damaged stream: no session record");
    const auto tail = in_.take(record.header.size - sizeof record);
    session_ = parse_session_info(text_of(tail.first(record.text_size)), label_);
}

void StreamReader::read(std::vector<Record>& out, size_t limit) {
    out.clear();
    while (out.size() < limit && !damage_ && !in_.done())
        if (!read_one(out)) return;
}

bool StreamReader::read_one(std::vector<Record>& out) {
    const size_t start = in_.position();
    try {
        const auto head = in_.get<op_record_header>();
        in_.seek(start);
        if (head.size < sizeof head || head.size % 8) throw_input("record with impossible size");
        decode(in_.take(head.size), head, out);
        return true;
    } catch (const Error& e) {
        stop_damaged(out, label_ + ": damaged at byte " + std::to_string(start) + " (" + e.what() + ")");
        return false;
    }
}

void StreamReader::stop_damaged(std::vector<Record>& out, const std::string& why) {
    damage_ = why;
    out.emplace_back(Lost{1, 0, LossCause::damaged_stream});
}

}  // namespace op
