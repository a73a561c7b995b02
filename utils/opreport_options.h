// SPDX-License-Identifier: GPL-2.0-or-later
// opreport's options, the conflicts between them and the options that they imply.
#pragma once

#include <optional>
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

/// opreport's options as given, then with those they imply.
struct ReportCommandOptions {
    CommonOptions common;
    ShowOptions show;
    pp::ReportOptions report;
    bool symbols = false, callgraph = false, call_tree = false, inlines = false, exclude_dependent = false,
         no_heads = false, xml = false, session_info = false;
    std::vector<std::string> merge, sort;
    DemangleOptions demangle;
    std::optional<std::string> call_tree_root;  ///< "callers"; else from the applications
    std::string format, output_file, output_dir;
    std::optional<uint64_t> sort_column;  ///< from 1
    std::string unit;                     ///< "samples" or "ms"; empty = samples
    std::string diff;                     ///< "change" or "shares"; empty = what is apt for the output
    std::string by;                  ///< what varies in a comparison: "session" or "host"; empty = session
    std::string html, html_size;     ///< the file of the page, as for write_output(), and its greatest size
    uint64_t page_size = 5'000'000;  ///< set by settle()
    std::string format_help, output_dir_help;  ///< set by syntax() from the tables of formats
    const pp::Exporter* exporter = nullptr;    ///< not null if another program's profile format

    /// The table of options; it points into this object.
    CommandSyntax syntax();
    /// Sets the implied options: --callgraph, --call-tree, --details, --debug-info, --inclusive and --inline
    /// imply
    /// --symbols, and an exported profile implies all of these.
    void settle_implied();
    /// The conflicts between the options; empty if they can be combined.
    std::vector<std::string> conflicts(bool is_differential) const;
    /// Parses values; conflicts() must have returned none. Throws a usage error on an unknown value.
    void settle(Diagnostics& notes);
    bool is_call_tree_by_callee() const { return call_tree_root == "callers"; }
    /// True if the threshold is opreport's own choice, as a whole tree of calls is too much to read.
    bool has_default_threshold() const;
    /// True if --merge has the rows of several files of one path joined. Details have the addresses of one.
    bool joins_builds() const;
    /// Sets what rows are sorted by, given the report's columns. Throws a usage error if there are fewer.
    void settle_sort_column(pp::Axis axis, size_t columns);
    /// Sets the unit of counts, given the report's columns. Throws a usage error if one has samples that are
    /// no time.
    void settle_unit(std::span<const pp::ProfileClass> columns);
    /// Sets what is compared, given whether the report goes to a terminal. conflicts() must have returned
    /// none.
    void settle_diff(bool is_for_terminal);
    /// True if the sessions of a host are compared as one.
    bool compares_hosts() const { return by == "host"; }
    /// True if the samples are written as a page for a browser.
    bool is_page() const { return !html.empty(); }
    /// The format of reports. Throws a usage error if its name is unknown.
    const pp::Writer& writer() const;
};

}  // namespace op::tool
