// SPDX-License-Identifier: GPL-2.0-or-later
// Reports: the requested rows, chosen and in order, as numbers and names. Writers format them
// (libpp/report/writer.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "libop/base/diagnostics.h"
#include "libop/session/sample_file.h"
#include "libop/session/session_info.h"
#include "libpp/profile/arrange.h"
#include "libpp/profile/profile.h"
#include "libpp/profile/report_footnotes.h"
#include "libpp/profile/sample_set.h"
#include "libpp/profile/statistics.h"
#include "libpp/report/recording_account.h"
#include "libpp/symbols/symbolizer.h"

namespace op::pp {

/// The keys that rows can be sorted by.
enum class SortKey : uint8_t { sample, image, app_name, symbol, debug, vma };

/// Parses the values of --sort. Throws a usage error for an unknown value.
std::vector<SortKey> parse_sort_keys(std::span<const std::string> values);

/// What rows with several columns are sorted by: one of them, or their sum.
struct SortColumn {
    std::optional<size_t> number = 0;  ///< from 0; nothing = the sum
    bool is_given = false;             ///< it was asked for

    uint64_t of(std::span<const uint64_t> counts) const;
};

/// The request for a report, in the words of the command line. Members that were not given are empty.
struct ReportRequest {
    std::string command;  ///< all of it, a blank between words
    std::vector<std::string> sessions, image_paths, merge, include_symbols, exclude_symbols;
    bool debug_info = false, details = false, exclude_dependent = false;
};

/// Options of a report. An empty list changes nothing.
struct ReportOptions {
    bool heads = true;             ///< banner and column heads
    bool long_names = false;       ///< full paths
    bool reverse = false;          ///< all orders are reversed
    bool global_percent = false;   ///< shares of a part (library, address, call) are relative to everything
    bool shows_time = false;       ///< text and Markdown: milliseconds instead of samples
    bool intervals = false;        ///< text and Markdown: the intervals of shares
    bool significant = false;      ///< of a comparison only rows whose change is more than chance
    bool compares_counts = false;  ///< lists of symbols: samples are compared, not their shares
    double threshold = 0;          ///< percent; rows with a lower share are not shown
    // Symbol list only:
    bool debug_info = false;   ///< source lines
    bool addresses = false;    ///< column vma
    bool accumulated = false;  ///< cumulative columns
    bool details = false;      ///< the addresses of each symbol
    bool calls = false;        ///< annotated sources only: where inlined lines were called
    bool inclusive = false;    ///< also counts with what was inlined or called, for the order, too; annotated
                               ///< sources: own files first
    Demangle demangle = Demangle::normal;
    std::vector<SortKey> sort;  ///< most important first; the default order follows
    SortColumn sort_column;     ///< for SortKey::sample, in all reports
    std::vector<std::string>
        include_symbols;  ///< only these: names as in the object file, as shown, or that without parameters
    /// Those of include_symbols that match whatever has them without namespaces, classes and arguments;
    /// nothing = those that no symbol of the profile has.
    std::optional<std::vector<std::string>> bare_names;
    std::vector<std::string> exclude_symbols;  ///< not these
    std::optional<uint64_t> depth;             ///< call tree only: rows deeper than that are not shown
    bool folds_recursion = false;              ///< call tree only: a function that calls itself has one row
    ReportRequest request;                     ///< for the head; changes nothing else
};

/// An event as a banner shows it.
struct ShownEvent {
    std::string name;
    bool is_known = false;  ///< else description is empty
    std::string description;
    std::string mask_description;
    uint64_t count = 0;
    uint64_t unit_mask = 0;
};

/// The head of a report.
struct ReportHead {
    bool is_shown = true;
    Axis axis = Axis::event;
    std::vector<ProfileClass> columns;
    std::vector<ShownEvent> events;    ///< one per column with the event axis, else the common one
    std::string cpu_type;              ///< "i386/core_2"; empty = unknown
    bool is_timer = false;             ///< the type is the clock
    std::string cpu_name;              ///< for people
    double cpu_speed_mhz = 0;          ///< 0 = unknown
    std::vector<std::string> remarks;  ///< on how events were counted; one a line
    /// For each column, how long its scaled events were counted; 0 without scaled events. Empty = no column
    /// has scaled events.
    std::vector<CountedTime> scaled;
    std::vector<double> weights;  ///< as sample_weights()
    bool shows_time = false;      ///< text and Markdown have milliseconds; all columns are of clocks
    bool has_intervals = false;   ///< text and Markdown have those of shares
    std::vector<std::string>
        facts;  ///< on what the numbers are worth; one a line, only where heads are shown
    std::optional<RecordingAccount> account;  ///< also a line of `facts`; nothing if no session has one
    size_t sessions = 1;                      ///< that have samples in the report, or their hosts
    bool counts_hosts = false;                ///< `sessions` are hosts
    std::string samples_dir;  ///< a default directory of samples that the short head names; empty = none
    ReportRequest request;
};

/// True if counts of a column are scaled; `scaled` is as in ReportHead.
bool is_scaled(std::span<const CountedTime> scaled, size_t column);

/// The head of a report on these columns. `header` is their sample files' header, `info` (may be null) has
/// the modes of events, `scaled` is as for report_footnotes. An event without description is a note.
ReportHead make_head(const ReportOptions& options, Axis axis, std::span<const ProfileClass> columns,
                     const SampleHeader& header, const SessionInfo* info, Diagnostics& notes,
                     std::span<const ScaledEvents> scaled = {});

/// An application with its total, or an image with its part of one.
struct ImageRow {
    std::string name;
    std::vector<uint64_t> counts;  ///< one per column
    std::vector<uint64_t> bases;   ///< the totals that shares refer to, one per column
    std::vector<ImageRow> parts;   ///< of an application; empty if all samples are in its own image
};

/// Totals by application and image.
struct ImageReport {
    ReportHead head;
    std::vector<ImageRow> rows;
};

/// A symbol's samples in one application.
struct SymbolRow {
    uint32_t image, app;  ///< indexes into SymbolReport::images
    LinkAddress address;
    std::string_view name;  ///< as shown; valid as long as the Symbolizer
    std::optional<SourceLine> line;
    bool is_inlined = false;  ///< a function without code of its own; place: its first sampled instruction's
};

/// The columns and images of rows by symbol.
struct SymbolColumns {
    bool has_addresses = false, has_wide_addresses = false, is_accumulated = false, has_lines = false,
         has_long_names = false, has_images = false, has_apps = false, is_differential = false,
         has_changes = false, is_inclusive = false;
    std::vector<std::string> images;  ///< as shown
};

/// An address of a symbol.
struct DetailRow {
    LinkAddress address;
    std::optional<SourceLine> line;
};

/// The difference between a symbol's shares of the samples in two profiles.
struct Difference {
    enum class Kind : uint8_t { changed, added, removed } kind;
    double percent;  ///< if changed: of the share in the first profile, by all samples of each
    /// How likely it is that great by chance; nothing if there are too few samples for a test.
    std::optional<double> probability = {};
    Interval points = {0, 0};     ///< the interval of `change`
    bool is_significant = false;  ///< more than chance, with regard to all symbols that were tested
    double change = 0;            ///< of the shares, as they were tested: percentage points
};

/// How the differences of a comparison were tested.
enum class ComparisonTest : uint8_t {
    shares,      ///< the shares of all samples of each side: z test or Fisher's exact test
    means,       ///< the mean shares of the sessions of each side: Welch's test
    counts,      ///< the samples of each side: chance, and an allowance for what varies from run to run
    mean_counts  ///< the mean samples of the sessions of each side: Welch's test
};

/// The least sessions on each side for ComparisonTest::means.
inline constexpr size_t least_sessions = 3;

/// What a comparison can show.
struct ComparisonPower {
    ComparisonTest test = ComparisonTest::shares;
    std::vector<size_t> sessions_before, sessions_after;  ///< that count; one per column, 1 at least
    bool are_hosts = false;                               ///< the sessions of a host are one
    std::vector<double> smallest_change;  ///< of a share of 1 %, percentage points; one per column
    size_t column = 0;                    ///< that with most samples
    size_t tested = 0, untested = 0;      ///< its rows, before any was left out
};

/// Samples of a row on both sides of a comparison.
struct SampleChange {
    double before, after;

