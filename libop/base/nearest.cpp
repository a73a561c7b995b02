// SPDX-License-Identifier: GPL-2.0-or-later
// Edit distance with swaps (Damerau, 1964), no letter of which is touched twice.
#include "libop/base/nearest.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "libop/base/text.h"

namespace op {

namespace {

constexpr size_t most_names = 3;
/// Longer words than any name: not worth the time.
constexpr size_t longest_word = 200;

/// Insertions, deletions, replacements and swaps of neighbours that make one word the other.
size_t distance(std::string_view a, std::string_view b) {
    std::vector<size_t> older(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
    std::iota(row.begin(), row.end(), size_t{0});
    for (size_t i = 1; i <= a.size(); ++i) {
        older.swap(last);
        last.swap(row);
        row[0] = i;
        for (size_t j = 1; j <= b.size(); ++j) {
            const size_t replaced = last[j - 1] + (a[i - 1] != b[j - 1]);
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = std::min(row[j], older[j - 2] + 1);
        }
    }
    return row[b.size()];
}

}  // namespace

std::vector<std::string> nearest_names(std::string_view word, const std::vector<std::string>& names) {
    if (word.empty() || word.size() > longest_word) return {};
    const std::string wanted = lower(word);
    const size_t few = std::max<size_t>(1, word.size() / 3);
    std::set<std::pair<size_t, std::string>> found;
    for (const std::string& name : names) {
        const std::string candidate = lower(name);
        const size_t letters = distance(wanted, candidate);
        if (letters <= few)
            found.emplace(letters, name);
        else if (word.size() > 2 && candidate.find(wanted) != candidate.npos)
            found.emplace(few + letters, name);
    }
    std::vector<std::string> nearest;
    for (const auto& [letters, name] : found)
        if (nearest.size() < most_names) nearest.push_back(name);
    return nearest;
}

std::string did_you_mean(const std::vector<std::string>& names) {
    std::string text;
    for (size_t i = 0; i < names.size(); ++i)
        text += (i == 0 ? "; did you mean " : i + 1 == names.size() ? " or " : ", ") + names[i];
    return text.empty() ? text : text + "?";
}

}  // namespace op
