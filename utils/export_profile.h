// SPDX-License-Identifier: GPL-2.0-or-later
// Exports profiles to one file, or to a file for each application and process.
#pragma once

#include <string>

#include "libpp/export/exporter.h"
#include "utils/outside.h"

namespace op::tool {

/// Where an export goes.
struct ExportTarget {
    std::string file;  ///< as for write_output; that of `outside`
    std::string dir;   ///< if not empty, the directory of one file per application and process
    Outside& outside;  ///< writes the file
};

/// Writes the profile in a format. In a directory a file is named after its application, with process and
/// thread if the profile separates them (NAME-PID-TID), and with a number if applications in different
/// directories have the same name. Throws a usage error instead of writing binary data to a terminal, else
/// as Outside::write and TreeWriter do.
void export_profile(const pp::Exporter& exporter, const pp::Profile& profile,
                    const pp::ExportContext& context, const ExportTarget& target);

}  // namespace op::tool
