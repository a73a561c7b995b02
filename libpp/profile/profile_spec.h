// SPDX-License-Identifier: GPL-2.0-or-later
// The profile specification language: the words of a report command besides its options. Syntax only;
// libpp/select finds the files of a specification.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace op::pp {

/// The selection of a report. Every empty list means "any". Image lists hold patterns as typed.
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

/// The words of one profile, or of two profiles to compare.
struct ProfileWords {
    std::vector<std::string> first;
    std::optional<std::vector<std::string>> second;
};

/// Splits "WORDS {WORDS} {WORDS} WORDS": words outside the braces belong to both profiles. Throws a usage
/// error for unpaired braces, a single pair, and an empty first pair before a second that is not empty.
/// Adjacent braces may be one word.
ProfileWords split_differential(std::span<const std::string> words);

/// Parses the words of one profile. A repeated tag replaces its earlier value. The same tagged word twice, a
/// tag without a value, a malformed number, and braces (also around a word) are usage errors. A word with an
/// unknown tag is a bare word.
ProfileSpec parse_profile_spec(std::span<const std::string> words);

}  // namespace op::pp
