// SPDX-License-Identifier: GPL-2.0-or-later
// Whole records out of pieces, then their fields. Lines come before the code that they are of.
#include "libop/jit/jitdump.h"

#include <algorithm>

#include "libop/base/error.h"

namespace op {
namespace {

constexpr uint32_t magic = 0x4A695444, swapped_magic = 0x4454694A, version = 1;
constexpr size_t header_bytes = 40, longest_header = 4096, record_head = 16;
constexpr uint64_t counter_times = 1;
constexpr uint32_t move_id = 1, debug_id = 2;  // 0 is a load
constexpr uint32_t unload_id = 0x4f500001;     // libopagent's own
/// V8 and LLVM add the size of an ELF header to the addresses of lines.
constexpr uint64_t elf_header = 0x40;
constexpr std::string_view as_before = "\xff";

std::string_view text_of(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// True if the addresses are too high by a header.
bool is_shifted(const std::vector<CodeLine>& lines, uint64_t start, uint64_t end) {
    const auto beyond = [&](const CodeLine& line) { return line.address >= end; };
    if (std::ranges::any_of(lines, beyond)) return true;
    const auto later = [&](const CodeLine& line) { return line.address >= start + elf_header; };
    return !lines.empty() && lines.front().address == start + elf_header && std::ranges::all_of(lines, later);
}

}  // namespace

size_t JitdumpReader::stop(std::string_view fault) {
    fault_ = fault;
    rest_.clear();
    return 0;
}

void JitdumpReader::feed(std::span<const std::byte> bytes) {
    if (!fault_.empty()) return;
    const size_t skipped = std::min<uint64_t>(to_skip_, bytes.size());
    to_skip_ -= skipped;
    bytes = bytes.subspan(skipped);
    if (!rest_.empty()) {
        rest_.append(text_of(bytes));
        if (rest_.size() < needed_) return;
        const std::string all = std::move(rest_);
        rest_.clear();
        return feed(std::as_bytes(std::span(all)));
    }
    while (!bytes.empty()) {
        const size_t taken = take_some(bytes);
        if (taken == 0) break;
        bytes = bytes.subspan(taken);
    }
    if (fault_.empty()) rest_ = text_of(bytes);
}

/// The number of bytes that are done with; 0 if there are too few.
size_t JitdumpReader::take_some(std::span<const std::byte> bytes) {
    return has_header_ ? take_record(bytes) : take_header(bytes);
}

size_t JitdumpReader::take_header(std::span<const std::byte> bytes) {
    needed_ = header_bytes;
    if (bytes.size() < needed_) return 0;
    OrderedReader reader(bytes, layout_, "jitdump");
    const auto found = reader.get<uint32_t>();
    if (found == swapped_magic) layout_.is_big_endian = !layout_.is_big_endian;
    if (found != magic && found != swapped_magic) return stop("it is no jitdump");
    OrderedReader header(bytes, layout_, "jitdump");
    header.skip(sizeof magic);
    if (header.u32() != version) return stop("its version is not known");
    const uint32_t size = header.u32();
    header.seek(32);
    const uint64_t flags = header.u64();
    if (flags == counter_times) return stop("its times are of the processor's counter");
    if (flags != 0 || size < header_bytes || size > longest_header)
        return stop("its header is not understood");
    needed_ = size;
    if (bytes.size() < needed_) return 0;
    has_header_ = true;
    return size;
}

size_t JitdumpReader::take_record(std::span<const std::byte> bytes) {
    needed_ = record_head;
    if (bytes.size() < needed_) return 0;
    OrderedReader head(bytes, layout_, "jitdump");
    const uint32_t id = head.u32(), size = head.u32();
    if (size < record_head) return stop("a record is shorter than its head");
    if (id > debug_id && id != unload_id) {  // passed over as it comes
        const size_t here = std::min<size_t>(size, bytes.size());
        to_skip_ = size - here;
        return here;
    }
    if (size > longest_record) return stop("a record is too long");
    needed_ = size;
    if (bytes.size() < needed_) return 0;
    OrderedReader record(bytes.first(size), layout_, "jitdump");
    try {
        deliver(id, record);
    } catch (const Error&) {
        ++bad_;
    }
    return size;
}

void JitdumpReader::deliver(uint32_t id, OrderedReader& record) {
    record.skip(8);
    const uint64_t time = record.u64();
    if (id == debug_id) return take_lines(record);
    if (id == move_id) return deliver_move(time, record);
    if (id == unload_id) return deliver_unload(time, record);
    deliver_load(time, record);
    lines_.clear();
    lines_for_ = 0;
}

/// The code is the last bytes of the record, the name is in front of it.
void JitdumpReader::deliver_load(uint64_t time, OrderedReader& record) {
    record.skip(16);  // process, thread, and an address that some emitters leave out
    JitLoad load;
    load.time = time;
    load.address = record.u64();
    load.size = record.u64();
    load.index = record.u64();
    if (load.size > record.remaining() || load.size > UINT64_MAX - load.address)
        throw_input("jitdump: code beyond its record");
    const std::string_view name = text_of(record.take(record.remaining() - load.size));
    load.code = record.take(load.size);
    if (name.find('\0') == std::string_view::npos) throw_input("jitdump: a name without end");
    load.name = name.substr(0, std::min(name.find('\0'), longest_name));
    load.lines = lines_of(load);
    if (load.size != 0 && sink_.load) sink_.load(load);
}

void JitdumpReader::deliver_move(uint64_t time, OrderedReader& record) {
    record.skip(16);
    JitMove move;
    move.time = time;
    move.from = record.u64();
    move.to = record.u64();
    move.size = record.u64();
    move.index = record.u64();
    if (move.size > UINT64_MAX - move.from || move.size > UINT64_MAX - move.to)
        throw_input("jitdump: a move beyond the address space");
    if (move.size != 0 && sink_.move) sink_.move(move);
}

void JitdumpReader::deliver_unload(uint64_t time, OrderedReader& record) {
    const JitUnload unload{time, record.u64()};
    if (sink_.unload) sink_.unload(unload);
}

/// The number of entries is not trusted: node 20 writes garbage into some.
void JitdumpReader::take_lines(OrderedReader& record) {
    lines_.clear();
    lines_for_ = record.u64();
    const uint64_t entries = record.u64();
    if (entries > most_lines) {
        ++bad_lines_;
        return;
    }
    try {
        for (uint64_t i = 0; i < entries; ++i) {
            CodeLine line{record.u64(), record.u32(), {}};
            record.skip(4);
            const std::string_view file = record.text();
            if (file == as_before && !lines_.empty())
                line.file = lines_.back().file;
            else
                line.file = file.substr(0, longest_name);
            lines_.push_back(std::move(line));
        }
    } catch (const Error&) {
        ++bad_lines_;
        lines_.clear();
    }
}

std::vector<CodeLine> JitdumpReader::lines_of(const JitLoad& load) {
    if (lines_.empty()) return {};
    std::vector<CodeLine> lines = std::move(lines_);
    const uint64_t end = load.address + load.size;
    if (is_shifted(lines, load.address, end))
        for (CodeLine& line : lines)
            line.address -= elf_header;
    std::ranges::stable_sort(lines, {}, &CodeLine::address);
    const bool fits =
        lines_for_ == load.address && lines.front().address >= load.address && lines.back().address < end;
    if (fits) return lines;
    ++bad_lines_;
    return {};
}

}  // namespace op
