// SPDX-License-Identifier: GPL-2.0-or-later
// The profile specification language: the words of a report command that are no options. Syntax only; which
// files a specification selects is libpp/select.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace op::pp {

/// What to report on. Every empty list means "any". Image lists hold patterns as typed.
struct ProfileSpec {
    std::string archive;                          ///< archive:, empty = none
    std::vector<std::string> sessions;            ///< session: minus session-exclude:; default "current"
    std::vector<std::string> words;               ///< bare words and binary: application or library
    std::vector<std::string> images;              ///< image:
    std::vector<std::string> excluded_images;     ///< image-exclude:
    std::vector<std::string> libraries;           ///< lib-image:
    std::vector<std::string> excluded_libraries;  ///< lib-image-exclude:
    std::vector<std::string> sample_files;        ///< sample-file:, below the session's sample directory
    std::vector<std::string> events;              ///< event:
    std::vector<uint64_t> counts;                 ///< count:
    std::vector<uint64_t> unit_masks;             ///< unit-mask:
    std::vector<uint64_t> tids, tgids, cpus;      ///< tid:, tgid:, cpu:

    bool operator==(const ProfileSpec&) const = default;
};

/// The words of one profile, or of the two that are to be compared.
struct ProfileWords {
    std::vector<std::string> first;
    std::optional<std::vector<std::string>> second;
};

/// Takes "WORDS {WORDS} {WORDS} WORDS" apart: words outside the braces count for both. Throws a usage error
/// on braces that do not pair, one pair only, and an empty first pair with a second that is not. Braces that
/// follow each other may be one word.
ProfileWords split_differential(std::span<const std::string> words);

/// Parses the words of one profile. A tag given again replaces what it was given before; the same tagged word
/// twice, a tag without a value, what should be a number and is not, and braces, also around a word, are
/// usage errors. A word with an unknown tag is a bare word.
ProfileSpec parse_profile_spec(std::span<const std::string> words);

}  // namespace op::pp
