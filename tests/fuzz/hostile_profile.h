// SPDX-License-Identifier: GPL-2.0-or-later
// A small profile all of whose names come from a fuzzer: two images, a symbol in each, which calls the other.
#pragma once

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "libop/base/text.h"
#include "libpp/profile/profile.h"
#include "libpp/report/report.h"
#include "tests/unit/fake_symbols.h"

namespace op::fuzz {

/// Ends the program with the number of the caller's line unless the claim holds.
inline void require(bool claim, int line = __builtin_LINE()) {
    if (claim) return;
    std::fprintf(stderr, "line %d: does not hold\n", line);
    std::abort();
}

/// Of the input, names up to NUL bytes; missing ones are empty.
class Names {
public:
    explicit Names(std::string_view input) {
        for (std::string& name : names_) {
            const size_t end = std::min(input.find('\0'), input.size());
            name = input.substr(0, end);
            input.remove_prefix(std::min(end + 1, input.size()));
        }
    }
    /// The same names with letters in the place of what may have a meaning in a format; different names stay
    /// different.
    Names harmless() const {
        Names result{std::string_view()};
        for (size_t i = 0; i < names_.size(); ++i)
            for (const char c : names_[i])
                result.names_[i] += plain(c);
        return result;
    }
    const std::string& operator[](size_t index) const { return names_[index]; }

private:
    static std::string plain(char c) {
        if (std::isalnum(static_cast<unsigned char>(c)) || c == '/' || c == ' ' || c == '\n') return {c};
        const auto value = static_cast<unsigned char>(c);
        return {'q', static_cast<char>('a' + value / 16), static_cast<char>('a' + value % 16)};
    }

    std::array<std::string, 9> names_;
};

/// Valid as long as its names.
struct HostileProfile {
    explicit HostileProfile(const Names& names)
        : first{{names[4].c_str(), 0x100, 0x20}}, second{{names[5].c_str(), 0x100, 0x20}} {
        using pp::ProfileClass;
        profile.columns = {ProfileClass{names[0], 1000, 0, 7, {}, {}, names[1]}};
        profile.images = {{ImageName{ImageName::Kind::file, names[2]}, &first},
                          {ImageName{ImageName::Kind::anon, names[3]}, &second}};
        profile.symbols = {{0, first.symbols().data()}, {1, second.symbols().data()}};
        profile.locations = {
            {0, 0, ImageOffset{0x104}}, {1, 1, ImageOffset{0x110}}, {1, 1, ImageOffset{0x111}}};
        profile.frames = {0, 2, 1};
        profile.samples = {{0, 0, 2}, {0, 2, 1}};
        profile.counts = {5, 2};
        profile.arcs = {{0, 0, 2, 0}};
        profile.arc_counts = {3};
        using Kind = pp::StackNodeKind;
        profile.stacks.nodes = {{0, 0, Kind::root},
                                {0, 0, Kind::application},
                                {1, 1, Kind::call},
                                {2, 0, Kind::code},
                                {1, static_cast<uint32_t>(StackEnd::dump_short), Kind::cut},
                                {4, 2, Kind::code}};
        profile.stacks.counts = {{3, 0, 5}, {5, 0, 2}};
        profile.check();
        info.images[names[2]].build_id = names[6];
        head.columns = profile.columns;
        head.events = {{names[0], true, "described", "by us", 1000, 0}};
        head.cpu_type = head.cpu_name = names[6];
        head.request.command = names[7];
        head.request.sessions = {names[8]};
        head.samples_dir = names[8];
    }

    test::FakeSymbols first, second;
    pp::Profile profile;
    SessionInfo info;
    pp::ReportHead head;
};

/// Requires text that a terminal shows as it is, with tabs and new lines: no control character, none that
/// changes the direction of what follows. With `is_utf8`, all of it must be UTF-8.
inline void require_harmless(std::string_view text, bool is_utf8 = false, int line = __builtin_LINE()) {
    while (!text.empty()) {
        const size_t length = utf8_length(text);
        const std::string_view character = text.substr(0, length);
        const auto first = static_cast<unsigned char>(text.front());
        require(length > 0 || (first >= 0xa0 && !is_utf8), line);
        require(length != 1 || first == '\n' || first == '\t' || (first >= 0x20 && first != 0x7f), line);
        require(character < "\xc2\x80" || character > "\xc2\x9f", line);
        require(character < "\xe2\x80\xa8" || character > "\xe2\x80\xae", line);
        require(character < "\xe2\x81\xa6" || character > "\xe2\x81\xa9", line);
        text.remove_prefix(std::max<size_t>(length, 1));
    }
}

}  // namespace op::fuzz
