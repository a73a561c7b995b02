// SPDX-License-Identifier: GPL-2.0-or-later
// Common information entries (CIEs) and frame description entries (FDEs).
#include "daemon/unwind/cfi_reader.h"

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
    size_t id_at = 0;  ///< position of the id
    size_t body = 0;   ///< position of the first byte behind the id
    size_t end = 0;
    uint64_t id = 0;
    bool is_terminator = false;
    bool is_cie = false;
};

/// False if the section ends before the record does. A terminator may also lie between merged inputs.
bool CfiReader::read_entry(size_t at, Entry& entry) const {
    entry = {};
    if (at >= section_.bytes.size() || section_.bytes.size() - at < 4) return false;
    ByteReader in(section_.bytes, what);
    in.seek(at);
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
    if (length < (has_wide_id ? 8 : 4) || length > in.remaining()) return false;
    entry.id_at = in.position();
    entry.end = entry.id_at + length;
    entry.id = has_wide_id ? in.get<uint64_t>() : in.get<uint32_t>();
    entry.body = in.position();
    entry.is_cie = entry.id == (!section_.is_debug_frame ? 0 : has_wide_id ? UINT64_MAX : UINT32_MAX);
    return true;
}

const CfiReader::Cie& CfiReader::cie_at(size_t at) {
    const auto [it, is_new] = cies_.try_emplace(at);
    if (!is_new) return it->second;
    try {
        it->second = read_cie(at);
    } catch (const Error&) {
        // stays not valid
    }
    return it->second;
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

CfiReader::Cie CfiReader::read_cie(size_t at) const {
    Entry entry;
    if (!read_entry(at, entry) || !entry.is_cie) refuse("no common information entry");
    ByteReader in(section_.bytes.first(entry.end), what);
    in.seek(entry.body);
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
    cie.instructions = in.take(in.remaining());
    cie.is_valid = true;
    return cie;
}

/// Throws an input error if the entry is damaged.
CfiReader::Fde CfiReader::read_fde(const Entry& entry) {
    const uint64_t cie_position = section_.is_debug_frame ? entry.id : entry.id_at - entry.id;
    const Cie& cie = cie_at(cie_position);
    if (!cie.is_valid) refuse("no common information entry");
    ByteReader in(section_.bytes.first(entry.end), what);
    in.seek(entry.body);
    Fde fde{&cie, {}, {}, {}};
    fde.start = {read_encoded(in, cie.encoding, section_.address.value() + entry.body)};
    fde.end = fde.start + read_encoded(in, cie.encoding & 0x0f, 0);
    if (fde.end < fde.start) refuse("extent");
    if (cie.has_augmentation_data) in.skip(read_uleb(in));
    fde.instructions = in.take(in.remaining());
    return fde;
}

std::vector<FdeExtent> CfiReader::entries() {
    std::vector<FdeExtent> all;
    Entry entry;
    for (size_t at = 0; read_entry(at, entry); at = entry.end) {
        if (entry.is_terminator || entry.is_cie) continue;
        try {
            const Fde fde = read_fde(entry);
            if (fde.start != fde.end) all.push_back({fde.start, fde.end, at});
        } catch (const Error&) {
            continue;  // the code has no call frame information then
        }
    }
    return all;
}

void CfiReader::append_rows(const FdeExtent& extent, std::vector<UnwindRow>& rows) {
    Entry entry;
    CfiProgram program(machine_, rows);
    program.begin(extent.start, extent.end);
    try {
        if (!read_entry(extent.at, entry)) refuse("entry");
        const Fde fde = read_fde(entry);
        program.set_alignment(fde.cie->code_align, fde.cie->data_align, fde.cie->is_signal_frame);
        program.run({fde.cie->instructions, what}, fde.cie->encoding, section_);
        program.keep_as_initial();
        program.run({fde.instructions, what}, fde.cie->encoding, section_);
        program.finish();
    } catch (const Error&) {
        program.give_up();
    }
}

}  // namespace op::collect
