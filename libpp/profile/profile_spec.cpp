// SPDX-License-Identifier: GPL-2.0-or-later
// The profile specification language.
#include "libpp/profile/profile_spec.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>

#include "libop/base/error.h"
#include "libop/base/text.h"

namespace op::pp {

namespace {

/// A specification while it is read.
struct Draft {
    ProfileSpec spec;
    std::vector<std::string> excluded_sessions;
};

using Texts = std::vector<std::string>;
using Numbers = std::vector<uint64_t>;
using SetTag = void (*)(Draft&, const std::string& word, std::string_view value);

Texts texts(const std::string& word, std::string_view value) {
    auto parts = split_list(value);
    if (parts.empty()) throw_usage("profile specification " + word + " has no value");
    return parts;
}

Numbers numbers(const std::string& word, std::string_view value) {
    Numbers result;
    for (const auto& part : texts(word, value)) {
        const auto number = parse_c_integer(part);
        if (!number) throw_usage("profile specification " + word + ": not a number: " + part);
        result.push_back(*number);
    }
    return result;
}

/// The same where "all" among the values lifts the restriction.
Numbers numbers_or_all(const std::string& word, std::string_view value) {
    const auto parts = texts(word, value);
    if (std::ranges::find(parts, "all") != parts.end()) return {};
    return numbers(word, value);
}

void set_archive(Draft& draft, const std::string& word, std::string_view value) {
    if (value.empty()) throw_usage("profile specification " + word + " has no value");
    draft.spec.archive = value;
}

template <Texts ProfileSpec::*member>
void set_texts(Draft& draft, const std::string& word, std::string_view value) {
    draft.spec.*member = texts(word, value);
}

void add_words(Draft& draft, const std::string& word, std::string_view value) {
    for (auto& text : texts(word, value))
        draft.spec.words.push_back(std::move(text));
}

template <Numbers ProfileSpec::*member>
void set_numbers(Draft& draft, const std::string& word, std::string_view value) {
    draft.spec.*member = numbers(word, value);
}

template <Numbers ProfileSpec::*member>
void set_numbers_or_all(Draft& draft, const std::string& word, std::string_view value) {
    draft.spec.*member = numbers_or_all(word, value);
}

void set_excluded_sessions(Draft& draft, const std::string& word, std::string_view value) {
    draft.excluded_sessions = texts(word, value);
}

struct Tag {
    std::string_view name;
    SetTag set;
};

constexpr Tag tags[] = {
    {"archive", set_archive},
    {"session", set_texts<&ProfileSpec::sessions>},
    {"session-exclude", set_excluded_sessions},
    {"image", set_texts<&ProfileSpec::images>},
    {"image-exclude", set_texts<&ProfileSpec::excluded_images>},
    {"lib-image", set_texts<&ProfileSpec::libraries>},
    {"lib-image-exclude", set_texts<&ProfileSpec::excluded_libraries>},
    {"binary", add_words},
    {"sample-file", set_texts<&ProfileSpec::sample_files>},
    {"event", set_texts<&ProfileSpec::events>},
    {"count", set_numbers<&ProfileSpec::counts>},
    {"unit-mask", set_numbers<&ProfileSpec::unit_masks>},
    {"tid", set_numbers_or_all<&ProfileSpec::tids>},
    {"tgid", set_numbers_or_all<&ProfileSpec::tgids>},
    {"cpu", set_numbers_or_all<&ProfileSpec::cpus>},
};

const Tag* find_tag(std::string_view word) {
    const size_t colon = word.find(':');
    if (colon == word.npos) return nullptr;
    const auto* const tag = std::ranges::find(tags, word.substr(0, colon), &Tag::name);
    return tag == std::end(tags) ? nullptr : tag;
}

/// True for braces alone, as many as there are: "{", "}{".
bool is_braces(std::string_view word) {
    return !word.empty() && word.find_first_not_of("{}") == word.npos;
}

/// True for what was meant as braces around something, but is one word.
bool holds_braces(std::string_view word) {
    if (word.starts_with('{')) return true;
    return word.ends_with('}') && word.find('{') == word.npos && !word.starts_with('/');
}

[[noreturn]] void throw_braces(const char* why) {
    throw_usage(std::string("invalid profile specification: ") + why +
                "; two profiles are compared as { SPEC } { SPEC }");
}

bool names_sessions(const std::string& word) {
    return word.starts_with("session:");
}

/// Sessions side by side may be meant to be added up or compared: they are not.
void check_sessions(std::span<const std::string> words) {
    const auto first = std::ranges::find_if(words, names_sessions);
    if (first == words.end()) return;
    const auto second = std::find_if(first + 1, words.end(), names_sessions);
    if (second == words.end() || *second == *first) return;
    throw_usage("invalid profile specification: " + *first + " and " + *second +
                ": sessions are added up as session:A,B, and compared as { session:A } { session:B }");
}

/// The words inside and outside of the braces of a differential profile.
class BraceSplitter {
public:
    void add(const std::string& word) {
        if (is_braces(word)) return add_braces(word);
        if (is_open_)
            groups_.back().push_back(word);
        else
            common_.push_back(word);
    }
    ProfileWords finish() && {
        if (is_open_) throw_braces("a brace is not closed");
        if (groups_.empty()) return {std::move(common_), std::nullopt};
        check_sessions(common_);
        if (groups_.size() == 1) throw_braces("there is one pair of braces only");
        if (groups_[0].empty() && !groups_[1].empty()) throw_braces("the first pair of braces is empty");
        return {joined(groups_[0]), joined(groups_[1])};
    }

private:
    void add_braces(const std::string& word) {
        for (const char brace : word)
            brace == '{' ? open() : close();
    }
    void open() {
        if (is_open_) throw_braces("braces within braces");
        if (groups_.size() == 2) throw_braces("there are more than two pairs of braces");
        groups_.emplace_back();
        is_open_ = true;
    }
    void close() {
        if (!is_open_) throw_braces("a brace is not opened");
        is_open_ = false;
    }
    /// Within braces another session than outside of them is meant.
    Texts joined(const Texts& group) const {
        const bool has_session = std::ranges::any_of(group, names_sessions);
        Texts words;
        std::ranges::copy_if(common_, std::back_inserter(words),
                             [&](const std::string& word) { return !has_session || !names_sessions(word); });
        words.insert(words.end(), group.begin(), group.end());
        return words;
    }

