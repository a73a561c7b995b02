// SPDX-License-Identifier: GPL-2.0-or-later
// Exported profiles as files.
#include "utils/export_profile.h"

#include <set>

#include "libop/base/error.h"
#include "libop/base/text.h"
#include "libpp/export/profile_part.h"
#include "utils/shared/output.h"
#include "utils/shared/tree_writer.h"

namespace op::tool {

namespace {

constexpr size_t longest_name = 128;  // bytes; with what is put around it a file name everywhere

/// The name of a part's file less what the format puts around it.
std::string part_name(const pp::Profile& profile, const pp::ProfilePart& part) {
    std::string name = printable(base_name(profile.images[part.app].name.name)).substr(0, longest_name);
    if (part.tgid) name += "-" + std::to_string(*part.tgid);
    if (part.tid) name += "-" + std::to_string(*part.tid);
    return name;
}

/// Gives every name once.
class DistinctNames {
public:
    std::string take(const std::string& name) {
        std::string taken = name;
        for (int n = 2; !taken_.insert(taken).second; ++n)
            taken = name + "." + std::to_string(n);
        return taken;
    }

private:
    std::set<std::string> taken_;
};

}  // namespace

void export_profile(const pp::Exporter& exporter, const pp::Profile& profile,
                    const pp::ExportContext& context, const ExportTarget& target) {
    if (target.dir.empty()) {
        if (!exporter.is_text) keep_from_terminal(target.file, "--format=" + std::string(exporter.name));
        return target.outside.write(exporter.write(profile, context));
    }
    TreeWriter tree(target.dir);
    DistinctNames names;
    for (const pp::ProfilePart& part : profile_parts(profile)) {
        const std::string name = names.take(part_name(profile, part));
        tree.write(std::string(exporter.file_prefix) + name + std::string(exporter.file_suffix),
                   exporter.write(profile_of(profile, part), context));
    }
}

}  // namespace op::tool
