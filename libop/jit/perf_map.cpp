// SPDX-License-Identifier: GPL-2.0-or-later
// Lines out of pieces, functions out of lines.
#include "libop/jit/perf_map.h"

#include <algorithm>
#include <optional>

namespace op {
namespace {

constexpr size_t first_names = 1024;

/// 16 for other characters.
unsigned hex_digit(char c) {
    if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
    const char letter = static_cast<char>(c | 0x20);
    return letter >= 'a' && letter <= 'f' ? static_cast<unsigned>(letter - 'a' + 10) : 16;
}

/// Removes a number from the front of a line, with the blanks before it and its prefix; none if it is not
/// there, does not fit or does not end in a blank.
std::optional<uint64_t> take_hex(std::string_view& line) {
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    if (line.starts_with("0x") || line.starts_with("0X")) line.remove_prefix(2);
    uint64_t value = 0;
    size_t digits = 0;
    for (; digits < line.size(); ++digits) {
        const unsigned digit = hex_digit(line[digits]);
        if (digit == 16) break;
        if (value >> 60 != 0) return std::nullopt;
        value = value << 4 | digit;
    }
    if (digits == 0 || digits == line.size() || (line[digits] != ' ' && line[digits] != '\t'))
        return std::nullopt;
    line.remove_prefix(digits);
    return value;
}

}  // namespace

PerfMapReader::PerfMapReader(std::span<const uint64_t> wanted)
    : wanted_(wanted),
      is_replaced_(wanted.size()),
      drop_names_at_(std::max(first_names, 4 * wanted.size())) {}

void PerfMapReader::feed(std::string_view text) {
    while (!text.empty()) {
        const size_t end = text.find('\n');
        if (end == std::string_view::npos) {
            if (rest_.size() + text.size() > longest_line) is_skipping_ = true;
            rest_.append(is_skipping_ ? text.substr(0, 1) : text);
            if (is_skipping_) rest_.resize(1);
            return;
        }
        take_line(text.substr(0, end));
        text.remove_prefix(end + 1);
    }
}

/// A line but for what is in rest_.
void PerfMapReader::take_line(std::string_view line) {
    ++counts_.lines;
    if (is_skipping_ || rest_.size() + line.size() > longest_line) {
        ++counts_.bad;
    } else if (rest_.empty()) {
        take_whole(line);
    } else {
        rest_.append(line);
        take_whole(rest_);
    }
    rest_.clear();
    is_skipping_ = false;
}

void PerfMapReader::take_whole(std::string_view line) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    const auto start = take_hex(line);
    const auto size = start ? take_hex(line) : std::nullopt;
    if (size) line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    if (!size || line.empty() || *size > UINT64_MAX - *start) {
        ++counts_.bad;
        return;
    }
    if (*size != 0) add(*start, *start + *size, line.substr(0, longest_name));
}

bool PerfMapReader::is_wanted(uint64_t start, uint64_t end) const {
    const auto first = std::ranges::lower_bound(wanted_, start);
    return first != wanted_.end() && *first < end;
}

void PerfMapReader::add(uint64_t start, uint64_t end, std::string_view name) {
    cut(start, end, name);
    if (!is_wanted(start, end)) return;
    if (names_.size() >= drop_names_at_) drop_unused_names();
    names_.emplace_back(name);
    parts_.emplace(start, Part{end, static_cast<uint32_t>(names_.size() - 1)});
}

void PerfMapReader::add_if_wanted(uint64_t start, const Part& part) {
    if (start < part.end && is_wanted(start, part.end)) parts_.emplace(start, part);
}

void PerfMapReader::note_replaced(uint64_t start, uint64_t end) {
    const auto first = std::ranges::lower_bound(wanted_, start);
    const auto last = std::ranges::lower_bound(first, wanted_.end(), end);
    std::fill(is_replaced_.begin() + (first - wanted_.begin()),
              is_replaced_.begin() + (last - wanted_.begin()), true);
}

uint64_t PerfMapReader::replaced() const noexcept {
    return static_cast<uint64_t>(std::ranges::count(is_replaced_, true));
}

/// Removes [start, end) from all parts, whose functions `name` replaces.
void PerfMapReader::cut(uint64_t start, uint64_t end, std::string_view name) {
    if (parts_.empty()) return;
    auto part = parts_.upper_bound(start);
    if (part != parts_.begin() && std::prev(part)->second.end > start) --part;
    while (part != parts_.end() && part->first < end) {
        const auto [first, old] = *part;
        if (names_[old.name] != name) note_replaced(std::max(first, start), std::min(old.end, end));
        part = parts_.erase(part);
        add_if_wanted(first, {std::min(old.end, start), old.name});
        add_if_wanted(std::max(first, end), old);
    }
}

/// There are at most as many parts as addresses asked for.
void PerfMapReader::drop_unused_names() {
    std::vector<std::string> kept;
    std::map<uint32_t, uint32_t> places;  // a function may have several parts
    for (auto& [start, part] : parts_) {
        const auto [place, is_new] = places.emplace(part.name, static_cast<uint32_t>(kept.size()));
        if (is_new) kept.push_back(std::move(names_[part.name]));
        part.name = place->second;
    }
    names_ = std::move(kept);
}

std::vector<CodeSymbol> PerfMapReader::finish() {
    counts_.is_torn = !rest_.empty() || is_skipping_;
    std::vector<CodeSymbol> symbols;
    for (const auto& [start, part] : parts_)
        symbols.push_back({start, part.end - start, names_[part.name]});
    return symbols;
}

}  // namespace op
