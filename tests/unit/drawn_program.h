// SPDX-License-Identifier: GPL-2.0-or-later
// A made-up program of which samples are drawn.
#pragma once

#include <optional>
#include <random>
#include <string>
#include <vector>

#include "libpp/report/report.h"
#include "tests/unit/fake_symbols.h"

namespace op::test {

/// A made-up program: symbols with known shares, of which samples are drawn as a recorder draws them.
class DrawnProgram {
public:
    explicit DrawnProgram(std::vector<double> shares, uint64_t seed = 20261124)
        : shares_(std::move(shares)), random_(seed) {
        for (size_t i = 0; i < shares_.size(); ++i)
            names_.push_back("f" + std::to_string(i));
        std::vector<FakeSymbols::Row> rows;
        for (size_t i = 0; i < shares_.size(); ++i)
            rows.push_back({names_[i].c_str(), 0x100 * (i + 1), 0x10});
        symbols_.emplace(rows);
    }

    /// The symbol list of a run, by symbol.
    pp::SymbolReport run(size_t samples) {
        pp::Profile profile;
        profile.columns = head().columns;
        profile.images = {{{ImageName::Kind::file, "/bin/a"}, &*symbols_}};
        for (uint32_t i = 0; i < shares_.size(); ++i) {
            profile.symbols.push_back({0, &symbols_->symbols()[i]});
            profile.locations.push_back({0, i, symbols_->symbols()[i].start});
            profile.frames.push_back(i);
            profile.samples.push_back({0, i, 1});
        }
        profile.counts.resize(shares_.size());
        for (size_t i = 0; i < samples; ++i)
            ++profile.counts[draw()];
        pp::ReportOptions options;
        options.sort = {pp::SortKey::vma};
        return report_symbols(profile, head(), options);
    }

    /// One symbol takes so many times as long as it did; what the others take stays the same.
    void slow_down(size_t symbol, double factor) {
        const double all = 1 + shares_[symbol] * (factor - 1);
        shares_[symbol] *= factor;
        for (double& share : shares_)
            share /= all;
    }

private:
    static pp::ReportHead head() {
        pp::ReportHead result;
        result.columns.push_back({"E", 100, 0, {}, {}, {}});
        return result;
    }

    size_t draw() {
        double at = static_cast<double>(random_() >> 11) * 0x1p-53;
        for (size_t i = 0; i + 1 < shares_.size(); ++i) {
            if (at < shares_[i]) return i;
            at -= shares_[i];
        }
        return shares_.size() - 1;
    }

    std::vector<double> shares_;
    std::vector<std::string> names_;
    std::optional<FakeSymbols> symbols_;
    std::mt19937_64 random_;  // its sequence is part of the language's standard
};

}  // namespace op::test
