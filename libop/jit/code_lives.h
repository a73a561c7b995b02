// SPDX-License-Identifier: GPL-2.0-or-later
// When functions of run-time code were at their addresses, and which function an address gets if several
// were. For files without generations, as OProfile's programs read them.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "libop/jit/code_symbol.h"

namespace op {

/// A function was at its address in [from, to], in the units and by the clock of whoever reported it.
struct CodeLife {
    CodeSymbol symbol;
    uint64_t from = 0, to = UINT64_MAX;

    bool operator==(const CodeLife&) const = default;
};

/// Makes lives out of reports in their order. Not thread-safe.
class CodeLives {
public:
    static constexpr size_t most_functions = size_t{1} << 20;
    static constexpr size_t most_bytes = size_t{256} << 20;  ///< names, lines and bytes of code

    /// Ends what was in the range. The same function again only gets what is known of it now. One without a
    /// name is not kept, nor is what would exceed the bounds.
    void load(uint64_t time, CodeSymbol symbol);
    /// Lines of the function that is at `address` now, in place of earlier ones; no lines change nothing.
    void add_lines(uint64_t address, std::vector<CodeLine> lines);
    /// The function at `from` is at `to` from now on, if it has that size.
    void move(uint64_t time, uint64_t from, uint64_t to, uint64_t size);
    /// The function at `address` goes, or all do.
    void unload(uint64_t time, uint64_t address);
    void unload_all(uint64_t time);

    /// In the order of their reports.
    std::vector<CodeLife> take() && { return std::move(lives_); }

private:
    using Live = std::map<uint64_t, size_t>;  ///< by address: index of lives_

    bool has_room(size_t bytes) noexcept;
    CodeSymbol* find(uint64_t address);
    void end(Live::iterator live, uint64_t time);

    std::vector<CodeLife> lives_;
    Live live_;
    size_t bytes_ = 0;
};

/// One function for each address.
struct SettledCode {
    std::vector<CodeSymbol> symbols;  ///< sound
    uint64_t given_way = 0;           ///< functions that another one has a part of, or all
};

/// Of the functions that were there at a time within [from, to], the one that was there for longest within it
/// has an address, of several the last one reported. The others have what remains of them, as long as the
/// names of these parts take no more than `most_bytes`: each has a copy.
SettledCode longest_lived(std::vector<CodeLife> lives, uint64_t from, uint64_t to,
                          size_t most_bytes = CodeLives::most_bytes);

}  // namespace op
