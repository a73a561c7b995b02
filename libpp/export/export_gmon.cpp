// SPDX-License-Identifier: GPL-2.0-or-later
// A profile as gmon.out.
#include "libpp/export/export_gmon.h"

#include <algorithm>
#include <limits>
#include <map>
#include <vector>

#include "libop/base/counted.h"
#include "libop/base/error.h"
#include "libop/session/ledger.h"

namespace op::pp {

namespace {

constexpr uint8_t histogram_tag = 0, arc_tag = 1;
constexpr uint64_t largest_bin = 65535, largest_file = uint64_t{256} << 20;

template <class T>
void append(std::string& bytes, T value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

class GmonWriter {
public:
    GmonWriter(const Profile& profile, uint32_t image, unsigned address_bytes, Diagnostics& notes)
        : profile_(profile), image_(image), address_bytes_(address_bytes), notes_(notes) {}

    std::string write() {
        bytes_ = "gmon";
        append(bytes_, uint32_t{1});
        bytes_.append(12, '\0');
        add_histogram();
        add_arcs();
        return std::move(bytes_);
    }

private:
    uint64_t link_address(uint32_t location) const {
        return profile_.images[image_].symbols->link_address(profile_.locations[location].offset).value();
    }

    std::map<uint64_t, uint64_t> samples_by_address() const {
        std::map<uint64_t, uint64_t> sums;
        for (size_t i = 0; i < profile_.samples.size(); ++i) {
            if (profile_.leaf(i).image != image_) continue;
            uint64_t& sum = sums[link_address(profile_.frames[profile_.samples[i].first_frame])];
            sum = add_saturating(sum, profile_.count(i, 0));
        }
        return sums;
    }

    void add_histogram() {
        const auto sums = samples_by_address();
        if (sums.empty()) return;
        const bool is_aligned = std::ranges::all_of(sums, [](const auto& at) { return at.first % 4 == 0; });
        const uint64_t width = is_aligned ? 8 : 2;
        const uint64_t low = sums.begin()->first / width * width;
        const uint64_t bins = (sums.rbegin()->first - low) / width + 1;
        if (bins * 2 > largest_file)
            throw_usage("the samples are spread over " + std::to_string(bins * width >> 20) +
                        " MiB, too much for a histogram");
        std::vector<uint64_t> left(bins);
        for (const auto& [address, count] : sums)
            left[(address - low) / width] += count;
        while (std::ranges::any_of(left, [](uint64_t n) { return n != 0; })) {
            if (bytes_.size() + bins * 2 > largest_file) return note_cut(left);
            add_histogram_record(low, low + bins * width, left);
        }
    }

    /// One record, with as much of every bin as it can hold.
    void add_histogram_record(uint64_t low, uint64_t high, std::vector<uint64_t>& left) {
        append(bytes_, histogram_tag);
        append_address(low);
        append_address(high);
        append(bytes_, static_cast<uint32_t>(left.size()));
        append(bytes_, uint32_t{1});  // samples a unit of `samples`
        std::string dimension = "samples";
        dimension.resize(15);
        bytes_ += dimension + "1";
        for (uint64_t& count : left) {
            const uint64_t part = std::min(count, largest_bin);
            append(bytes_, static_cast<uint16_t>(part));
            count -= part;
        }
    }

    void note_cut(const std::vector<uint64_t>& left) {
        uint64_t sum = 0;
        for (const uint64_t count : left)
            sum = add_saturating(sum, count);
        notes_.warn(counted(sum, "sample") + " did not fit: a gmon.out counts 65535 an address and record");
    }

    void add_arcs() {
        for (size_t i = 0; i < profile_.arcs.size(); ++i)
            if (is_inside(profile_.arcs[i].caller) && is_inside(profile_.arcs[i].callee))
                add_arc(profile_.arcs[i].caller, profile_.arcs[i].callee, profile_.arc_counts[i]);
        if (!profile_.stacks.is_empty()) add_stack_arcs();
    }

    /// The calls of stacks from an address to a function; a stack counts once for each.
    void add_stack_arcs() {
        const StackTree& tree = profile_.stacks;
        struct Call {
            uint32_t caller, callee;  ///< locations
            uint64_t count;
        };
        std::vector<Call> calls;
        std::map<std::pair<uint32_t, uint32_t>, size_t> numbers;  // by location and symbol
        const auto call_of = [&](uint32_t node) {
            const StackNode& callee = tree.nodes[node];
            const StackNode& caller = tree.nodes[callee.parent];
            if (!callee.is_code() || !caller.is_code()) return not_counted;
            if (!is_inside(caller.location) || !is_inside(callee.location)) return not_counted;
            const auto [at, is_new] = numbers.try_emplace(
                {caller.location, profile_.locations[callee.location].symbol}, calls.size());
            if (is_new) calls.push_back({caller.location, callee.location, 0});
            return at->second;
        };
        sum_once(tree, 1, call_of, [&](size_t call, const uint64_t* counts) {
            calls[call].count = add_saturating(calls[call].count, counts[0]);
        });
        for (const Call& call : calls)
            add_arc(call.caller, call.callee, call.count);
    }

    bool is_inside(uint32_t location) const { return profile_.locations[location].image == image_; }

    void add_arc(uint32_t caller, uint32_t callee, uint64_t count) {
        while (count > 0) {
            const uint64_t part = std::min<uint64_t>(count, std::numeric_limits<int32_t>::max());
            append(bytes_, arc_tag);
            append_address(link_address(caller));
            append_address(link_address(callee));
            append(bytes_, static_cast<uint32_t>(part));
            count -= part;
        }
    }

    void append_address(uint64_t address) {
        if (address_bytes_ == 4)
            append(bytes_, static_cast<uint32_t>(address));
        else
            append(bytes_, address);
    }

    const Profile& profile_;
    uint32_t image_;
    unsigned address_bytes_;
    Diagnostics& notes_;
    std::string bytes_;
};

}  // namespace

std::string export_gmon(const Profile& profile, uint32_t image, unsigned address_bytes, Diagnostics& notes) {
    return GmonWriter(profile, image, address_bytes, notes).write();
}

bool gprof_reads_local(std::string_view name) {
    if (name.find('$') != name.npos) return false;
    size_t dot = name.find('.');
    while (dot != name.npos) {
        const size_t next = name.find('.', dot + 1);
        const std::string_view part = name.substr(dot + 1, next == name.npos ? next : next - dot - 1);
        const bool is_number = part.find_first_not_of("0123456789") == part.npos;
        if (!is_number && (next == name.npos || (part != "clone" && part != "constprop"))) return false;
        dot = next;
    }
    return true;
}

}  // namespace op::pp