    double delta() const { return after - before; }
};

/// Totals by symbol.
struct SymbolReport {
    ReportHead head;
    SymbolColumns columns;
    std::vector<uint64_t> totals;  ///< the totals that shares refer to, one per column
    std::vector<SymbolRow> rows;
    std::vector<uint64_t> counts;  ///< one per row and column, row by row
    // With inclusive counts only; else empty:
    std::vector<uint64_t> inclusive;         ///< samples in a row and all it calls, as counts
    std::vector<uint64_t> inclusive_totals;  ///< all samples: what their shares refer to, one per column
    // With details only; else empty:
    std::vector<size_t> first_detail;  ///< one per row and one more: where its addresses begin, the next's do
    std::vector<DetailRow> details;    ///< by row, then address
    std::vector<uint64_t> detail_counts;  ///< one per detail and column
    std::vector<std::span<const std::byte>>
        code;  ///< one per row: its bytes, empty if its image is not at hand; valid as long as the Symbolizer
    bool has_global_percent = false;  ///< details are shares of everything, not of their symbol
    // Of a comparison only; else empty. Counts are the second profile's, but of removed rows the first's.
    std::vector<Difference> differences;             ///< one per row and column
    std::vector<uint64_t> counts_before;             ///< the first profile's, one per row and column
    std::vector<uint64_t> totals_before;             ///< the first profile's totals, one per column
    std::vector<CountedTime> scaled_before;          ///< ReportHead::scaled of the first profile
    std::optional<RecordingAccount> account_before;  ///< ReportHead::account of the first profile
    ComparisonPower power;

