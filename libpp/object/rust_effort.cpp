// SPDX-License-Identifier: GPL-2.0-or-later
// Rust's names: RFC 2603, "Appendix: v0 grammar".
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "libpp/object/demangle_effort.h"

namespace op::pp {
namespace {

/// An honest name declares a few.
constexpr uint64_t most_lifetimes = 1000;

/// Larger numbers of a name are as good as this one.
constexpr uint64_t most_number = uint64_t{1} << 32;

/// The digit of base 62 in Rust's order; -1 for another character.
int digit62(char c) noexcept {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'z') return c - 'a' + 10;
    return c >= 'A' && c <= 'Z' ? c - 'A' + 36 : -1;
}

/// Reads a name once, without following its back references. The functions are named like the rules of the
/// grammar; each reads one, or is false. They nest as deep as the name does, and give up
/// where libiberty does.
class Reader {
public:
    explicit Reader(std::string_view name) : name_(name) {}

    /// "_R" [version] path [path], or what a suffix (".llvm.123") follows.
    bool symbol() {
        if (!take('_') || !take('R') || !path()) return false;
        if (next() != 0 && next() != '.' && next() != '$' && !path()) return false;
        return next() == 0 || next() == '.' || next() == '$';
    }
    /// Of what was read.
    uint64_t lifetimes() const noexcept { return lifetimes_; }
    bool are_references_to_beginnings() const {
        return std::all_of(references_.begin(), references_.end(), [&](uint64_t to) {
            return std::binary_search(beginnings_.begin(), beginnings_.end(), to);
        });
    }

private:
    static constexpr int deepest = 1024;

    /// Counts how deep the rules nest, for as long as it lives.
    struct Nesting {
        explicit Nesting(int& depth) : depth_(depth) { ++depth_; }
        ~Nesting() { --depth_; }
        Nesting(const Nesting&) = delete;
        Nesting& operator=(const Nesting&) = delete;
        bool is_allowed() const noexcept { return depth_ <= deepest; }
        int& depth_;
    };

    char next() const noexcept { return at_ < name_.size() ? name_[at_] : '\0'; }
    bool take(char c) noexcept {
        if (next() != c || c == '\0') return false;
        ++at_;
        return true;
    }
    bool take_any(std::string_view set) noexcept {
        if (next() == '\0' || set.find(next()) == set.npos) return false;
        ++at_;
        return true;
    }
    void begin() { beginnings_.push_back(at_ - start_length); }

    bool number62(uint64_t& value) noexcept {
        value = 0;
        if (take('_')) return true;
        for (; digit62(next()) >= 0; ++at_)
            value = std::min(most_number, value * 62 + static_cast<uint64_t>(digit62(next())));
        value = std::min(most_number, value + 1);
        return take('_');
    }
    bool skipped_number62() noexcept {
        uint64_t value = 0;
        return number62(value);
    }
    /// "B" was read.
    bool back_reference() {
        uint64_t to = 0;
        if (!number62(to)) return false;
        references_.push_back(to);
        return true;
    }
    bool disambiguator() noexcept { return !take('s') || skipped_number62(); }
    bool undisambiguated_identifier() noexcept {
        take('u');
        if (next() < '0' || next() > '9') return false;
        size_t size = 0;
        if (!take('0'))
            for (; next() >= '0' && next() <= '9'; ++at_)
                size = std::min(name_.size(), size * 10 + static_cast<size_t>(next() - '0'));
        take('_');
        if (size > name_.size() - at_) return false;
        at_ += size;
        return true;
    }
    bool identifier() noexcept { return disambiguator() && undisambiguated_identifier(); }
    bool binder() noexcept {
        uint64_t declared = 0;
        if (!take('G')) return true;
        if (!number62(declared)) return false;
        lifetimes_ = std::min(most_number, lifetimes_ + declared + 1);
        return true;
    }

