// SPDX-License-Identifier: GPL-2.0-or-later
// Live functions by address; then places given away in the order of lifetimes.
#include "libop/jit/code_lives.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace op {
namespace {

size_t bytes_of(const std::vector<CodeLine>& lines) {
    size_t bytes = 0;
    for (const CodeLine& line : lines)
        bytes += sizeof line + line.file.size();
    return bytes;
}

/// The ranges that are given away, those that touch joined.
class Taken {
public:
    /// Calls `take_gap` with each part of the range that is free, then gives it away. Costs no more than what
    /// is joined by it.
    template <class TakeGap>
    void give(const CodeRange& range, TakeGap take_gap) {
        auto each = ends_.upper_bound(range.address);
        if (each != ends_.begin() && std::prev(each)->second >= range.address) --each;
        uint64_t at = range.address, start = at, end = range.end();
        while (each != ends_.end() && each->first <= range.end()) {
            if (at < each->first) take_gap(at, each->first);
            at = each->second;
            start = std::min(start, each->first);
            end = std::max(end, each->second);
            each = ends_.erase(each);
        }
        if (at < range.end()) take_gap(at, range.end());
        ends_.emplace(start, end);
    }

private:
    std::map<uint64_t, uint64_t> ends_;  ///< by start
};

CodeSymbol part_of(const CodeSymbol& symbol, uint64_t start, uint64_t end) {
    CodeSymbol part{start, end - start, symbol.name};
    const auto first = std::ranges::lower_bound(symbol.lines, start, {}, &CodeLine::address);
    part.lines.assign(first,
                      std::ranges::lower_bound(first, symbol.lines.end(), end, {}, &CodeLine::address));
    if (!symbol.code.empty()) {
        const auto code = symbol.code.begin() + static_cast<std::ptrdiff_t>(start - symbol.address);
        part.code.assign(code, code + static_cast<std::ptrdiff_t>(end - start));
    }
    return part;
}

}  // namespace

bool CodeLives::has_room(size_t bytes) noexcept {
    if (bytes > most_bytes - bytes_) return false;
    bytes_ += bytes;
    return true;
}

CodeSymbol* CodeLives::find(uint64_t address) {
    const auto live = live_.find(address);
    return live == live_.end() ? nullptr : &lives_[live->second].symbol;
}

void CodeLives::end(Live::iterator live, uint64_t time) {
    CodeLife& life = lives_[live->second];
    life.to = std::max(life.from, time);
    live_.erase(live);
}

void CodeLives::load(uint64_t time, CodeSymbol symbol) {
    if (symbol.size == 0) return;
    if (CodeSymbol* const known = find(symbol.address);
        known && known->size == symbol.size && known->name == symbol.name) {
        if (has_room(bytes_of(symbol.lines)) && !symbol.lines.empty()) known->lines = std::move(symbol.lines);
        return;
    }
    auto live = live_.upper_bound(symbol.address);
    if (live != live_.begin() && lives_[std::prev(live)->second].symbol.end() > symbol.address) --live;
    while (live != live_.end() && live->first < symbol.end())
        end(std::exchange(live, std::next(live)), time);
    if (symbol.name.empty() || lives_.size() >= most_functions) return;
    if (!has_room(symbol.name.size() + sizeof(CodeLife))) return;
    if (!has_room(symbol.code.size())) symbol.code.clear();
    if (!has_room(bytes_of(symbol.lines))) symbol.lines.clear();
    live_.emplace(symbol.address, lives_.size());
    lives_.push_back({std::move(symbol), time, UINT64_MAX});
}

void CodeLives::add_lines(uint64_t address, std::vector<CodeLine> lines) {
    CodeSymbol* const symbol = lines.empty() ? nullptr : find(address);
    if (symbol && has_room(bytes_of(lines))) symbol->lines = std::move(lines);
}

void CodeLives::move(uint64_t time, uint64_t from, uint64_t to, uint64_t size) {
    const CodeSymbol* const known = find(from);
    if (!known || known->size != size) return;
    CodeSymbol moved = *known;
    moved.address = to;
    for (CodeLine& line : moved.lines)
        line.address += to - from;
    unload(time, from);
    load(time, std::move(moved));
}

void CodeLives::unload(uint64_t time, uint64_t address) {
    if (const auto live = live_.find(address); live != live_.end()) end(live, time);
}

void CodeLives::unload_all(uint64_t time) {
    while (!live_.empty())
        end(live_.begin(), time);
}

SettledCode longest_lived(std::vector<CodeLife> lives, uint64_t from, uint64_t to, size_t most_bytes) {
    std::erase_if(lives, [&](const CodeLife& life) { return life.from > to || life.to < from; });
    const auto within = [&](const CodeLife& life) {
        return std::min(to, life.to) - std::max(from, life.from);
    };
    std::ranges::reverse(lives);
    std::ranges::stable_sort(lives, std::ranges::greater(), within);
    SettledCode settled;
    Taken taken;
    size_t room = most_bytes;
    for (CodeLife& life : lives) {
        CodeSymbol& symbol = life.symbol;
        uint64_t size = 0;
        taken.give({symbol.address, symbol.size}, [&](uint64_t start, uint64_t end) {
            size += end - start;
            if (size == symbol.size) {
                settled.symbols.push_back(std::move(symbol));
            } else if (symbol.name.size() <= room) {
                room -= symbol.name.size();
                settled.symbols.push_back(part_of(symbol, start, end));
            }
        });
        settled.given_way += size < life.symbol.size;
    }
    std::ranges::sort(settled.symbols, {}, &CodeSymbol::address);
    return settled;
}

}  // namespace op
