// SPDX-License-Identifier: GPL-2.0-or-later
// Grammars: the C++ ABI's "Name mangling", the D language's "Name Mangling".
#include "libpp/object/demangle_effort.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace op::pp {
namespace {

bool is_digit(char c) noexcept {
    return c >= '0' && c <= '9';
}
bool is_upper(char c) noexcept {
    return c >= 'A' && c <= 'Z';
}

/// Characters that may be read to judge a name. A number is read from each of its digits on, so a long one
/// costs its square; such a name is not worth demangling.
constexpr size_t most_read = 1 << 18;

/// One past the decimal number at `at`, and the number, up to `most`.
std::pair<size_t, size_t> number_at(std::string_view mangled, size_t at, size_t most) noexcept {
    size_t value = 0;
    for (; at < mangled.size() && is_digit(mangled[at]); ++at)
        value = std::min(most, value * 10 + static_cast<size_t>(mangled[at] - '0'));
    return {at, value};
}

/// What demangling of a D name can come to: its characters are read once, but what back references to types
/// and attempts that fail repeat is read once more for each, and they nest.
class DEffort {
public:
    explicit DEffort(std::string_view mangled)
        : mangled_(mangled), once_(static_cast<double>(mangled.size())) {
        for (size_t at = 0; at < mangled.size() && read_ <= most_read; ++at) {
            if (mangled[at] == 'Q') take_reference(at);
            if (is_digit(mangled[at])) take_identifier(at);
            // The name of a symbol as an argument: its length may end in digits of the name.
            if (mangled[at] == 'S' && at + 1 < mangled.size() && is_digit(mangled[at + 1])) ++doublings_;
        }
    }
    /// Characters that demangling reads; infinite if finding out takes too long.
    double value() const noexcept { return read_ <= most_read ? once_ * std::exp2(doublings_) : HUGE_VAL; }

private:
    /// "Q" and a number of base 26: capitals, then a small letter; the distance back.
    void take_reference(size_t at) noexcept {
        size_t distance = 0, end = at + 1;
        for (; end < mangled_.size() && is_upper(mangled_[end]); ++end)
            distance = std::min(mangled_.size(), distance * 26 + static_cast<size_t>(mangled_[end] - 'A'));
        read_ += end - at;
        if (end == mangled_.size() || mangled_[end] < 'a' || mangled_[end] > 'z') return;
        distance = distance * 26 + static_cast<size_t>(mangled_[end] - 'a');
        if (distance > at) return;
        const size_t to = at - distance;
        if (is_digit(mangled_[to])) {
            once_ += static_cast<double>(take_number(to).second);
            take_end_of_name(end + 1);
        } else {
            doublings_ += a_third_of_three;
        }
    }
    void take_identifier(size_t at) noexcept {
        const auto [begin, size] = take_number(at);
        take_end_of_name(begin + size);
    }
    std::pair<size_t, size_t> take_number(size_t at) noexcept {
        const auto number = number_at(mangled_, at, mangled_.size());
        read_ += number.first - at;
        return number;
    }
    /// The parameters of a function may follow a name there, or something that looks like them.
    void take_end_of_name(size_t at) noexcept {
        if (at < mangled_.size() && std::string_view("FMRUVWY").find(mangled_[at]) != std::string_view::npos)
            ++doublings_;
    }

    /// log2 of the cube root of 3: references repeat most when three of them refer to what has three.
    static constexpr double a_third_of_three = 0.53;
    std::string_view mangled_;
    double once_, doublings_ = 0;
    size_t read_ = 0;  ///< to judge the name
};

/// Small letters that begin an operator with one of these capitals: what looks like a type may be a name.
constexpr std::string_view ends_of_operators = "ILMNORSV";

/// One past the characters from `at` on that are certainly not a conversion operator "cv": an identifier, a
/// substitution, a template parameter, or a letter. `at` itself where the next characters may be read in
/// several ways.
size_t after_plain_part(std::string_view mangled, size_t at) {
    const auto next = [&](size_t i) { return i < mangled.size() ? mangled[i] : '\0'; };
    const char c = mangled[at];
    if (is_digit(c)) {
        const auto [begin, size] = number_at(mangled, at, mangled.size());
        return size <= mangled.size() - begin ? begin + size : at;
    }
    if (c == 'S' && std::string_view("tabsiod").find(next(at + 1)) != std::string_view::npos) return at + 2;
    if (c == 'S' || c == 'T') {
        size_t end = at + 1;
        while (is_digit(next(end)) || (c == 'S' && is_upper(next(end))))
            ++end;
        return next(end) == '_' ? end + 1 : at;
    }
    if (c >= 'a' && c <= 'z')
        return ends_of_operators.find(next(at + 1)) != std::string_view::npos || is_digit(next(at + 1))
                   ? at
                   : at + 1;
    if (c == 'B' && !is_digit(next(at + 1))) return at;
    return std::string_view("NKVROPEIB").find(c) != std::string_view::npos ? at + 1 : at;
}

/// False if certainly no conversion operator is in the name: what it begins with can be read in one way only,
/// mostly up to its parameters, and "cv" in identifiers there does not count. Behind that any "cv" does.
bool may_have_conversion(std::string_view mangled) {
    constexpr std::string_view conversion = "cv", start = "_Z";
    if (mangled.find(conversion) == mangled.npos) return false;  // most names
    size_t at = mangled.starts_with(start) ? start.size() : mangled.size();
    while (at < mangled.size() && mangled.substr(at, conversion.size()) != conversion) {
        const size_t next = after_plain_part(mangled, at);
        if (next == at) break;
        at = next;
    }
    return mangled.find(conversion, mangled.starts_with(start) ? at : 0) != mangled.npos;
}

}  // namespace

// A template parameter with arguments in a conversion operator's type is parsed twice, for the arguments may
// be the operator's.
bool is_cheap_cpp_name(std::string_view mangled) {
    constexpr int most = 10;
    if (!may_have_conversion(mangled)) return true;
    int found = 0;
    for (size_t at = mangled.find("_I"); at != mangled.npos; at = mangled.find("_I", at + 1)) {
        size_t begin = at;
        while (begin > 0 && (is_digit(mangled[begin - 1]) || is_upper(mangled[begin - 1])) &&
               mangled[begin] != 'T')
            --begin;
        found += mangled[begin] == 'T';
    }
    return found <= most;
}

bool is_cheap_d_name(std::string_view mangled) {
    constexpr double most = 1 << 18;  // characters: a millisecond or two
    return DEffort(mangled).value() <= most;
}

}  // namespace op::pp
