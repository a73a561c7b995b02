// SPDX-License-Identifier: GPL-2.0-or-later
// Lines of the index. Numbers are hexadecimal, so that a speed keeps all its bits.
#include "fleet/file_index.h"

#include <array>
#include <bit>

#include "libop/base/error.h"
#include "libop/base/percent.h"
#include "libop/base/text.h"

namespace op::fleet {
namespace {

constexpr std::string_view first_line = "oprofile-ng slice 1";
constexpr std::string_view plain_word = "plain", apart_word = "apart";
constexpr size_t header_fields = 10;

std::array<uint64_t, header_fields> numbers_of(const SampleHeader& header) {
    return {header.cpu_type,        header.event_code,      header.unit_mask,
            header.count,           header.is_kernel,       std::bit_cast<uint64_t>(header.cpu_speed_mhz),
            header.mtime,           header.cg_to_is_kernel, header.anon_start,
            header.cg_to_anon_start};
}

SampleHeader header_of(const std::array<uint64_t, header_fields>& numbers) {
    SampleHeader header;
    header.cpu_type = static_cast<uint32_t>(numbers[0]);
    header.event_code = static_cast<uint32_t>(numbers[1]);
    header.unit_mask = static_cast<uint32_t>(numbers[2]);
    header.count = static_cast<uint32_t>(numbers[3]);
    header.is_kernel = numbers[4] != 0;
    header.cpu_speed_mhz = std::bit_cast<double>(numbers[5]);
    header.mtime = numbers[6];
    header.cg_to_is_kernel = numbers[7] != 0;
    header.anon_start = numbers[8];
    header.cg_to_anon_start = numbers[9];
    return header;
}

class IndexParser {
public:
    explicit IndexParser(std::string_view label) : label_(label) {}

    void take(std::string_view line) {
        std::string_view rest = line;
        const std::string_view word = take_word(rest);
        if (word == plain_word || word == apart_word) return take_file(word == apart_word, rest);
        if (files_.empty() || !files_.back().is_apart) refuse(line);
        files_.back().entries.push_back({number(word), number(take_word(rest))});
        if (!rest.empty()) refuse(line);
    }
    std::vector<IndexedFile> files() && { return std::move(files_); }

    [[noreturn]] void refuse(std::string_view line) const {
        throw_input(label_ + ": no index of a slice: " + printable(line.substr(0, 200)));
    }

private:
    uint64_t number(std::string_view word) const {
        const auto value = parse_number(word, 16);
        if (!value) refuse(word);
        return *value;
    }
    void take_file(bool is_apart, std::string_view rest) {
        std::array<uint64_t, header_fields> numbers{};
        for (uint64_t& each : numbers)
            each = number(take_word(rest));
        rest.remove_prefix(rest.starts_with(' ') ? 1 : 0);
        auto name = parse_sample_path(percent_unescaped(rest));
        if (!name) refuse(rest);
        mangle(*name);  // throws if it cannot be a path
        files_.push_back({std::move(*name), header_of(numbers), is_apart});
    }

    std::string label_;
    std::vector<IndexedFile> files_;
};

}  // namespace

std::string index_text(std::span<const IndexedFile> files) {
    std::string text = std::string(first_line) + "\n";
    for (const IndexedFile& file : files) {
        text += file.is_apart ? apart_word : plain_word;
        for (const uint64_t number : numbers_of(file.header))
            text += " " + hex(number);
        text += " " + percent_escaped(mangle(file.name)) + "\n";
        for (const SampleEntry& entry : file.entries)
            text += hex(entry.key) + " " + hex(entry.count) + "\n";
    }
    return text;
}

std::vector<IndexedFile> parse_index(std::string_view text, std::string_view label) {
    IndexParser parser(label);
    const std::string_view head = take_line(text);
    if (head != first_line) parser.refuse(head);
    while (!text.empty())
        parser.take(take_line(text));
    return std::move(parser).files();
}

}  // namespace op::fleet
