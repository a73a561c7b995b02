// SPDX-License-Identifier: GPL-2.0-or-later
// opgprof: the samples of one binary as gmon.out, for gprof.
#include <fcntl.h>
#include <unistd.h>

#include <memory>
#include <set>

#include "libop/error.h"
#include "libop/text.h"
#include "libpp/export_gmon.h"
#include "utils/load_profile.h"
#include "utils/output.h"

namespace op::tool {
namespace {

struct Options {
    CommonOptions common;
    std::string output = "gmon.out";
};

CommandSyntax syntax(Options& o) {
    CommandSyntax s;
    s.synopsis = "[PROFILE SPECIFICATION...]";
    s.options = {{"output-filename", 'o', &o.output, "where the profile goes (gmon.out)", "FILE"}};
    for (const auto& option : o.common.table())
        s.options.push_back(option);
    return s;
}

/// The one image that has samples; none if there are several.
std::optional<uint32_t> only_image(const pp::Profile& profile) {
    std::set<uint32_t> images;
    for (size_t i = 0; i < profile.samples.size(); ++i)
        images.insert(profile.leaf(i).image);
    if (images.size() != 1) return std::nullopt;
    return *images.begin();
}

/// A profile of what is asked for, first without libraries, then, if that is not one binary, with them.
std::unique_ptr<LoadedProfile> load_one_binary(const Options& o, const std::vector<std::string>& words,
                                               Tool& tool) {
    LoadOptions options;
    options.merge = pp::parse_merge(std::vector<std::string>{"all"});
    for (const bool is_alone : {true, false}) {
        options.select = {is_alone, true};
        std::unique_ptr<LoadedProfile> loaded;
        try {
            loaded = std::make_unique<LoadedProfile>(o.common, words, options, tool);
        } catch (const Error& error) {
            if (is_alone && error.kind() == ErrorKind::usage) continue;  // all samples may be in libraries
            throw;
        }
        if (loaded->classes().classes.size() == 1 && only_image(loaded->profile())) return loaded;
    }
    throw_usage("specify exactly one binary, by its full path, or give an event: or count:");
}

/// Of the ELF file, by e_ident[EI_CLASS] (ELF specification, "ELF Identification").
unsigned address_bytes(const std::string& path) {
    const Fd file = open_file(path, O_RDONLY | O_NONBLOCK);
    unsigned char ident[5] = {};
    return ::pread(file.get(), ident, sizeof ident, 0) == sizeof ident && ident[4] == 1 ? 4 : 8;
}

int opgprof(Tool& tool, int argc, char** argv) {
    Options o;
    const ParsedOptions parsed = parse_options(argc, argv, syntax(o));
    if (parsed.exit_status) return *parsed.exit_status;
    o.common.check();
    parse_threshold(o.common.threshold);
    if (o.output.empty()) throw_usage("--output-filename: give a name");
    keep_from_terminal(o.output, "a profile for gprof");
    const auto loaded = load_one_binary(o, parsed.words, tool);
    const pp::Profile& profile = loaded->profile();
    const uint32_t image = *only_image(profile);
    const std::string& name = profile.images[image].name.name;
    const auto path = loaded->file_of(profile.images[image].name);
    if (!path) throw_input("image " + printable(name) + " is not found; gprof could not read it either");
    const std::string bytes = export_gmon(profile, image, address_bytes(*path), tool.notes);
    for (const std::string& remark : loaded->remarks())  // gmon.out has no place for them
        tool.notes.warn(remark);
    tool.print_notes();
    write_output(o.output, bytes);
    return 0;
}

}  // namespace
}  // namespace op::tool

int main(int argc, char** argv) {
    return op::tool::run(argc, argv, op::tool::opgprof);
}