    bool path() {
        const Nesting nesting(depth_);
        if (!nesting.is_allowed()) return false;
        begin();
        if (take('B')) return back_reference();
        if (take('C')) return identifier();
        if (take('M')) return impl_path() && type();
        if (take('X')) return impl_path() && type() && path();
        if (take('Y')) return type() && path();
        if (take('N')) return name_space() && path() && identifier();
        return take('I') && path() && up_to_end([this] { return generic_argument(); });
    }
    bool name_space() noexcept {
        if (digit62(next()) < 10) return false;
        ++at_;
        return true;
    }
    bool impl_path() { return disambiguator() && path(); }
    bool generic_argument() {
        if (take('L')) return skipped_number62();
        return take('K') ? constant() : type();
    }
    bool type() {
        constexpr std::string_view basic = "abcdefhijlmnopstuvxyz";
        const Nesting nesting(depth_);
        if (!nesting.is_allowed()) return false;
        begin();
        if (take_any(basic)) return true;
        if (take('A')) return type() && constant();
        if (take_any("SPO")) return type();
        if (take_any("RQ")) return (!take('L') || skipped_number62()) && type();
        if (take('T')) return up_to_end([this] { return type(); });
        if (take('F')) return function_type();
        if (take('D')) return trait_object();
        if (take('B')) return back_reference();
        beginnings_.pop_back();  // path() has the same
        return path();
    }
    bool function_type() {
        if (!binder()) return false;
        take('U');
        if (take('K') && !take('C') && !undisambiguated_identifier()) return false;
        return up_to_end([this] { return type(); }) && type();
    }
    bool trait_object() {
        return binder() && up_to_end([this] { return trait(); }) && take('L') && skipped_number62();
    }
    bool trait() {
        if (!path()) return false;
        while (take('p'))
            if (!undisambiguated_identifier() || !type()) return false;
        return true;
    }
    bool constant() {
        constexpr std::string_view with_value = "abchijlmnostxy";
        begin();
        if (take('p')) return true;
        if (take('B')) return back_reference();
        if (!take_any(with_value)) return false;
        take('n');
        while (take_any("0123456789abcdef")) {
        }
        return take('_');
    }
    /// Some of a rule, then "E".
    template <class Rule>
    bool up_to_end(Rule rule) {
        while (!take('E'))
            if (!rule()) return false;
        return true;
    }

    /// Back references count from behind "_R".
    static constexpr size_t start_length = 2;
    std::string_view name_;
    size_t at_ = 0;
    int depth_ = 0;
    uint64_t lifetimes_ = 0;
    std::vector<uint64_t> beginnings_;  ///< of paths, types and constants, ascending
    std::vector<uint64_t> references_;
};

/// The lifetimes that the binders of a name declare. None if it is not of the grammar, or a back reference
/// leads elsewhere than to the beginning of a path, type or constant: what is read there is another name.
std::optional<uint64_t> declared_lifetimes(std::string_view mangled) {
    Reader reader(mangled);
    if (!reader.symbol() || !reader.are_references_to_beginnings()) return std::nullopt;
    return reader.lifetimes();
}

/// The lifetimes that a binder "G<number>_" at `at` declares; else 0. Adds what it read.
uint64_t lifetimes_at(std::string_view mangled, size_t at, size_t& read) noexcept {
    uint64_t value = 0;
    for (++at; at < mangled.size() && digit62(mangled[at]) >= 0; ++at, ++read)
        value = std::min(most_number, value * 62 + static_cast<uint64_t>(digit62(mangled[at])) + 1);
    return at < mangled.size() && mangled[at] == '_' ? value + 1 : 0;
}

/// The lifetimes that might be declared, wherever in a name a function or a trait object may begin; more than
/// most_lifetimes if finding out takes too long.
uint64_t lifetimes_anywhere(std::string_view mangled) noexcept {
    constexpr size_t most_read = 1 << 18;  // each number is read from each of its digits on
    uint64_t lifetimes = 0;
    size_t read = 0;
    for (size_t at = mangled.find('G'); at != mangled.npos; at = mangled.find('G', at + 1)) {
        if (mangled[at - 1] != 'F' && mangled[at - 1] != 'D') continue;  // "_R" is in front of it
        lifetimes += lifetimes_at(mangled, at, read);
        if (lifetimes > most_lifetimes || read > most_read) return most_lifetimes + 1;
    }
    return lifetimes;
}

}  // namespace

// What libiberty skips is parsed without printing, and a loop over lifetimes has no end but their number.
// Each reference to such a part is another loop.
bool is_cheap_rust_name(std::string_view mangled) {
    if (!mangled.starts_with("_R")) return true;
    const auto declared = declared_lifetimes(mangled);
    return (declared ? *declared : lifetimes_anywhere(mangled)) <= most_lifetimes;
}

}  // namespace op::pp
