// SPDX-License-Identifier: GPL-2.0-or-later
// Differences of one sample file. A writer only adds keys and only raises counts: anything else is a new
// file.
#include "utils/optop/file_counts.h"

#include <algorithm>
#include <limits>

namespace op::tool {

bool FileCounts::continues(const std::vector<SampleEntry>& entries) const noexcept {
    if (entries.size() < keys_.size()) return false;
    for (size_t i = 0; i < keys_.size(); ++i)
        if (entries[i].key != keys_[i] || entries[i].count < totals_[i]) return false;
    return true;
}

bool FileCounts::update(const SampleFileContent& content, uint64_t look, bool is_known_before) {
    header_ = content.header;
    const bool is_same = continues(content.entries);
    if (!is_same) {
        keys_.clear();
        totals_.clear();
        looks_.clear();
        clear_base();
        total_ = 0;
        ++generation_;
    }
    LookGains news{look, 0, {}};
    const size_t known = keys_.size();
    keys_.resize(content.entries.size());
    totals_.resize(content.entries.size());
    for (size_t i = 0; i < keys_.size(); ++i) {
        const SampleEntry& entry = content.entries[i];
        const auto count =
            static_cast<uint32_t>(std::min<uint64_t>(entry.count, std::numeric_limits<uint32_t>::max()));
        if (i >= known) keys_[i] = entry.key;
        if (count == totals_[i]) continue;
        news.gains.push_back({static_cast<uint32_t>(i), count - totals_[i]});
        news.sum += count - totals_[i];
        totals_[i] = count;
    }
    total_ += news.sum;
    if (news.sum > 0 && !is_known_before) looks_.push_back(std::move(news));
    return is_same;
}

void FileCounts::forget_before(uint64_t look) {
    while (!looks_.empty() && looks_.front().look < look)
        looks_.pop_front();
}

void FileCounts::set_base() {
    base_ = totals_;
    base_total_ = total_;
}

void FileCounts::clear_base() noexcept {
    base_.clear();
    base_total_ = 0;
}

uint64_t FileCounts::sum(const Portion& portion) const {
    if (portion.kind == Portion::Kind::since_base) return total_ - base_total_;
    if (portion.kind == Portion::Kind::before_base) return base_total_;
    uint64_t sum = 0;
    if (portion.kind == Portion::Kind::looks)
        for (const LookGains& one : looks_)
            if (one.look >= portion.looks.first && one.look <= portion.looks.last) sum += one.sum;
    return sum;
}

size_t FileCounts::kept() const noexcept {
    size_t kept = 0;
    for (const LookGains& one : looks_)
        kept += one.gains.size();
    return kept;
}

}  // namespace op::tool
