// SPDX-License-Identifier: GPL-2.0-or-later
// Stream encoding: records to bytes, and the file they are written to.
#include <sys/sysmacros.h>

#include <algorithm>
#include <cstring>

#include "kernel/uapi/op_stream.h"
#include "libop/base/error.h"
#include "libop/stream/record_bytes.h"
#include "libop/stream/stream.h"

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
static_assert(sizeof(PlacedMapping) == sizeof(op_mapped));
static_assert(offsetof(PlacedMapping, length) == offsetof(op_mapped, length));
static_assert(offsetof(PlacedMapping, offset) == offsetof(op_mapped, offset));
static_assert(offsetof(PlacedMapping, cookie) == offsetof(op_mapped, image));
static_assert(PlacedMaps::slots == OP_MAPS_SLOTS);
static_assert(OP_STACK_END_ROOT == 1 + static_cast<int>(StackEnd::root));
static_assert(OP_STACK_END_NOT_COPIED == 1 + static_cast<int>(StackEnd::not_copied));

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

/// Appends a fixed part and its two tails, filling in the header.
template <class T>
void append(std::string& out, op_record_type type, uint16_t flags, T fixed, std::string_view tail = {},
            std::string_view last = {}) {
    const size_t used = sizeof fixed + tail.size() + last.size(), size = padded(used);
    fixed.header = {static_cast<op_u16>(type), flags, static_cast<op_u32>(size)};
    out += raw(fixed);
    out += tail;
    out += last;
    out.append(size - used, '\0');
}

/// Longest chain and texts a record can hold; what is longer is cut.
template <class Size>
std::string_view cut(std::string_view text) {
    return text.substr(0, std::min<size_t>(text.size(), static_cast<Size>(-1)));
}

op_u8 stack_end_number(std::optional<StackEnd> end) {
    return end ? static_cast<op_u8>(1 + static_cast<op_u8>(*end)) : op_u8{0};
}

struct Encode {
    std::string& out;
    std::optional<op_record_context>& context;  ///< the stream's last
    op_record_context& named;                   ///< the last name and its thread
    uint64_t& time;                             ///< of the placed samples, as the stream has it

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
        r.stack_end = stack_end_number(s.stack_end);
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
    void operator()(const MissedPeriods& m) const {
        append(out, OP_RECORD_MISSED, 0, op_record_missed{{}, m.count, m.cpu, 0});
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
        append_placed(s, OP_RECORD_PLACED, s.weight == 1 ? 0 : cut_weight(s.weight), {});
    }
    /// Nothing needs it but stacks, which are not written.
    void operator()(const PlacedMaps&) const {}
    void operator()(const RawSample& s) const {
        const auto size = std::min<size_t>(s.raw.size(), OP_MAX_RAW);
        append_placed(s.placed, OP_RECORD_PLACED_RAW, static_cast<uint16_t>(size),
                      text_of(s.raw.first(size)));
    }

private:
    static uint16_t cut_weight(uint32_t weight) {
        return static_cast<uint16_t>(std::min<uint32_t>(weight, 0xffff));
    }
    void append_placed(const PlacedSample& s, op_record_type type, uint16_t flags,
                       std::string_view behind) const {
        op_record_context next{{}, s.cpu, s.tgid, s.tid, s.app, {}};
        if (named.tgid == s.tgid && named.tid == s.tid) std::ranges::copy(named.comm, next.comm);
        if (!context || context->cpu != next.cpu || !is_same_run(*context, next)) {
            context = next;
            append(out, OP_RECORD_CONTEXT, 0, next);
        }
        const size_t frames = std::min<size_t>(s.chain.size(), 0xffff);
        if (s.time != time) append(out, OP_RECORD_SAMPLE_TIME, 0, op_record_sample_time{{}, time = s.time});
        op_record_placed r{};
        r.place = {s.place.offset, s.place.cookie, 0};
        r.event = s.event;
        r.mode = static_cast<op_u8>(s.mode);
        // A copy that was not walked is not written.
        r.stack_end = stack_end_number(s.user_stack ? StackEnd::not_copied : s.stack_end);
        r.frames = static_cast<op_u16>(frames);
        r.kernel_frames = static_cast<op_u16>(std::min<size_t>(s.kernel_frames, frames));
        append(out, type, flags, r, {reinterpret_cast<const char*>(s.chain.data()), frames * sizeof(Place)},
               behind);
    }
};

}  // namespace

void RecordEncoder::encode(const Record& record, std::string& out) {
    std::visit(Encode{out, context_, named_, time_}, record);
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

}  // namespace op
