// SPDX-License-Identifier: GPL-2.0-or-later
// The layout of a flame graph.
#include "libpp/export/flame_layout.h"

#include <algorithm>

#include "libop/session/ledger.h"

namespace op::pp {

namespace {

/// The samples at and below each node, in the order of the walk; first those of the root.
std::vector<uint64_t> totals_in_order(const NamedStacks& stacks, uint32_t column) {
    std::vector<uint64_t> totals{0};
    std::vector<size_t> path{0};
    const auto enter = [&](uint32_t, uint64_t count) {
        path.push_back(totals.size());
        totals.push_back(count);
    };
    const auto leave = [&] {
        const uint64_t total = totals[path.back()];
        path.pop_back();
        totals[path.back()] = add_saturating(totals[path.back()], total);
    };
    stacks.walk(column, enter, leave);
    return totals;
}

/// Places boxes during a walk.
class BoxPlacer {
public:
    BoxPlacer(std::vector<uint64_t> totals, uint64_t boxes_in_row)
        : totals_(std::move(totals)),
          least_(
              std::max<uint64_t>(1, totals_[0] / boxes_in_row + (totals_[0] % boxes_in_row == 0 ? 0 : 1))) {
        layout_.boxes.push_back({FlameBox::root, 0, 0, totals_[0]});
        path_.push_back({0, totals_[0]});
    }

    void enter(uint32_t name) {
        const uint64_t samples = totals_[++node_];
        if (below_narrow_ > 0 || samples < least_) {
            if (below_narrow_++ == 0) pass_over(samples);
            return;
        }
        const FlameBox box = add_box(name, samples);
        path_.push_back({box.start, box.start + box.samples});
    }

    void leave() {
        if (below_narrow_ > 0) {
            --below_narrow_;
            return;
        }
        add_box_of_smaller();
        path_.pop_back();
    }

    FlameLayout finish() && {
        add_box_of_smaller();
        return std::move(layout_);
    }

private:
    /// A box that is entered and not left.
    struct Place {
        uint64_t next, end;  ///< where the next box above it begins, and the last one ends
        uint64_t narrow_samples = 0;
        uint32_t narrow_frames = 0;
    };

    FlameBox add_box(uint32_t name, uint64_t samples, uint32_t frames = 0) {
        Place& caller = path_.back();
        const auto depth = static_cast<uint32_t>(path_.size());
        // Sums that saturate are less than their parts.
        const FlameBox box{name, depth, caller.next, std::min(samples, caller.end - caller.next), frames};
        caller.next += box.samples;
        layout_.boxes.push_back(box);
        layout_.depth = std::max(layout_.depth, depth);
        return box;
    }

    void pass_over(uint64_t samples) {
        if (samples == 0) return;
        Place& caller = path_.back();
        caller.narrow_samples = add_saturating(caller.narrow_samples, samples);
        ++caller.narrow_frames;
        layout_.narrow_samples = add_saturating(layout_.narrow_samples, samples);
    }

    void add_box_of_smaller() {
        const Place& place = path_.back();
        if (place.narrow_samples >= least_)
            add_box(FlameBox::smaller, place.narrow_samples, place.narrow_frames);
    }

    std::vector<uint64_t> totals_;
    uint64_t least_;  ///< samples of a box
    FlameLayout layout_;
    std::vector<Place> path_;
    size_t node_ = 0;          ///< place in totals_ of the node that was entered last
    size_t below_narrow_ = 0;  ///< nodes without a box that are entered and not left
};

}  // namespace

FlameLayout lay_out(const NamedStacks& stacks, uint32_t column, uint64_t boxes_in_row) {
    BoxPlacer placer(totals_in_order(stacks, column), boxes_in_row);
    stacks.walk(
        column, [&](uint32_t name, uint64_t) { placer.enter(name); }, [&] { placer.leave(); });
    return std::move(placer).finish();
}

}  // namespace op::pp