    /// The second profile's count.
    uint64_t count_after(size_t row_and_column) const {
        return differences[row_and_column].kind == Difference::Kind::removed ? 0 : counts[row_and_column];
    }
    /// Samples before and after, and the difference: of the mean session of each side.
    SampleChange change_of(size_t column, uint64_t before, uint64_t after) const {
        return {static_cast<double>(before) / static_cast<double>(power.sessions_before[column]),
                static_cast<double>(after) / static_cast<double>(power.sessions_after[column])};
    }
};

/// A function in a block of the call graph.
struct CallgraphLine {
    SymbolRow symbol;
    bool is_self;  ///< the function's own samples among its callees
};

/// A function with its callers and callees: lines [first, middle) call it, `middle` is the function itself,
/// lines (middle, end) are called by it.
struct CallgraphBlock {
    size_t first, middle, end;
};

/// The call graph: functions with their callers and callees.
struct CallgraphReport {
    ReportHead head;
    SymbolColumns columns;
    std::vector<uint64_t> totals;  ///< of the flat samples in wanted functions, one per column
    std::vector<CallgraphBlock> blocks;
    std::vector<CallgraphLine> lines;
    std::vector<uint64_t> counts;     ///< one per line and column
    std::vector<uint64_t> bases;      ///< the totals that shares refer to, one per line and column
    std::vector<uint64_t> inclusive;  ///< samples in a function and all it calls, one per block and column;
                                      ///< empty if only pairs of caller and callee are known
};

/// A function, or an end of stacks, in the tree of calls.
struct CallTreeRow {
    enum class Kind : uint8_t { application, cut, function } kind;
    uint32_t depth;               ///< 0 = has no row above it; else it is below the last row of one less
    uint32_t image = 0;           ///< of an application or function; index into CallTreeReport::images
    uint32_t end = 0;             ///< of a cut: as StackNode::location
    uint32_t levels = 1;          ///< of a function: how often it follows itself in stacks at most, plus 1
    std::string_view name = "";   ///< of a function, as shown; valid as long as the Symbolizer
    bool is_whole_image = false;  ///< no function of the image is known there
    bool is_own = false;          ///< the image is the application
};

/// Samples by the end of their stacks, over all columns.
struct StackShares {
    std::vector<uint64_t>
        by_end;  ///< by StackNode::location of a cut; those of complete stacks at StackEnd::root
    std::vector<uint64_t> in_run_time_code = {};  ///< of these, those whose outermost known code was made at
                                                  ///< run time; empty = none

    /// The file name of the program that most of them are of, of those that frame pointers would help; empty
    /// = none.
    std::string run_time_program = {};
    /// "FUNCTION [IMAGE]", the outermost function that is known of more than half of the stacks with the most
    /// frequent end; empty = none.
    std::string outermost = {};

