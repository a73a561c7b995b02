// SPDX-License-Identifier: GPL-2.0-or-later
// One table of words serves reading and writing.
#include "libop/control/separation.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "libop/base/error.h"
#include "libop/base/text.h"

namespace op {
namespace {

struct Word {
    std::string_view name;
    bool Separation::*member;
};
constexpr Word words_of_one[] = {{"library", &Separation::library},
                                 {"kernel", &Separation::kernel},
                                 {"thread", &Separation::thread},
                                 {"cpu", &Separation::cpu}};

void add(std::string_view word, Separation& separation) {
    if (word == "lib") word = "library";
    const auto* const row = std::ranges::find(words_of_one, word, &Word::name);
    if (row != std::end(words_of_one))
        separation.*(row->member) = true;
    else if (word == "all")
        separation = {true, true, true, true};
    else if (word == "none")
        separation = {};
    else
        throw_usage("--separate=" + printable(word) + ": not one of none, library, kernel, thread, cpu, all");
}

}  // namespace

Separation parse_separation(std::span<const std::string> words) {
    Separation separation;
    for (const std::string& word : words)
        add(word, separation);
    separation.library |= separation.kernel;
    return separation;
}

std::string to_text(const Separation& separation) {
    std::vector<std::string> names;
    for (const Word& word : words_of_one)
        if (separation.*(word.member)) names.emplace_back(word.name);
    return names.empty() ? "none" : joined(names, ",");
}

}  // namespace op
