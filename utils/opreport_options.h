// SPDX-License-Identifier: GPL-2.0-or-later
// opreport's options: what there is, what goes together, what follows from what.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "libpp/export/exporter.h"
#include "libpp/report/report.h"
#include "libpp/report/writer.h"
#include "utils/report_options.h"
#include "utils/shared/options.h"
#include "utils/shared/output.h"

namespace op::tool {

/// opreport's options as given, then settled.
struct ReportCommandOptions {
    CommonOptions common;
    ShowOptions show;
    pp::ReportOptions report;
    bool symbols = false, callgraph = false, inlines = false, exclude_dependent = false, no_heads = false,
         xml = false;
    std::vector<std::string> merge, sort;
    DemangleOptions demangle;
    std::string format, output_file, output_dir;
    std::string format_help, output_dir_help;  ///< made by syntax() of the tables of formats
    const pp::Exporter* exporter = nullptr;    ///< if the format is one of another program's profiles

    /// The options' table; it points into this object.
    CommandSyntax syntax();
    /// Takes up what is implied: --callgraph, --details, --debug-info and --inline list symbols, an exported
    /// profile holds all of these.
    void settle_implied();
    /// What is wrong with the combination of options; empty if nothing is.
    std::vector<std::string> conflicts(bool is_differential) const;
    /// Parses values, after conflicts() found nothing. Throws a usage error on one that is unknown.
    void settle(Diagnostics& notes);
    /// The format of reports. Throws a usage error if there is none of that name.
    const pp::Writer& writer() const;
};

}  // namespace op::tool