    uint64_t total() const;
    uint64_t without() const;  ///< samples without a stack
    uint64_t complete() const { return by_end[static_cast<size_t>(StackEnd::root)]; }
    /// The most frequent end of stacks that are not complete, besides having none; StackEnd::root if there is
    /// none.
    uint32_t heaviest_cut() const;
};

/// The tree of calls, heaviest first: from the applications down to what they call, or from the sampled
/// functions up to their callers.
struct CallTreeReport {
    ReportHead head;
    bool is_by_callee = false;                    ///< from the sampled functions up
    std::vector<std::string> images;              ///< as shown
    std::vector<std::string> images_in_brackets;  ///< the same as they are behind a function's name
    std::vector<uint64_t> totals;                 ///< all samples, which shares refer to; one per column
    std::vector<CallTreeRow> rows;
    std::vector<uint64_t> counts;  ///< samples of a row and all below it; one per row and column
    std::vector<uint64_t> own;     ///< those whose stack ends there; as counts, empty if is_by_callee
    StackShares stacks;
    std::vector<std::string> stack_losses;  ///< remarks on stacks that were cut or lost; one a line
    double left_out = 0;                    ///< percent: rows with smaller shares were left out; 0 = none was
    // Of a comparison only; else empty. Counts and `stacks` are the second profile's.
    std::vector<Difference> differences;  ///< one per row and column
    std::vector<uint64_t> counts_before, own_before, totals_before;
    std::vector<CountedTime> scaled_before;          ///< ReportHead::scaled of the first profile
    std::optional<RecordingAccount> account_before;  ///< ReportHead::account of the first profile
    StackShares stacks_before;
    ComparisonPower power;
};

using Report = std::variant<ImageReport, SymbolReport, CallgraphReport, CallTreeReport>;

/// The name of an image in reports: its base name, unless long names are requested.
std::string shown_name(const ImageName& image, bool long_names);
/// The same as it is behind a function's name, "[libc.so.6]". Run-time code has brackets of its own, "[jit]
/// 100".
std::string name_in_brackets(const ImageName& image, bool long_names);

/// The image summary.
ImageReport report_images(std::span<const ImageTotal> totals, ReportHead head, const ReportOptions& options);

/// The symbol list. Samples in no symbol of an image are a row of their own, so that the list adds up to the
/// image summary's total. Demangles only the names that are shown.
SymbolReport report_symbols(const Profile& profile, ReportHead head, const ReportOptions& options);

/// The call graph of the functions in the symbol list, with the same totals. As there, all samples in no
/// symbol of an image form one function. With call stacks a sample counts once for each function and call
/// that its stack has, and the threshold is for a function with all that it calls.
CallgraphReport report_callgraph(const Profile& profile, ReportHead head, const ReportOptions& options);

/// The tree of calls of a profile with stacks. Functions of one name in one image are one row below a row.
CallTreeReport report_call_tree(const Profile& profile, ReportHead head, const ReportOptions& options,
                                bool is_by_callee);

/// Throws a usage error that names both sides unless the columns are of the same kind, number, events and
/// counts.
void check_comparable(const ReportHead& before, const ReportHead& after);

/// Reports on each session of a comparison's sides alone, with the columns of the side and without a
/// threshold; empty lists = what sessions differ in is not tested.
template <class OneReport>
struct SessionReports {
    std::vector<OneReport> before, after;
};

/// The difference of two symbol lists that were made without a threshold: the union of their rows without
/// those whose first share changed by less than options.threshold percent, or not significantly if
/// options.significant is set. All rows are tested. Without options.sort, rows with a significant change are
/// first. Valid as long as both symbolizers. Throws as check_comparable.
SymbolReport report_difference(const SymbolReport& before, const SymbolReport& after,
                               const ReportOptions& options,
                               const SessionReports<SymbolReport>& sessions = {});

/// The difference of two trees of calls that were made without a threshold: the union of their rows without
/// those that have a smaller share than options.threshold on both sides, or if options.significant is set
/// neither change significantly nor have a row below them that does. All rows are tested. Siblings are in the
/// order of the larger of their two shares. Valid as long as both symbolizers. Throws as check_comparable.
CallTreeReport report_tree_difference(const CallTreeReport& before, const CallTreeReport& after,
                                      const ReportOptions& options,
                                      const SessionReports<CallTreeReport>& sessions = {});

}  // namespace op::pp
