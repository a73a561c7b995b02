// SPDX-License-Identifier: GPL-2.0-or-later
// A sweep over both lists by address.
#include "libop/jit/code_symbols.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace op {

namespace {

bool is_one_sound(const CodeSymbol& symbol) {
    return symbol.size != 0 && symbol.size <= UINT64_MAX - symbol.address && !symbol.name.empty() &&
           (symbol.code.empty() || symbol.code.size() == symbol.size);
}

/// A symbol of one of the lists, or a contested range without a symbol.
struct Claim {
    CodeRange range;
    CodeSymbol* symbol = nullptr;
    bool is_newer = false;
};

std::vector<Claim> claims_of(CodeMap& older, CodeMap& newer) {
    std::vector<Claim> claims;
    for (CodeMap* map : {&older, &newer}) {
        for (CodeSymbol& symbol : map->symbols)
            claims.push_back({{symbol.address, symbol.size}, &symbol, map == &newer});
        for (const CodeRange& range : map->contested)
            claims.push_back({range, nullptr, false});
    }
    std::ranges::stable_sort(claims, {}, [](const Claim& claim) { return claim.range.address; });
    return claims;
}

bool is_of_one_name(std::span<const Claim> claims) {
    return std::ranges::all_of(claims, [&](const Claim& claim) {
        return claim.symbol && claim.symbol->name == claims.front().symbol->name;
    });
}

/// Takes claims that overlap each other, directly or through others of them.
void settle(std::span<const Claim> claims, uint64_t end, CodeMap& out) {
    if (!claims.front().symbol || !is_of_one_name(claims)) {
        out.contested.push_back({claims.front().range.address, end - claims.front().range.address});
        return;
    }
    const bool has_newer = std::ranges::any_of(claims, &Claim::is_newer);
    for (const Claim& claim : claims)
        if (claim.is_newer == has_newer) out.symbols.push_back(std::move(*claim.symbol));
}

}  // namespace

bool is_sound(std::span<const CodeSymbol> symbols) {
    uint64_t end = 0;
    for (const CodeSymbol& symbol : symbols) {
        if (!is_one_sound(symbol) || symbol.address < end) return false;
        end = symbol.end();
    }
    return true;
}

CodeMap joined_code(CodeMap older, CodeMap newer) {
    const std::vector<Claim> claims = claims_of(older, newer);
    CodeMap out;
    for (size_t first = 0; first < claims.size();) {
        uint64_t end = claims[first].range.end();
        size_t next = first + 1;
        for (; next < claims.size() && claims[next].range.address < end; ++next)
            end = std::max(end, claims[next].range.end());
        settle(std::span(claims).subspan(first, next - first), end, out);
        first = next;
    }
    return out;
}

}  // namespace op
