// SPDX-License-Identifier: GPL-2.0-or-later
// Command-line options: one table per command, parsed into plain variables. The only user of popt.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace op::tool {

/// The target of an option's value:
///   bool*                      set to true; the option takes no argument
///   std::string*               the argument given
///   std::optional<std::string>*  the same, but an empty argument differs from no argument
///   std::optional<uint64_t>*   the argument given, a C integer
///   std::vector<std::string>*  the arguments, split at commas that no backslash escapes; repeating appends
/// An option with one argument may be repeated with the same one only.
using OptionTarget = std::variant<bool*, std::string*, std::optional<std::string>*, std::optional<uint64_t>*,
                                  std::vector<std::string>*>;

/// One option. Strings must outlive the parsing.
struct Option {
    const char* long_name;  ///< without "--"
    char short_name;        ///< 0 = none
    OptionTarget target;
    const char* help;                ///< one line, no full stop
    const char* argument = nullptr;  ///< the argument's name in the help, e.g. "FILE"
    bool* is_given = nullptr;        ///< if not null: set to true, and the argument may be omitted
};

/// The options and arguments of a command.
struct CommandSyntax {
    const char* synopsis;          ///< what follows the options in --usage, e.g. "[PROFILE SPECIFICATION...]"
    std::vector<Option> options;   ///< besides --help, --usage and --version/-v, which every command has
    bool has_exact_names = false;  ///< long names are to be given in full: some of the acts cannot be undone
    bool stop_at_first_word = false;  ///< options after the first other word belong to that word's command
    char help_letter = '?';
    char usage_letter = 0;  ///< 0 = none
};

/// The outcome of parsing.
struct ParsedOptions {
    std::vector<std::string> words;  ///< the arguments that are not options, in order
    std::optional<int> exit_status;  ///< set after help, version or a bad option: exit with this status
};

/// Parses a command line into the targets. --help, --usage and --version print on stdout and set status 0;
/// --version with --verbose, which every command takes, adds what a bug report needs of the machine. A bad
/// option prints "<tool>: <option>: <reason>; see <tool> --help" on stderr, with similar options, and sets
/// status 1. Throws a usage error if the argument of a number option is not a number, that of a list option
/// is empty, or an option of one argument is given with two, a system error if stdout cannot be written.
ParsedOptions parse_options(int argc, char** argv, const CommandSyntax& syntax);

}  // namespace op::tool
