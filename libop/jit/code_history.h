// SPDX-License-Identifier: GPL-2.0-or-later
// The generations of the code at each address, as loads, moves and unloads follow each other. Has no times
// and no names: the same records give the same generations again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "libop/jit/code_symbol.h"

namespace op {

/// Code of one generation never overlaps other code of that generation. Not thread-safe.
class CodeHistory {
public:
    /// Beyond so many pieces of memory all that follows is of the unnamed generation.
    static constexpr size_t most_pieces = size_t{1} << 20;

    /// Code appears at [address, address + size), which does not wrap. Returns its generation, which is the
    /// one that is there if the same code is announced again.
    unsigned load(uint64_t address, uint64_t size, std::string_view name);
    /// The code at `from` is at `to` from now on. Returns its generation there.
    unsigned move(uint64_t from, uint64_t to, uint64_t size);
    /// The code that begins at this address is gone. No code is of the generation of the hole.
    void unload(uint64_t address);
    /// The code within [address, address + size), sorted, with its generation in the addresses.
    std::vector<CodeRange> code_in(uint64_t address, uint64_t size) const;
    /// Of the code or hole there; 0 where no code has been.
    unsigned generation_at(uint64_t address) const noexcept;

private:
    static constexpr uint64_t hole = 0;
    struct Piece {
        uint64_t end;
        uint64_t code;      ///< number of the load that it is a piece of, or `hole`
        uint64_t code_end;  ///< of all of that code
        uint64_t name;      ///< its hash, 0 if not known
        unsigned generation;
    };
    using Pieces = std::map<uint64_t, Piece>;  ///< by start

    unsigned occupy(uint64_t address, uint64_t size, uint64_t name);
    uint64_t name_of(uint64_t address) const noexcept;
    void split(uint64_t at);

    Pieces pieces_;
    uint64_t loads_ = 0;
    bool is_full_ = false;
};

}  // namespace op
