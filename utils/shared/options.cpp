// SPDX-License-Identifier: GPL-2.0-or-later
// Command-line options over popt.
#include "utils/shared/options.h"

#include <popt.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <list>
#include <map>
#include <memory>

#include "libop/base/error.h"
#include "libop/base/nearest.h"
#include "libop/base/text.h"
#include "utils/shared/tool.h"
#include "utils/shared/version.h"

namespace op::tool {

namespace {

using Context = std::unique_ptr<std::remove_pointer_t<poptContext>, decltype(&poptFreeContext)>;
using CString = std::unique_ptr<char, decltype(&std::free)>;

/// popt's values for the options every command has; those of the table are their index + 1.
enum : int { help_value = 1 << 20, usage_value, version_value };

std::vector<poptOption> popt_table(const CommandSyntax& syntax) {
    std::vector<poptOption> table;
    const auto add = [&](const char* name, char letter, unsigned type, int value, const char* help,
                         const char* argument) {
        table.push_back({name, letter, type, nullptr, value, help, argument});
    };
    for (size_t i = 0; i < syntax.options.size(); ++i) {
        const Option& option = syntax.options[i];
        const unsigned type = std::holds_alternative<bool*>(option.target) ? POPT_ARG_NONE
                              : option.is_given ? POPT_ARG_STRING | POPT_ARGFLAG_OPTIONAL
                                                : POPT_ARG_STRING;
        add(option.long_name, option.short_name, type, static_cast<int>(i) + 1, option.help, option.argument);
    }
    add("version", 'v', POPT_ARG_NONE, version_value, "show the version and exit", nullptr);
    add("help", syntax.help_letter, POPT_ARG_NONE, help_value, "show this help and exit", nullptr);
    add("usage", syntax.usage_letter, POPT_ARG_NONE, usage_value, "show a short usage message and exit",
        nullptr);
    const auto is_taken = [](const poptOption& option) { return option.shortName == 'h'; };
    if (std::ranges::none_of(table, is_taken))
        add(nullptr, 'h', POPT_ARG_NONE | POPT_ARGFLAG_DOC_HIDDEN, help_value, nullptr, nullptr);
    table.push_back(POPT_TABLEEND);
    return table;
}

/// What one of popt's printing functions prints.
std::string captured(poptContext context, void (*print)(poptContext, FILE*, int)) {
    char* text = nullptr;
    size_t size = 0;
    FILE* const out = ::open_memstream(&text, &size);
    if (!out) throw_system("cannot make the help text");
    print(context, out, 0);
    std::fclose(out);
    const CString owner(text, &std::free);
    return {text, size};
}

struct Store {
    const Option& option;
    const std::string& value;

