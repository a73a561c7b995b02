// SPDX-License-Identifier: GPL-2.0-or-later
// The profile's invariants.
#include "libpp/profile/profile.h"

#include <algorithm>
#include <tuple>

#include "libop/base/error.h"
#include "libop/session/ledger.h"
#include "libop/stream/record.h"

namespace op::pp {

namespace {

void require(bool holds, const char* what) {
    if (!holds) throw Error(ErrorKind::internal, std::string("profile: ") + what);
}

void check_symbol(const Profile& profile, const ProfileSymbol& symbol) {
    require(symbol.image < profile.images.size(), "a symbol's image is unknown");
    require(profile.images[symbol.image].symbols && symbol.symbol, "a symbol's image has no symbols");
}

void check_location(const Profile& profile, const Location& location) {
    require(location.image < profile.images.size(), "a location's image is unknown");
    if (location.symbol == Location::no_symbol) return;
    require(location.symbol < profile.symbols.size(), "a location's symbol is unknown");
    const ProfileSymbol& symbol = profile.symbols[location.symbol];
    require(symbol.image == location.image, "a location's symbol is of another image");
    require(location.is_inlined || location.offset - symbol.symbol->start <= symbol.symbol->length,
            "a location lies outside its symbol");
}

void check_sample(const Profile& profile, const StackSamples& sample) {
    require(sample.app < profile.images.size(), "a sample's application is unknown");
    require(sample.frames > 0, "a stack is empty");
    require(sample.first_frame <= profile.frames.size() &&
                sample.frames <= profile.frames.size() - sample.first_frame,
            "a stack lies outside the frames");
}

void check_arc(const Profile& profile, const Arc& arc) {
    require(arc.caller_app < profile.images.size() && arc.callee_app < profile.images.size(),
            "an arc's application is unknown");
    require(arc.caller < profile.locations.size() && arc.callee < profile.locations.size(),
            "an arc's location is unknown");
}

void check_counts(const std::vector<uint64_t>& counts, size_t rows, size_t width) {
    require(counts.size() == rows * width, "a count per row and column is missing");
    for (auto row = counts.begin(); row != counts.end(); row += static_cast<ptrdiff_t>(width))
        require(std::any_of(row, row + static_cast<ptrdiff_t>(width), [](uint64_t n) { return n != 0; }),
                "a row counts nothing");
}

void check_joined(const Profile& profile) {
    const JoinedRows& joined = profile.joined;
    if (joined.images.empty()) return;
    require(joined.images.size() == profile.images.size() &&
                joined.symbols.size() == profile.symbols.size() &&
                joined.symbol_images.size() == profile.symbols.size(),
            "some rows are joined, others are not");
    for (const auto* images : {&joined.images, &joined.symbol_images})
        for (const uint32_t image : *images)
            require(image < profile.images.size(), "a row's image is unknown");
    for (const uint32_t symbol : joined.symbols)
        require(symbol < profile.symbols.size(), "a row's symbol is unknown");
}

void check_node(const Profile& profile, const StackNode& node, const StackNode& parent) {
    const bool is_below_root = parent.kind == StackNodeKind::root;
    switch (node.kind) {
        case StackNodeKind::root:
            return require(false, "a stack has two roots");
        case StackNodeKind::application:
            require(is_below_root, "a stack's application is not its outermost node");
            return require(node.location < profile.images.size(), "a stack's application is unknown");
        case StackNodeKind::cut:
            require(is_below_root || parent.kind == StackNodeKind::application, "a stack is cut inside");
            return require(
                node.location > static_cast<uint32_t>(StackEnd::root) && node.location <= StackTree::no_stack,
                "a stack is cut for an unknown reason");
        case StackNodeKind::code:
        case StackNodeKind::call:
            return require(node.location < profile.locations.size(), "a location of a stack is unknown");
    }
    require(false, "a node of a stack is of no kind");
}

void check_stacks(const Profile& profile) {
    const StackTree& tree = profile.stacks;
    require(!tree.is_empty() || tree.counts.empty(), "stacks without nodes have counts");
    if (tree.is_empty()) return;
    require(tree.nodes.front().kind == StackNodeKind::root, "the first node of stacks is not the root");
    for (size_t i = 1; i < tree.nodes.size(); ++i) {
        require(tree.nodes[i].parent < i, "a node of a stack comes before its parent");
        check_node(profile, tree.nodes[i], tree.nodes[tree.nodes[i].parent]);
    }
    for (size_t i = 0; i < tree.counts.size(); ++i) {
        const StackCount& count = tree.counts[i];
        require(count.node > 0 && count.node < tree.nodes.size(), "a counted node is unknown");
        require(count.column < profile.columns.size() && count.count > 0, "a node counts nothing");
        require(i == 0 || std::tie(tree.counts[i - 1].node, tree.counts[i - 1].column) <
                              std::tie(count.node, count.column),
                "nodes are not counted in order");
    }
}

}  // namespace

bool is_kernel_image(const ImageName& image) {
    if (image.kind != ImageName::Kind::file) return image.kind == ImageName::Kind::kernel;
    const std::string_view path = image.name, file = path.substr(path.rfind('/') + 1);
    const bool is_module = file.ends_with(".ko") || file.find(".ko.") != file.npos;
    return path == kallsyms_image || !path.starts_with('/') || file.starts_with("vmlinux") || is_module;
}

bool is_whole_image(const Profile& profile, const ProfileSymbol& symbol) {
    const ImageName& image = profile.images[symbol.image].name;
    std::string_view name = symbol.symbol->name;
    // The kernel's and modules' have a '/' before the name.
    if (image.kind == ImageName::Kind::kernel && name.starts_with('/')) name.remove_prefix(1);
    // Memory without a file is named with its range, by which regions differ.
    return symbol.symbol->artificial &&
           (name == image.name || (image.kind == ImageName::Kind::anon && name == image.display()));
}

std::vector<uint64_t> samples_by_image(const Profile& profile, const CountsLocation& counts) {
    std::vector<uint64_t> sums(profile.images.size());
    for (size_t i = 0; i < profile.samples.size(); ++i) {
        if (counts && !counts(profile.leaf(i))) continue;
        uint64_t& sum = sums[profile.leaf(i).image];
        for (size_t column = 0; column < profile.columns.size(); ++column)
            sum = add_saturating(sum, profile.count(i, column));
    }
    return sums;
}

std::vector<uint32_t> stack_applications(const Profile& profile) {
    const auto& nodes = profile.stacks.nodes;
    std::vector<uint32_t> apps(nodes.size(), no_application);
    std::vector<bool> is_below_one(nodes.size());
    for (size_t i = 1; i < nodes.size(); ++i) {
        is_below_one[i] = nodes[i].kind == StackNodeKind::application || is_below_one[nodes[i].parent];
        if (nodes[i].kind == StackNodeKind::application)
            apps[i] = nodes[i].location;
        else if (is_below_one[i])
            apps[i] = apps[nodes[i].parent];
        else if (nodes[i].is_code())
            apps[i] = profile.locations[nodes[i].location].image;
    }
    return apps;
}

void Profile::check() const {
    require(!columns.empty(), "there is no column");
    for (const auto& symbol : symbols)
        check_symbol(*this, symbol);
    for (const auto& location : locations)
        check_location(*this, location);
    for (const uint32_t frame : frames)
        require(frame < locations.size(), "a frame's location is unknown");
    for (const auto& sample : samples)
        check_sample(*this, sample);
    check_counts(counts, samples.size(), columns.size());
    for (const auto& arc : arcs)
        check_arc(*this, arc);
    check_counts(arc_counts, arcs.size(), columns.size());
    check_joined(*this);
    check_stacks(*this);
}

}  // namespace op::pp
