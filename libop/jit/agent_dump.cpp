// SPDX-License-Identifier: GPL-2.0-or-later
// The header, then records one by one. What is not aligned as on the writer's machine is found by the header.
#include "libop/jit/agent_dump.h"

#include <algorithm>
#include <cstring>
#include <map>

#include "libop/base/error.h"

namespace op {
namespace {

constexpr uint32_t magic = 0x4F74496A, version = 1;
constexpr size_t hole_at = 20, record_head = 16, longest_name = 4096, most_lines = 65536;
enum RecordId : uint32_t { load_id = 0, unload_id = 1, close_id = 2, lines_id = 3 };

struct KnownTarget {
    std::string_view name;  ///< as libbfd has it
    uint16_t machine;       ///< e_machine of the gABI
};
constexpr KnownTarget known_targets[] = {
    {"elf64-x86-64", 62},         {"elf32-x86-64", 62},      {"elf32-i386", 3},       {"elf64-powerpc", 21},
    {"elf64-powerpcle", 21},      {"elf32-powerpc", 20},     {"elf64-s390", 22},      {"elf32-s390", 22},
    {"elf64-littleaarch64", 183}, {"elf64-bigaarch64", 183}, {"elf32-littlearm", 40}, {"elf32-bigarm", 40},
};

uint16_t machine_of(std::string_view name) {
    const auto* const found = std::ranges::find(known_targets, name, &KnownTarget::name);
    return found == std::end(known_targets) ? 0 : found->machine;
}

bool is_target(std::string_view name) {
    return name.starts_with("elf32-") || name.starts_with("elf64-");
}

class DumpParser {
public:
    DumpParser(std::span<const std::byte> bytes, std::string_view label) : bytes_(bytes), label_(label) {}

    AgentDump parse() && {
        read_header();
        while (!in_.done() && dump_.fault.empty())
            take_record();
        dump_.lives = std::move(lives_).take();
        return std::move(dump_);
    }

private:
    OrderedReader reader_at(size_t at) {
        OrderedReader in(bytes_, dump_.target.layout, label_);
        in.seek(at);
        return in;
    }

    /// A writer whose 8-byte numbers are aligned to 4 bytes has no hole before the time. The target's name
    /// shows it.
    void read_header() {
        NumberLayout& layout = dump_.target.layout;
        if (reader_at(0).u32() == byte_swapped(magic)) layout.is_big_endian = !layout.is_big_endian;
        OrderedReader head = reader_at(0);
        if (head.u32() != magic) throw_input(std::string(label_) + " is no dump of OProfile's agent");
        if (head.u32() != version) throw_input(std::string(label_) + ": its version is not known");
        const uint32_t size = head.u32();
        std::string_view target;
        for (const size_t time_at : {hole_at + 4, hole_at}) {
            head.seek(time_at);
            dump_.began = head.u64();
            target = head.text();
            if (is_target(target)) break;
        }
        if (!is_target(target) || size < head.position() || size > bytes_.size())
            throw_input(std::string(label_) + ": its header is damaged");
        layout.is_64bit = target.starts_with("elf64");
        dump_.target.elf_machine = machine_of(target);
        in_ = reader_at(size);
    }

    void take_record() {
        if (in_.remaining() < record_head) return stop("a record is cut off");
        const size_t start = in_.position();
        const uint32_t id = in_.u32(), size = in_.u32();
        const uint64_t time = in_.u64();
        if (size < record_head) return stop("a record is shorter than its head");
        if (size > bytes_.size() - start) return stop("a record is cut off");
        OrderedReader record(bytes_.subspan(start, size), dump_.target.layout, label_);
        record.seek(record_head);
        try {
            deliver(id, time, record);
        } catch (const Error&) {
            ++dump_.bad_records;
        }
        in_.seek(start + size);
    }

    void stop(std::string_view fault) { dump_.fault = fault; }

    void deliver(uint32_t id, uint64_t time, OrderedReader& record) {
        switch (id) {
            case load_id:
                return take_load(time, record);
            case unload_id:
                return lives_.unload(time, record.u64());
            case close_id:
                dump_.is_closed = true;
                return lives_.unload_all(time);
            case lines_id:
                return take_lines(record);
            default:
                break;
        }
    }

    /// Where structures are aligned to 8 bytes they end with a zero; no name and no address begins with it.
    static void skip_zero(OrderedReader& record) {
        if (record.remaining() < 4) return;
        const size_t at = record.position();
        if (record.u32() != 0) record.seek(at);
    }

    void take_load(uint64_t time, OrderedReader& record) {
        CodeSymbol symbol;
        symbol.address = record.u64();
        const uint64_t pointer = record.u64();
        symbol.size = record.u32();
        skip_zero(record);
        symbol.name = record.text().substr(0, longest_name);
        if (pointer != 0) {
            const auto code = record.take(symbol.size);
            symbol.code.assign(code.begin(), code.end());
        }
        const unsigned bits = dump_.target.layout.is_64bit ? code_generation_bit : 32;
        if (symbol.address >> bits != 0 || symbol.size > (uint64_t{1} << bits) - symbol.address)
            throw_input("code beyond the address space");
        remember(pointer, {symbol.address, symbol.size});
        lives_.load(time, std::move(symbol));
    }

    /// Lines of code beyond the bound count as bad.
    void remember(uint64_t pointer, const CodeRange& range) {
        if (pointer == 0) return;
        if (last_by_pointer_.size() < CodeLives::most_functions)
            last_by_pointer_.insert_or_assign(pointer, range);
        else if (const auto known = last_by_pointer_.find(pointer); known != last_by_pointer_.end())
            known->second = range;
    }

    /// Of the function that was reported last with that pointer.
    void take_lines(OrderedReader& record) {
        const auto of = last_by_pointer_.find(record.u64());
        const uint32_t entries = record.u32();
        skip_zero(record);
        if (of == last_by_pointer_.end() || entries > most_lines) throw_input("lines of unknown code");
        const CodeRange range = of->second;
        std::vector<CodeLine> lines;
        for (uint32_t i = 0; i < entries; ++i) {
            const uint64_t address = record.address();
            const uint32_t line = record.u32();
            const std::string_view file = record.text().substr(0, longest_name);
            if (address < range.address || address >= range.end()) continue;
            lines.push_back({address, line, std::string(file)});
        }
        std::ranges::stable_sort(lines, {}, &CodeLine::address);
        lives_.add_lines(range.address, std::move(lines));
    }

    std::span<const std::byte> bytes_;
    std::string_view label_;
    AgentDump dump_;
    CodeLives lives_;
    OrderedReader in_{bytes_, {}, label_};
    std::map<uint64_t, CodeRange> last_by_pointer_;
};

}  // namespace

bool is_agent_dump(std::span<const std::byte> bytes) noexcept {
    uint32_t first = 0;
    if (bytes.size() < sizeof first) return false;
    std::memcpy(&first, bytes.data(), sizeof first);
    return first == magic || first == byte_swapped(magic);
}

AgentDump parse_agent_dump(std::span<const std::byte> bytes, std::string_view label) {
    return DumpParser(bytes, label).parse();
}

}  // namespace op
