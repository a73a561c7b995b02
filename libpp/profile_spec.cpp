// SPDX-License-Identifier: GPL-2.0-or-later
// The profile specification language.
#include "libpp/profile_spec.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "libop/error.h"
#include "libop/text.h"

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

bool is_brace(std::string_view word) {
    return word == "{" || word == "}" || word == "{}";
}

void settle_sessions(Draft& draft) {
    auto& sessions = draft.spec.sessions;
    if (sessions.empty()) sessions = {"current"};
    std::erase_if(sessions, [&](const std::string& name) {
        return std::ranges::find(draft.excluded_sessions, name) != draft.excluded_sessions.end();
    });
    if (sessions.empty()) throw_usage("session-exclude: leaves no session to report on");
}

}  // namespace

ProfileSpec parse_profile_spec(std::span<const std::string> words) {
    Draft draft;
    std::set<std::string_view> seen;
    for (const std::string& word : words) {
        if (word.empty()) throw_usage("invalid profile specification: an empty word");
        if (is_brace(word))
            throw_usage("invalid profile specification " + word +
                        ": differential profiles are not available");
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
