// SPDX-License-Identifier: GPL-2.0-or-later
// The image summary: which applications, and within each which images.
#include <algorithm>
#include <map>

#include "libop/session/ledger.h"
#include "libpp/profile/percent.h"
#include "libpp/report/report.h"

namespace op::pp {

namespace {

using Counts = std::vector<uint64_t>;

void add_to(Counts& sum, const Counts& counts) {
    for (size_t i = 0; i < counts.size(); ++i)
        sum[i] = add_saturating(sum[i], counts[i]);
}

bool is_nothing(const Counts& counts) {
    return std::ranges::all_of(counts, [](uint64_t n) { return n == 0; });
}

void sort_rows(std::vector<ImageRow>& rows, const ReportOptions& options) {
    std::ranges::stable_sort(rows, [&](const ImageRow& a, const ImageRow& b) {
        const uint64_t first = options.sort_column.of(a.counts), second = options.sort_column.of(b.counts);
        if (first == second) return a.name < b.name;
        return options.reverse == (first < second);
    });
}

bool reaches(const Counts& counts, const Counts& totals, double threshold) {
    for (size_t column = 0; column < counts.size(); ++column)
        if (percent_of(counts[column], totals[column]) >= threshold) return true;
    return false;
}

/// The images of one application, in image order.
struct Application {
    Counts counts;
    std::vector<const ImageTotal*> parts;
};

ImageRow make_row(const ImageName& app, const Application& application, const Counts& grand_total,
                  const ReportOptions& options) {
    ImageRow row{shown_name(app, options.long_names), application.counts, grand_total, {}};
    bool is_own_only = true;
    for (const ImageTotal* part : application.parts) {
        if (is_nothing(part->counts)) continue;
        is_own_only &= part->image == app;
        row.parts.push_back({shown_name(part->image, options.long_names),
                             part->counts,
                             options.global_percent ? grand_total : application.counts,
                             {}});
    }
    if (is_own_only) row.parts.clear();
    sort_rows(row.parts, options);
    return row;
}

}  // namespace

ImageReport report_images(std::span<const ImageTotal> totals, ReportHead head, const ReportOptions& options) {
    const size_t width = head.columns.size();
    ImageReport report{std::move(head), {}};
    Counts grand_total(width);
    std::map<ImageName, Application> applications;
    for (const ImageTotal& total : totals) {
        auto& application = applications.try_emplace(total.app, Application{Counts(width), {}}).first->second;
        add_to(application.counts, total.counts);
        add_to(grand_total, total.counts);
        application.parts.push_back(&total);
    }
    for (const auto& [app, application] : applications) {
        if (is_nothing(application.counts)) continue;
        if (!reaches(application.counts, grand_total, options.threshold)) continue;
        report.rows.push_back(make_row(app, application, grand_total, options));
    }
    sort_rows(report.rows, options);
    return report;
}

}  // namespace op::pp
