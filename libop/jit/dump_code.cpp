// SPDX-License-Identifier: GPL-2.0-or-later
// One function for each address, as far as there is one.
#include "libop/jit/dump_code.h"

#include <algorithm>

namespace op {

bool DumpCode::has_room(size_t bytes) noexcept {
    if (bytes > most_text - text_) return false;
    text_ += bytes;
    return true;
}

/// To be called for each record.
bool DumpCode::is_late(uint64_t time) {
    for (; !placed_.empty() && placed_.front().records <= records_; placed_ = placed_.subspan(1))
        placed_until_ = std::max(placed_until_, placed_.front().time);
    ++records_;
    return time < placed_until_;
}

/// Samples of the code there may be of other code.
void DumpCode::contest(std::span<const CodeRange> replaced) {
    for (const CodeRange& code : replaced) {
        const auto first = std::ranges::lower_bound(wanted_, code.address);
        const auto last = std::ranges::lower_bound(wanted_, code.end());
        std::fill(functions_at_.begin() + (first - wanted_.begin()),
                  functions_at_.begin() + (last - wanted_.begin()), several);
    }
}

void DumpCode::take(const JitLoad& load) {
    std::vector<CodeRange> replaced;
    if (is_late(load.time)) replaced = history_.code_in(load.address, load.size);
    const unsigned before = history_.generation_at(load.address);
    const unsigned generation = history_.load(load.address, load.size, load.name);
    if (generation != before) contest(replaced);  // else it was announced again
    add({load.address, load.size, load.name, &load}, generation);
}

/// What moves may not be known: then it has no name.
void DumpCode::take(const JitMove& move) {
    if (is_late(move.time)) {
        contest(history_.code_in(move.from, move.size));
        contest(history_.code_in(move.to, move.size));
    }
    Live moved{move.size, {}};
    if (const auto live = live_.find(move.from); live != live_.end() && live->second.size == move.size) {
        moved = std::move(live->second);
        live_.erase(live);
    }
    add({move.to, move.size, moved.name, nullptr}, history_.move(move.from, move.to, move.size));
}

/// Nothing runs where there is no code, until other code comes.
void DumpCode::take(const JitUnload& unload) {
    is_late(unload.time);
    history_.unload(unload.address);
}

void DumpCode::add(const New& code, unsigned generation) {
    if (code.address + code.size > uint64_t{1} << code_generation_bit) return;  // of no user
    if (live_.contains(code.address) || (live_.size() < most_live && has_room(code.name.size())))
        live_.insert_or_assign(code.address, Live{code.size, std::string(code.name)});
    if (!is_timed_) add_at(code, 0);
    const bool is_added = !is_timed_ && generation == 0;
    if (!is_added && generation != unnamed_code_generation) add_at(code, generation);
}

/// To the addresses of one generation.
void DumpCode::add_at(const New& code, unsigned generation) {
    const uint64_t start = tagged_address(code.address, generation);
    const auto first = std::ranges::lower_bound(wanted_, start) - wanted_.begin();
    uint32_t added = none;
    for (auto i = static_cast<size_t>(first); i < wanted_.size() && wanted_[i] < start + code.size; ++i) {
        uint32_t& at = functions_at_[i];
        const bool is_other = at < several && functions_[at].name != code.name;
        if (at == several || is_other) {
            at = several;
            continue;
        }
        if (added == none) added = function_of(code, generation);
        if (added == none) return;
        at = added;
    }
}

/// A new one with that code, or none if it has no name or there is no room.
uint32_t DumpCode::function_of(const New& code, unsigned generation) {
    if (code.name.empty() || !has_room(code.name.size() + sizeof(CodeSymbol))) return none;
    CodeSymbol function{tagged_address(code.address, generation), code.size, std::string(code.name)};
    const JitLoad* const load = code.load;
    if (load && has_room(load->code.size() + load->lines.size() * 2 * sizeof(CodeLine))) {
        function.code.assign(load->code.begin(), load->code.end());
        function.lines = load->lines;
        for (CodeLine& line : function.lines)
            line.address = tagged_address(line.address, generation);
    }
    functions_.push_back(std::move(function));
    return static_cast<uint32_t>(functions_.size() - 1);
}

CodeSymbol DumpCode::part_of(CodeSymbol& function, uint64_t start, uint64_t end) {
    if (start == function.address && end == function.end()) return std::move(function);
    CodeSymbol part{start, end - start, function.name};
    for (const CodeLine& line : function.lines)
        if (line.address >= start && line.address < end) part.lines.push_back(line);
    return part;
}

/// Addresses in a row that have one function are of one symbol, which ends before the next address.
std::vector<CodeSymbol> DumpCode::finish() {
    std::vector<CodeSymbol> symbols;
    uint64_t end = 0;
    for (size_t i = 0; i < wanted_.size();) {
        const uint32_t at = functions_at_[i];
        size_t next = i + 1;
        while (next < wanted_.size() && functions_at_[next] == at)
            ++next;
        if (at < several) {
            CodeSymbol& function = functions_[at];
            const uint64_t start = std::max(end, function.address);
            end = next < wanted_.size() ? std::min(function.end(), wanted_[next]) : function.end();
            symbols.push_back(part_of(function, start, end));
        } else {
            end = std::max(end, wanted_[next - 1] + 1);
        }
        i = next;
    }
    return symbols;
}

uint64_t DumpCode::ambiguous() const noexcept {
    return static_cast<uint64_t>(std::ranges::count(functions_at_, several));
}

}  // namespace op