    void operator()(bool* flag) const { *flag = true; }
    void operator()(std::string* text) const {
        if (value.empty()) throw_usage("--" + std::string(option.long_name) + ": an empty value");
        *text = value;
    }
    void operator()(std::optional<std::string>* text) const { *text = value; }
    void operator()(std::vector<std::string>* list) const {
        if (value.empty() && !option.is_given)
            throw_usage("--" + std::string(option.long_name) + ": an empty list");
        for (auto& part : split_list(value))
            list->push_back(std::move(part));
    }
    void operator()(std::optional<uint64_t>* number) const {
        *number = parse_c_integer(value);
        if (!*number)
            throw_usage("--" + std::string(option.long_name) + "=" + value + ": " +
                        std::string(value.starts_with('-') ? "less than 0" : c_integer_fault(value)));
    }
};

/// Throws if an option of one value was given before with another one: neither may be left out in silence.
void check_once(const Option& option, const std::string& value, std::map<std::string, std::string>& given) {
    if (std::holds_alternative<bool*>(option.target)) return;
    if (std::holds_alternative<std::vector<std::string>*>(option.target)) return;
    const auto [before, is_first] = given.emplace(option.long_name, value);
    if (!is_first && before->second != value)
        throw_usage("--" + before->first + " is given twice: " + before->second + ", " + value);
}

/// Acts on one option popt found; `given` has those with one value. Returns the exit status if the command is
/// done with it.
std::optional<int> apply(poptContext context, int value, const CommandSyntax& syntax,
                         const std::string& tool_name, std::map<std::string, std::string>& given) {
    const CString argument(poptGetOptArg(context), &std::free);
    if (value == help_value) {
        write_stdout(captured(context, poptPrintHelp));
    } else if (value == usage_value) {
        write_stdout(captured(context, poptPrintUsage));
    } else if (value == version_value) {
        write_stdout(version_text(tool_name));
    } else {
        const Option& option = syntax.options.at(static_cast<size_t>(value) - 1);
        const std::string text = argument ? argument.get() : "";
        check_once(option, text, given);
        if (option.is_given) *option.is_given = true;
        std::visit(Store{option, text}, option.target);
        return std::nullopt;
    }
    return 0;
}

constexpr std::string_view long_dashes = "--";

/// "; did you mean --OPTION?" for a long option that nearly is one of the table's; else empty.
std::string suggestion(std::string_view given, std::span<const poptOption> table) {
    if (!given.starts_with(long_dashes)) return "";
    std::vector<std::string> names;
    for (const poptOption& option : table)
        if (option.longName) names.emplace_back(option.longName);
    auto nearest =
        nearest_names(given.substr(long_dashes.size(), given.find('=') - long_dashes.size()), names);
    for (std::string& name : nearest)
        name.insert(0, long_dashes);
    return did_you_mean(nearest);
}

int reject(poptContext context, int error, const std::string& tool_name, std::span<const poptOption> table) {
    const char* const bad = poptBadOption(context, POPT_BADOPTION_NOALIAS);
    const std::string option = bad ? bad : "";
    const std::string meant = error == POPT_ERROR_BADOPT ? suggestion(option, table) : "";
    write_stderr(printable(tool_name + ": " + option + ": " + poptStrerror(error)) + meant +
                 (meant.empty() ? "; see " : " See ") + printable(tool_name) + " --help\n");
    return 1;
}

std::string without_dashes(std::string_view name) {
    std::string text(name);
    std::erase(text, '-');
    return text;
}

/// The one option of the table that the word, "--NAME" or "--NAME=VALUE", is the beginning of, in its place;
/// nothing if it is of none or of several. Dashes within names are easily forgotten: "--debuginfo" may be
/// meant for --debug-info as well as for --debuginfod.
std::optional<std::string> completed(const std::string& word, std::span<const poptOption> table) {
    if (!word.starts_with(long_dashes)) return std::nullopt;
    const size_t end = std::min(word.find('='), word.size());
    const std::string_view begin =
        std::string_view(word).substr(long_dashes.size(), end - long_dashes.size());
    std::optional<std::string> found;
    for (const poptOption& option : table) {
        const std::string_view name = option.longName ? option.longName : "";
        if (begin.empty() || (!name.starts_with(begin) && !without_dashes(name).starts_with(begin))) continue;
        if (found || !name.starts_with(begin)) return std::nullopt;
        found = std::string(long_dashes) + option.longName + word.substr(end);
    }
    return found;
}

/// The first of `argc` words that is an option of no table, if there is one.
std::optional<std::string> first_unknown(const std::string& tool_name, int argc, const char** argv,
                                         const poptOption* table, unsigned flags) {
    const Context context(poptGetContext(tool_name.c_str(), argc, argv, table, flags), &poptFreeContext);
    int value;
    while ((value = poptGetNextOpt(context.get())) > 0)
        CString(poptGetOptArg(context.get()), &std::free);
    const char* const bad = poptBadOption(context.get(), POPT_BADOPTION_NOALIAS);
    return value == POPT_ERROR_BADOPT && bad ? std::optional<std::string>(bad) : std::nullopt;
}

/// The words of a command line, with options that are given by the beginning of their name in full.
class CompletedWords {
public:
    /// None is completed if `is_exact`.
    CompletedWords(const std::string& tool_name, int argc, char** argv, std::span<const poptOption> table,
                   unsigned flags, bool is_exact)
        : words_(argv, argv + argc) {
        words_.push_back(nullptr);
        if (is_exact) return;
        while (const auto unknown = first_unknown(tool_name, argc, words_.data(), table.data(), flags)) {
            auto option = completed(*unknown, table);
            const auto is_it = [&](const char* word) { return word && *unknown == word; };
            const auto at = std::ranges::find_if(words_, is_it);
            if (!option || at == words_.end()) return;
            *at = completed_.emplace_back(std::move(*option)).c_str();
        }
    }

    /// Null-terminated; as long as the object.
    const char** argv() { return words_.data(); }

private:
    std::vector<const char*> words_;
    std::list<std::string> completed_;
};

}  // namespace

ParsedOptions parse_options(int argc, char** argv, const CommandSyntax& syntax) {
    const std::string tool_name(argc > 0 ? base_name(argv[0]) : "");
    const auto table = popt_table(syntax);
    const unsigned flags = syntax.stop_at_first_word ? POPT_CONTEXT_POSIXMEHARDER : 0;
    CompletedWords words(tool_name, argc, argv, table, flags, syntax.has_exact_names);
    const Context context(poptGetContext(tool_name.c_str(), argc, words.argv(), table.data(), flags),
                          &poptFreeContext);
    poptSetOtherOptionHelp(context.get(), syntax.synopsis);

    ParsedOptions parsed;
    if (argc > 1 && wants_version_details(std::span(argv + 1, static_cast<size_t>(argc) - 1))) {
        write_stdout(version_details(tool_name, running_versions()));
        parsed.exit_status = 0;
        return parsed;
    }
    std::map<std::string, std::string> given;
    int value;
    while ((value = poptGetNextOpt(context.get())) > 0) {
        parsed.exit_status = apply(context.get(), value, syntax, tool_name, given);
        if (parsed.exit_status) return parsed;
    }
    if (value < -1) {
        parsed.exit_status = reject(context.get(), value, tool_name, table);
        return parsed;
    }
    for (const char** word = poptGetArgs(context.get()); word && *word; ++word)
        parsed.words.emplace_back(*word);
    return parsed;
}

}  // namespace op::tool
