// SPDX-License-Identifier: GPL-2.0-or-later
// Exported profiles: into one file, or a file for each application and process.
#pragma once

#include <string>

#include "libpp/export/exporter.h"

namespace op::tool {

/// Where an export goes.
struct ExportTarget {
    std::string file;  ///< as for write_output
    std::string dir;   ///< if not empty, a file each goes there
};

/// Writes the profile in a format. In a directory a file is named after its application, with process and
/// thread if these are told apart (NAME-PID-TID), and a number if applications of different directories have
/// the same name. Throws a usage error instead of writing to a terminal what is no text, else as
/// write_output and TreeWriter do.
void export_profile(const pp::Exporter& exporter, const pp::Profile& profile,
                    const pp::ExportContext& context, const ExportTarget& target);

}  // namespace op::tool
