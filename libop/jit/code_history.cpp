// SPDX-License-Identifier: GPL-2.0-or-later
// A map of pieces, which are only cut, replaced, or made holes.
#include "libop/jit/code_history.h"

#include <algorithm>
#include <functional>
#include <iterator>

namespace op {

namespace {

unsigned next_after(unsigned generation) {
    return std::min(generation + 1, unnamed_code_generation);
}

}  // namespace

void CodeHistory::split(uint64_t at) {
    const auto next = pieces_.upper_bound(at);
    if (next == pieces_.begin()) return;
    const auto piece = std::prev(next);
    if (piece->first == at || piece->second.end <= at) return;
    const Piece rest = piece->second;
    piece->second.end = at;
    pieces_.emplace_hint(next, at, rest);
}

/// An address's generation grows with each change there, so that the new code overlaps no other of its own.
unsigned CodeHistory::occupy(uint64_t address, uint64_t size, uint64_t name) {
    is_full_ |= pieces_.size() >= most_pieces;
    if (is_full_) return unnamed_code_generation;
    const uint64_t end = address + size;
    split(address);
    split(end);
    const auto first = pieces_.lower_bound(address), last = pieces_.lower_bound(end);
    if (first != last && std::next(first) == last && first->first == address) {
        const Piece& there = first->second;
        const bool is_whole = there.end == end && there.code_end == end && there.code != hole;
        if (is_whole && name != 0 && there.name == name) return there.generation;
    }
    unsigned generation = 0;
    for (auto piece = first; piece != last; ++piece)
        generation = std::max(generation, next_after(piece->second.generation));
    pieces_.erase(first, last);
    pieces_.insert_or_assign(address, Piece{end, ++loads_, end, name, generation});
    return generation;
}

unsigned CodeHistory::load(uint64_t address, uint64_t size, std::string_view name) {
    return occupy(address, size, std::max<uint64_t>(std::hash<std::string_view>()(name), 1));
}

uint64_t CodeHistory::name_of(uint64_t address) const noexcept {
    const auto piece = pieces_.find(address);
    return piece == pieces_.end() ? 0 : piece->second.name;
}

unsigned CodeHistory::move(uint64_t from, uint64_t to, uint64_t size) {
    const uint64_t name = name_of(from);
    unload(from);
    return occupy(to, size, name);
}

void CodeHistory::unload(uint64_t address) {
    const auto first = pieces_.find(address);
    if (first == pieces_.end() || first->second.code == hole) return;
    const uint64_t code = first->second.code, end = first->second.code_end;
    for (auto piece = first; piece != pieces_.end() && piece->first < end; ++piece) {
        if (piece->second.code != code) continue;
        piece->second.code = hole;
        piece->second.generation = next_after(piece->second.generation);
    }
}

std::vector<CodeRange> CodeHistory::code_in(uint64_t address, uint64_t size) const {
    std::vector<CodeRange> found;
    auto piece = pieces_.upper_bound(address);
    if (piece != pieces_.begin()) --piece;
    for (; piece != pieces_.end() && piece->first < address + size; ++piece) {
        const uint64_t start = std::max(piece->first, address);
        const uint64_t end = std::min(piece->second.end, address + size);
        if (piece->second.code != hole && start < end)
            found.push_back({tagged_address(start, piece->second.generation), end - start});
    }
    return found;
}

unsigned CodeHistory::generation_at(uint64_t address) const noexcept {
    if (is_full_) return unnamed_code_generation;
    const auto next = pieces_.upper_bound(address);
    if (next == pieces_.begin()) return 0;
    const auto& [start, piece] = *std::prev(next);
    return address < piece.end ? piece.generation : 0;
}

}  // namespace op
