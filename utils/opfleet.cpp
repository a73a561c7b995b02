// SPDX-License-Identifier: GPL-2.0-or-later
// opfleet: questions about the sessions of many machines, which oppush sent to one server. Its verbs are in
// utils/opfleet.
#include "utils/opfleet/verbs.h"

#include <algorithm>
#include <string>
#include <vector>

#include "libop/base/error.h"
#include "libop/base/text.h"
#include "utils/shared/options.h"

namespace op::tool {
namespace {

constexpr FleetVerb verbs[] = {
    {"init", "create the database and its tables", opfleet_init},
    {"symbolize", "give names to what hosts have sent", opfleet_symbolize},
    {"diff", "compare the functions of two releases", opfleet_diff},
    {"top", "list the functions with most samples", opfleet_top},
    {"hosts", "list the hosts that have sent", opfleet_hosts},
    {"images", "list the binaries with samples", opfleet_images},
    {"coverage", "list what is missing: hosts that are late or lossy, binaries without names",
     opfleet_coverage},
    {"show", "make the sessions of a host and day on this machine", opfleet_show},
    {"flame", "write the call stacks of hosts and days for flame graphs", opfleet_flame},
    {"nightly", "merge complete days and add them up by function", opfleet_nightly},
    {"retain", "drop old days, or as many as are too many for the disk", opfleet_retain},
};

std::string list_of_verbs() {
    constexpr size_t width = 14;
    std::string text = "\nVerbs (opfleet VERB --help lists the options of one):\n";
    for (const FleetVerb& verb : verbs) {
        std::string name = verb.name;
        name.resize(std::max(width, name.size() + 1), ' ');
        text += "  " + name + verb.duty + "\n";
    }
    return text;
}

int opfleet(Tool& tool, int argc, char** argv) {
    CommandSyntax syntax;
    syntax.has_exact_names = true;
    syntax.synopsis = "VERB [OPTION...] [WORD...]";
    syntax.stop_at_first_word = true;
    const ParsedOptions parsed = parse_options(argc, argv, syntax);
    if (parsed.exit_status) {
        const bool is_help = argc > 1 && std::string_view(argv[1]) == "--help";
        if (is_help) write_stdout(list_of_verbs());
        return *parsed.exit_status;
    }
    if (parsed.words.empty()) throw_usage("give a verb; see opfleet --help");
    const std::string& word = parsed.words[0];
    const auto verb =
        std::ranges::find_if(fleet_verbs(), [&](const FleetVerb& each) { return word == each.name; });
    if (verb == fleet_verbs().end())
        throw_usage("there is no verb " + printable(word) + "; see opfleet --help");
    const auto words = static_cast<ptrdiff_t>(parsed.words.size());
    std::vector<char*> of_verb(argv + (argc - words), argv + argc + 1);
    tool.name += " " + word;  // in messages
    of_verb[0] = tool.name.data();
    return verb->run(tool, static_cast<int>(words), of_verb.data());
}

}  // namespace

std::span<const FleetVerb> fleet_verbs() {
    return verbs;
}

}  // namespace op::tool

int main(int argc, char** argv) {
    return op::tool::run(argc, argv, op::tool::opfleet);
}
