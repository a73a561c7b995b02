// SPDX-License-Identifier: GPL-2.0-or-later
// Common information entries (CIEs) and frame description entries (FDEs).
#include "daemon/unwind/cfi_reader.h"

#include <algorithm>
#include <string_view>

#include "daemon/unwind/cfi_bytes.h"
#include "daemon/unwind/cfi_program.h"
#include "libop/base/bytes.h"
#include "libop/base/error.h"

namespace op::collect {

namespace {

constexpr std::string_view what = "call frame information";
constexpr uint32_t length_is_64_bit = 0xffffffff;

[[noreturn]] void refuse(const char* why) {
    throw_input(std::string(what) + ": " + why);
}

std::string_view read_string(ByteReader& in) {
    const auto rest = in.take(in.remaining());
    const std::string_view text(reinterpret_cast<const char*>(rest.data()), rest.size());
    const size_t length = text.find('\0');
    if (length == std::string_view::npos) refuse("unterminated augmentation");
    in.seek(in.position() - rest.size() + length + 1);
    return text.substr(0, length);
}

}  // namespace

/// A record: its length, its id, and what follows that.
struct CfiReader::Entry {
    uint64_t id_at = 0;  ///< position of the id
    uint64_t body = 0;   ///< position of the first byte behind the id
    uint64_t end = 0;
    uint64_t id = 0;
    bool is_terminator = false;
    bool is_cie = false;
};

/// False if the section ends before the record does. A terminator may also lie between merged inputs.
bool CfiReader::read_entry(uint64_t at, Entry& entry) {
    constexpr uint64_t longest_head = 20;
    entry = {};
    const auto head = section_.bytes.read(at, longest_head);
    if (head.size() < 4) return false;
    ByteReader in(head, what);
    uint64_t length = in.get<uint32_t>();
    entry.is_terminator = length == 0;
    entry.end = at + 4;
    if (entry.is_terminator) return true;
    const bool is_64_bit = length == length_is_64_bit;
    if (is_64_bit) {
        if (in.remaining() < 8) return false;
        length = in.get<uint64_t>();
    }
    const bool has_wide_id = is_64_bit && section_.is_debug_frame;
    const uint64_t id_size = has_wide_id ? 8 : 4;
    entry.id_at = at + in.position();
    if (length < id_size || length > section_.bytes.size() - entry.id_at || in.remaining() < id_size)
        return false;
    entry.end = entry.id_at + length;
    entry.id = has_wide_id ? in.get<uint64_t>() : in.get<uint32_t>();
    entry.body = entry.id_at + id_size;
    entry.is_cie = entry.id == (!section_.is_debug_frame ? 0 : has_wide_id ? UINT64_MAX : UINT32_MAX);
    return true;
}

/// The part of `work` that may still be done, which then counts as done.
uint64_t CfiReader::charge(uint64_t work) noexcept {
    const uint64_t allowed = std::min(work, work_left_);
    work_left_ -= allowed;
    return allowed;
}

/// Valid until the next call.
const CfiReader::Cie& CfiReader::cie_at(uint64_t at) {
    constexpr size_t most_cies = 1024;
    if (const auto it = cies_.find(at); it != cies_.end()) return it->second;
    if (cies_.size() >= most_cies) cies_.clear();
    Cie cie;
    try {
        cie = read_cie(at);
    } catch (const Error&) {
        cie = {};  // not valid
    }
    return cies_.emplace(at, std::move(cie)).first->second;
}

/// What the augmentation string's letters have in the augmentation data, in the string's order.
void CfiReader::read_augmentation(std::string_view letters, ByteReader data, Cie& cie) const {
    for (const char letter : letters)
        switch (letter) {
            case 'R':
                cie.encoding = data.get<uint8_t>();
                break;
            case 'L':
                data.skip(1);
                break;
            case 'P':
                skip_encoded(data, data.get<uint8_t>());
                break;
            case 'S':
                cie.is_signal_frame = true;
                break;
            case 'B':  // return addresses are signed with the B key (Arm)
            case 'G':  // stack memory is tagged (Arm)
                break;
            default:
                return;
        }
}

CfiReader::Cie CfiReader::read_cie(uint64_t at) {
    Entry entry;
    if (!read_entry(at, entry) || !entry.is_cie) refuse("no common information entry");
    const uint64_t size = entry.end - entry.body;
    if (size > longest_cie || charge(size) < size) refuse("a common information entry that is too long");
    ByteReader in(section_.bytes.read(entry.body, size), what);
    Cie cie;
    const auto version = in.get<uint8_t>();
    if (version != 1 && version != 3 && version != 4) refuse("version");
    const std::string_view augmentation = read_string(in);
    if (version == 4 && in.get<uint16_t>() != 8) refuse("size of addresses");  // and no segments
    cie.code_align = read_uleb(in);
    cie.data_align = read_sleb(in);
    const uint64_t return_address = version == 1 ? in.get<uint8_t>() : read_uleb(in);
    if (return_address != machine_.return_address) refuse("machine");
    cie.has_augmentation_data = augmentation.starts_with('z');
    if (!augmentation.empty() && !cie.has_augmentation_data) refuse("augmentation");
    if (cie.has_augmentation_data) {
        const auto data = in.take(read_uleb(in));
        read_augmentation(augmentation.substr(1), {data, what}, cie);
    }
    cie.address = section_.address + entry.body + in.position();
    const auto instructions = in.take(in.remaining());
    cie.instructions.assign(instructions.begin(), instructions.end());
    cie.is_valid = true;
    return cie;
}

/// With no more than so many bytes of its instructions. Throws an input error if the entry is damaged.
CfiReader::Fde CfiReader::read_fde(const Entry& entry, uint64_t most) {
    constexpr uint64_t longest_extent = 32;
    const uint64_t cie_position = section_.is_debug_frame ? entry.id : entry.id_at - entry.id;
    const Cie& cie = cie_at(cie_position);
    if (!cie.is_valid) refuse("no common information entry");
    const uint64_t size = entry.end - entry.body;
    const auto bytes = section_.bytes.read(entry.body, std::min(size, most + longest_extent));
    ByteReader in(bytes, what);
    Fde fde{&cie, {}, {}, {}, {}, bytes.size() < size};
    fde.start = {read_encoded(in, cie.encoding, section_.address.value() + entry.body)};
    fde.end = fde.start + read_encoded(in, cie.encoding & 0x0f, 0);
    if (fde.end < fde.start) refuse("extent");
    if (most == 0) return fde;
    if (cie.has_augmentation_data) in.skip(read_uleb(in));
    fde.address = section_.address + entry.body + in.position();
    fde.instructions = in.take(in.remaining());
    return fde;
}

void CfiReader::append_entries(std::vector<FdePlace>& all) {
    constexpr uint64_t damage_work = 512;  // an exception
    Entry entry;
    for (uint64_t at = 0; !is_spent() && read_entry(at, entry); at = entry.end) {
        charge(entry.end - at);
        if (entry.is_terminator || entry.is_cie) continue;
        try {
            const Fde fde = read_fde(entry, 0);
            if (fde.start != fde.end) all.push_back({fde.start, at});
        } catch (const Error&) {
            charge(damage_work);  // the code has no call frame information then
        }
    }
}

void CfiReader::run(const Fde& fde, CfiProgram& program) {
    const std::span<const std::byte> common = fde.cie->instructions;
    const auto first = common.first(charge(common.size()));
    program.run({first, what}, fde.cie->encoding, fde.cie->address);
    if (first.size() < common.size()) refuse("too many instructions");
    program.keep_as_initial();
    const auto own = fde.instructions.first(charge(fde.instructions.size()));
    program.run({own, what}, fde.cie->encoding, fde.address);
    if (own.size() < fde.instructions.size() || fde.is_cut) refuse("too many instructions");
}

LinkAddress CfiReader::append_rows(const FdePlace& place, LinkAddress stop, std::vector<UnwindRow>& rows) {
    constexpr uint64_t usual_size = 512;
    charge(entry_work);
    CfiProgram program(machine_, rows);
    LinkAddress end = place.start;
    try {
        Entry entry;
        if (!read_entry(place.at, entry) || entry.is_terminator || entry.is_cie) return end;
        Fde fde = read_fde(entry, usual_size);
        if (fde.start != place.start) return end;
        if (fde.is_cut) fde = read_fde(entry, std::max(work_left_, usual_size));
        end = fde.end;
        program.begin(fde.start, std::min(end, stop));
        program.set_alignment(fde.cie->code_align, fde.cie->data_align, fde.cie->is_signal_frame);
        run(fde, program);
        program.finish();
    } catch (const Error&) {
        program.give_up();
    }
    return end;
}

}  // namespace op::collect
