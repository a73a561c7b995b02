// SPDX-License-Identifier: GPL-2.0-or-later
// Command-line options: one table per command, parsed into plain variables. The one door to popt.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace op::tool {

/// Where an option's value goes:
///   bool*                      set to true; the option takes no argument
///   std::string*               the last argument given
///   std::optional<std::string>*  the same, where an empty argument is not the same as none
///   std::optional<uint64_t>*   the last argument given, a C integer
///   std::vector<std::string>*  the arguments, split at commas that no backslash escapes; repeating appends
using OptionTarget = std::variant<bool*, std::string*, std::optional<std::string>*, std::optional<uint64_t>*,
                                  std::vector<std::string>*>;

/// One option. Strings must outlive the parsing.
struct Option {
    const char* long_name;  ///< without "--"
    char short_name;        ///< 0 = none
    OptionTarget target;
    const char* help;                ///< one line, no full stop
    const char* argument = nullptr;  ///< shown in the help for what takes an argument, e.g. "FILE"
    bool* is_given = nullptr;        ///< if not null: set to true, and the argument may be left out
};

/// What a command accepts.
struct CommandSyntax {
    const char* synopsis;         ///< for usage, what follows the options, e.g. "[PROFILE SPECIFICATION...]"
    std::vector<Option> options;  ///< besides --help, --usage and --version/-v, which every command has
    bool stop_at_first_word = false;  ///< options after the first other word belong to that word's command
    char help_letter = '?';
    char usage_letter = 0;  ///< 0 = none
};

/// The outcome of parsing.
struct ParsedOptions {
    std::vector<std::string> words;  ///< what is no option, in order
    std::optional<int> exit_status;  ///< set: all has been said (help, version, bad option), exit with this
};

/// Parses a command line into the targets. --help, --usage and --version print on stdout and give status 0; a
/// bad option prints "<tool>: <option>: <reason>; see <tool> --help" on stderr, with the options that were
/// perhaps meant, and gives status 1. Throws a
/// usage error if an argument is no number where one is wanted or empty where a list is, a system error if
/// stdout cannot be written.
ParsedOptions parse_options(int argc, char** argv, const CommandSyntax& syntax);

}  // namespace op::tool
