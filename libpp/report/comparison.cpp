// SPDX-License-Identifier: GPL-2.0-or-later
// The common parts of comparisons.
#include "libpp/report/comparison.h"

#include <algorithm>

#include "libop/base/error.h"
#include "libop/base/text.h"

namespace op::pp {

namespace {

bool are_comparable(const ReportHead& a, const ReportHead& b) {
    if (a.axis != b.axis || a.columns.size() != b.columns.size()) return false;
    return a.axis != Axis::event ||
           std::ranges::equal(a.columns, b.columns, [](const ProfileClass& x, const ProfileClass& y) {
               return x.event == y.event && x.count == y.count;
           });
}

/// "CYCLES:100000, BRANCHES:50000", or "tgid:1, tgid:2" of columns that differ in that.
std::string columns_text(const ReportHead& head) {
    return joined(head.columns, ", ",
                  [&](const ProfileClass& column) { return printable(column.short_name(head.axis)); });
}

}  // namespace

bool Share::operator==(const Share& other) const {
    using Product = unsigned __int128;
    return Product{count} * other.total == Product{other.count} * total;
}

Difference difference(const Share& before, const Share& after) {
    if (before.count == 0 && after.count == 0) return {Difference::Kind::changed, 0};
    if (before.count == 0) return {Difference::Kind::added, 0};
    if (after.count == 0) return {Difference::Kind::removed, 0};
    if (before == after) return {Difference::Kind::changed, 0};
    return {Difference::Kind::changed, (after.ratio() - before.ratio()) / before.ratio() * 100};
}

std::vector<std::string> lines_of_both(const std::vector<std::string>& first,
                                       const std::vector<std::string>& second) {
    const auto is_in = [](const std::vector<std::string>& lines, const std::string& line) {
        return std::ranges::find(lines, line) != lines.end();
    };
    std::vector<std::string> both;
    for (const std::string& line : first)
        if (is_in(second, line)) both.push_back(line);
    for (const std::string& line : first)
        if (!is_in(second, line)) both.push_back("first profile: " + line);
    for (const std::string& line : second)
        if (!is_in(first, line)) both.push_back("second profile: " + line);
    return both;
}

void check_comparable(const ReportHead& before, const ReportHead& after) {
    const bool are_of_threads = before.axis == after.axis && before.axis != Axis::event;
    if (!are_comparable(before, after) && are_of_threads)
        throw_usage("the profiles cannot be compared column by column: the first has " +
                    columns_text(before) + ", the second " + columns_text(after) +
                    "; add them up with --merge=tid, tgid or cpu");
    if (!are_comparable(before, after))
        throw_usage("the two profiles' classes are incompatible: the first has " + columns_text(before) +
                    ", the second " + columns_text(after) +
                    "; they must be of the same events and counts, and separated alike");
}

}  // namespace op::pp
