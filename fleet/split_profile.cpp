// SPDX-License-Identifier: GPL-2.0-or-later
// One copy of the profile, whose samples are those of one part after the other.
#include "fleet/split_profile.h"

#include <map>
#include <span>
#include <vector>

#include "libop/base/error.h"

namespace op::fleet {
namespace {

class Splitter {
public:
    Splitter(const pp::Profile& whole, size_t most_rows, const TakePart& take)
        : whole_(whole), most_rows_(most_rows), take_(take), part_(whole) {
        part_.arcs.clear();
        part_.arc_counts.clear();
        for (uint32_t i = 0; i < whole.samples.size(); ++i)
            flat_[whole.samples[i].app].push_back(i);
    }

    void run() {
        if (whole_.stacks.is_empty()) {
            for (const auto& [app, rows] : flat_)
                offer(app, rows);
            return;
        }
        const std::vector<uint32_t> apps = pp::stack_applications(whole_);
        std::map<uint32_t, std::vector<uint32_t>> stacks;
        for (uint32_t i = 0; i < whole_.stacks.counts.size(); ++i)
            stacks[apps[whole_.stacks.counts[i].node]].push_back(i);
        for (const auto& [app, rows] : stacks) {
            fill_flat(flat_[app]);  // the exporters look there for the program
            offer(app, rows);
        }
    }

private:
    void offer(uint32_t app, std::span<const uint32_t> rows) {
        if (rows.empty()) return;
        if (rows.size() <= most_rows_) {
            fill(rows);
            if (take_(app, part_)) return;
            if (rows.size() == 1) throw_input("one stack of the profile alone is beyond the server's limit");
        }
        offer(app, rows.first(rows.size() / 2));
        offer(app, rows.subspan(rows.size() / 2));
    }

    void fill(std::span<const uint32_t> rows) {
        if (whole_.stacks.is_empty()) return fill_flat(rows);
        part_.stacks.counts.clear();
        for (const uint32_t row : rows)
            part_.stacks.counts.push_back(whole_.stacks.counts[row]);
    }

    void fill_flat(std::span<const uint32_t> rows) {
        const size_t columns = whole_.columns.size();
        part_.samples.clear();
        part_.counts.clear();
        for (const uint32_t row : rows) {
            part_.samples.push_back(whole_.samples[row]);
            for (size_t column = 0; column < columns; ++column)
                part_.counts.push_back(whole_.count(row, column));
        }
    }

    const pp::Profile& whole_;
    const size_t most_rows_;
    const TakePart& take_;
    pp::Profile part_;
    std::map<uint32_t, std::vector<uint32_t>> flat_;  ///< indexes of samples, by application
};

}  // namespace

void for_each_part(const pp::Profile& profile, size_t most_rows, const TakePart& take) {
    Splitter(profile, most_rows, take).run();
}

}  // namespace op::fleet