    bool is_open_ = false;
    Texts common_;
    std::vector<Texts> groups_;
};

void settle_sessions(Draft& draft) {
    auto& sessions = draft.spec.sessions;
    if (sessions.empty()) sessions = {"current"};
    std::erase_if(sessions, [&](const std::string& name) {
        return std::ranges::find(draft.excluded_sessions, name) != draft.excluded_sessions.end();
    });
    if (sessions.empty()) throw_usage("session-exclude: leaves no session to report on");
    std::set<std::string> named;
    for (const std::string& name : sessions)
        if (!named.insert(name).second)
            throw_usage("session '" + name + "' is named twice: its samples would count twice");
}

}  // namespace

ProfileWords split_differential(std::span<const std::string> words) {
    BraceSplitter splitter;
    for (const auto& word : words)
        splitter.add(word);
    return std::move(splitter).finish();
}

ProfileSpec parse_profile_spec(std::span<const std::string> words) {
    check_sessions(words);
    Draft draft;
    std::set<std::string_view> seen;
    for (const std::string& word : words) {
        if (word.empty()) throw_usage("invalid profile specification: an empty word");
        if (is_braces(word))
            throw_usage("invalid profile specification '" + word + "': two profiles are not compared here");
        if (holds_braces(word))
            throw_usage("invalid profile specification '" + word +
                        "': a brace is a word of its own, as in { session:a } { session:b }");
        const Tag* const tag = find_tag(word);
        if (!tag) {
            draft.spec.words.push_back(word);
            continue;
        }
        if (!seen.insert(word).second)
            throw_usage("invalid profile specification: tag specified more than once: " + word);
        tag->set(draft, word, std::string_view(word).substr(tag->name.size() + 1));
    }
    settle_sessions(draft);
    return std::move(draft.spec);
}

}  // namespace op::pp
