// SPDX-License-Identifier: GPL-2.0-or-later
// Parsing of the header. Sections may lie anywhere and overlap.
#include "daemon/import/perf_data_header.h"

#include <algorithm>
#include <array>
#include <string>

#include "daemon/import/field_reader.h"
#include "libop/base/error.h"

namespace op::collect {
namespace {

constexpr std::string_view magic = "PERFILE2", swapped_magic = "2ELIFREP", old_magic = "PERFFILE";
constexpr uint64_t pipe_header = 16, section_bytes = 16;
constexpr size_t feature_words = 4;

std::string_view first_bytes(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), std::min(bytes.size(), magic.size())};
}

struct Section {
    uint64_t offset = 0, size = 0;
};

Section read_section(FieldReader& in) {
    Section section;
    section.offset = in.u64();
    section.size = in.u64();
    return section;
}

/// The part of the section that the file has.
std::span<const std::byte> bytes_of(std::span<const std::byte> file, const Section& section) {
    const uint64_t begin = std::min<uint64_t>(section.offset, file.size());
    return file.subspan(begin, std::min<uint64_t>(section.size, file.size() - begin));
}

using FeatureBits = std::array<uint64_t, feature_words>;

bool has_feature(const FeatureBits& bits, uint32_t number) {
    return bits[number / 64] >> number % 64 & 1;
}

/// 32-bit writers of the other byte order swap the halves of each word. Every recorder sets HOSTNAME.
FeatureBits settle_halves(FeatureBits bits) {
    constexpr auto hostname = static_cast<uint32_t>(PerfDataFeature::hostname);
    if (has_feature(bits, hostname)) return bits;
    FeatureBits swapped = bits;
    for (uint64_t& word : swapped)
        word = word << 32 | word >> 32;
    return has_feature(swapped, hostname) ? swapped : bits;
}

/// One parse.
class HeaderParser {
public:
    HeaderParser(std::span<const std::byte> file, std::string_view label, Diagnostics& notes)
        : file_(file), label_(label), notes_(notes) {}

    PerfDataHeader parse() {
        header_.is_big_endian =
            (first_bytes(file_) == swapped_magic) != (std::endian::native == std::endian::big);
        FieldReader in(file_, header_.is_big_endian);
        in.skip(magic.size());
        const uint64_t size = in.u64();
        header_.is_pipe = size == pipe_header;
        header_.data_begin = pipe_header;
        header_.data_end = file_.size();
        if (!header_.is_pipe) parse_sections(in);
        return std::move(header_);
    }

private:
    void parse_sections(FieldReader& in) {
        const uint64_t attr_size = in.u64();
        const Section attrs = read_section(in), data = read_section(in);
        read_section(in);  // event types: obsolete
        FeatureBits bits;
        for (uint64_t& word : bits)
            word = in.u64();
        read_attrs(bytes_of(file_, attrs), attr_size);
        set_data(data);
        if (data.size != 0) read_features(data, settle_halves(bits));
    }

    void read_attrs(std::span<const std::byte> section, uint64_t step) {
        if (step < smallest_perf_attr) throw_input("event descriptions have a size of less than 64");
        if (section.size() < smallest_perf_attr) return;
        // Akaros' perf leaves the ids out of the size.
        if (step == parse_perf_attr(section, header_.is_big_endian).size) step += section_bytes;
        if (step < smallest_perf_attr + section_bytes) throw_input("event descriptions without ids");
        for (; section.size() >= step; section = section.subspan(step)) {
            if (header_.attrs.attrs.size() == PerfDataAttrs::most)
                return note("more events than " + std::to_string(PerfDataAttrs::most) +
                            ": the samples of the others are lost");
            header_.attrs.attrs.push_back(
                parse_perf_attr(section.first(step - section_bytes), header_.is_big_endian));
            FieldReader tail(section.subspan(step - section_bytes), header_.is_big_endian);
            read_ids(bytes_of(file_, read_section(tail)));
        }
    }

    void read_ids(std::span<const std::byte> section) {
        FieldReader in(section, header_.is_big_endian);
        const size_t attr = header_.attrs.attrs.size() - 1;
        while (in.remaining() >= sizeof(uint64_t) && header_.attrs.by_id.size() < PerfDataAttrs::most_ids)
            header_.attrs.add_id(in.u64(), attr);
    }

    void set_data(const Section& data) {
        header_.data_begin = std::min<uint64_t>(data.offset, file_.size());
        if (data.size == 0) {
            note("the recording was not ended properly: it has no features, such as build-ids");
        } else if (data.size > file_.size() - header_.data_begin) {
            note(
                "the file is cut off: what there is of its records is used, and it has no features, such as "
                "build-ids");
        } else {
            header_.data_end = header_.data_begin + data.size;
        }
    }

    void read_features(const Section& data, const FeatureBits& bits) {
        if (data.offset > file_.size() || data.size > file_.size() - data.offset) return;
        FieldReader table(file_.subspan(data.offset + data.size), header_.is_big_endian);
        for (uint32_t number = 0; number < 64 * feature_words; ++number) {
            if (!has_feature(bits, number)) continue;
            if (table.remaining() < section_bytes) return note("its table of features is cut off");
            const Section section = read_section(table);
            read_feature(number, bytes_of(file_, section));
        }
    }

    void read_feature(uint32_t number, std::span<const std::byte> section) try {
        header_.features.read(number, section, header_.is_big_endian, header_.attrs);
    } catch (const Error& e) {
        note("feature " + std::to_string(number) + " is damaged (" + e.what() + ")");
    }

    void note(const std::string& text) { notes_.warn(std::string(label_) + ": " + text); }

    std::span<const std::byte> file_;
    std::string_view label_;
    Diagnostics& notes_;
    PerfDataHeader header_;
};

}  // namespace

bool is_perf_data(std::span<const std::byte> bytes) {
    const std::string_view first = first_bytes(bytes);
    return first == magic || first == swapped_magic || first == old_magic;
}

PerfDataHeader parse_perf_data_header(std::span<const std::byte> file, std::string_view label,
                                      Diagnostics& notes) try {
    if (first_bytes(file) == old_magic)
        throw_input("written by a perf of before Linux 2.6.32: not supported");
    return HeaderParser(file, label, notes).parse();
} catch (const Error& e) {
    throw_input(std::string(label) + ": " + e.what());
}

}  // namespace op::collect
