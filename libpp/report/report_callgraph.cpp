// SPDX-License-Identifier: GPL-2.0-or-later
// The call graph: per function its callers, itself, its callees.
#include <algorithm>
#include <map>
#include <numeric>
#include <unordered_map>

#include "libop/session/ledger.h"
#include "libpp/profile/percent.h"
#include "libpp/report/report.h"
#include "libpp/report/symbol_rows.h"

namespace op::pp {

namespace {

/// A call between two functions, by index.
struct Call {
    uint32_t other;  ///< the caller or the callee
    size_t counts;   ///< index of the first in Graph::call_counts
};

/// Functions and the calls between them.
struct Graph {
    std::vector<AppSymbol> functions;
    std::vector<uint64_t> counts;                     ///< flat, one per function and column
    std::vector<uint64_t> inclusive;                  ///< with callees; likewise, empty without stacks
    std::vector<std::vector<Call>> callers, callees;  ///< per function
    std::vector<uint64_t> call_counts;
};

/// Joins the flat samples with the arcs and the calls of stacks.
class GraphBuilder {
public:
    explicit GraphBuilder(const Profile& profile) : profile_(profile), width_(profile.columns.size()) {}

    Graph build() && {
        SymbolSums flat = sum_by_symbol(
            profile_, std::vector<bool>(profile_.symbols.size() + profile_.images.size(), true));
        for (const AppSymbol& symbol : flat.rows)
            index_.emplace(symbol.key(), static_cast<uint32_t>(index_.size()));
        graph_.functions = std::move(flat.rows);
        graph_.counts = std::move(flat.counts);
        for (size_t i = 0; i < profile_.arcs.size(); ++i)
            add(profile_.arcs[i], &profile_.arc_counts[i * width_]);
        if (!profile_.stacks.is_empty()) add_stacks();
        graph_.callers.resize(graph_.functions.size());
        graph_.callees.resize(graph_.functions.size());
        for (const auto& [key, counts] : calls_) {
            const auto caller = static_cast<uint32_t>(key >> 32), callee = static_cast<uint32_t>(key);
            graph_.callees[caller].push_back({callee, counts});
            graph_.callers[callee].push_back({caller, counts});
        }
        return std::move(graph_);
    }

private:
    void add(const Arc& arc, const uint64_t* counts) {
        add_to(&graph_.call_counts[call(function(arc.caller_app, arc.caller),
                                        function(arc.callee_app, arc.callee))],
               counts);
    }

    /// Every stack counts once for each function and each call that it has.
    void add_stacks() {
        const StackTree& tree = profile_.stacks;
        const std::vector<uint32_t> apps = stack_applications(profile_);
        std::vector<size_t> functions(tree.nodes.size(), not_counted), calls = functions;  // by node
        for (size_t i = 0; i < functions.size(); ++i) {
            if (!tree.nodes[i].is_code()) continue;
            functions[i] = function(apps[i], tree.nodes[i].location);
            const size_t caller = functions[tree.nodes[i].parent];
            if (caller != not_counted)
                calls[i] = call(static_cast<uint32_t>(caller), static_cast<uint32_t>(functions[i])) / width_;
        }
        graph_.inclusive.resize(graph_.counts.size());
        sum_once(
            tree, width_, [&](uint32_t node) { return functions[node]; },
            [this](size_t function, const uint64_t* counts) {
                add_to(&graph_.inclusive[function * width_], counts);
            });
        sum_once(
            tree, width_, [&](uint32_t node) { return calls[node]; },
            [this](size_t call, const uint64_t* counts) {
                add_to(&graph_.call_counts[call * width_], counts);
            });
    }

    void add_to(uint64_t* sums, const uint64_t* counts) const {
        for (size_t column = 0; column < width_; ++column)
            sums[column] = add_saturating(sums[column], counts[column]);
    }

    /// The index of the first count of a call.
    size_t call(uint32_t caller, uint32_t callee) {
        const auto [at, is_new] =
            calls_.try_emplace(uint64_t{caller} << 32 | callee, graph_.call_counts.size());
        if (is_new) graph_.call_counts.resize(graph_.call_counts.size() + width_);
        return at->second;
    }

    uint32_t function(uint32_t app, uint32_t location) {
        const AppSymbol function{profile_.row_image(app), row_symbol(profile_, profile_.locations[location])};
        const auto [at, is_new] = index_.try_emplace(function.key(), static_cast<uint32_t>(index_.size()));
        if (is_new) {
            graph_.functions.push_back(function);
            graph_.counts.resize(graph_.counts.size() + width_);
        }
        return at->second;
    }

    const Profile& profile_;
    size_t width_;
    Graph graph_;
    std::unordered_map<uint64_t, uint32_t> index_;
    std::map<uint64_t, size_t> calls_;  ///< by caller and callee; sorted, so that reports do not vary
};

/// Writes blocks in order.
class BlockWriter {
public:
    BlockWriter(const Graph& graph, const std::vector<SymbolRow>& names, const ReportOptions& options,
                CallgraphReport& report)
        : graph_(graph), names_(names), options_(options), report_(report), width_(report.totals.size()) {}

    void add(uint32_t function) {
        const uint64_t* const self = &graph_.counts[function * width_];
        const auto caller_totals = totals(graph_.callers[function], nullptr);
        const auto callee_totals = totals(graph_.callees[function], self);
        const size_t first = report_.lines.size();
        add_calls(callers_of(function), caller_totals, Order::rising);
        const size_t middle = report_.lines.size();
        add_line({.function = function, .counts = self}, report_.totals);
        add_calls(callees_of(function), callee_totals, Order::falling);
        report_.blocks.push_back({first, middle, report_.lines.size()});
        if (graph_.inclusive.empty()) return;
        const auto inclusive = graph_.inclusive.begin() + static_cast<ptrdiff_t>(function * width_);
        report_.inclusive.insert(report_.inclusive.end(), inclusive,
                                 inclusive + static_cast<ptrdiff_t>(width_));
    }

private:
    std::vector<uint64_t> totals(const std::vector<Call>& calls, const uint64_t* self) const {
        std::vector<uint64_t> sums(width_);
        for (size_t column = 0; column < width_; ++column) {
            if (self) sums[column] = self[column];
            for (const Call& call : calls)
                sums[column] = add_saturating(sums[column], graph_.call_counts[call.counts + column]);
        }
        return sums;
    }

    /// A line of a block.
    struct Item {
        uint32_t function;
        const uint64_t* counts;
        bool is_self = false;
    };
    enum class Order : uint8_t { rising, falling };

    std::vector<Item> items_of(const std::vector<Call>& calls) const {
        std::vector<Item> items;
        for (const Call& call : calls)
            items.push_back({.function = call.other, .counts = &graph_.call_counts[call.counts]});
        return items;
    }
    std::vector<Item> callers_of(uint32_t function) const { return items_of(graph_.callers[function]); }
    /// Includes the function's own samples.
    std::vector<Item> callees_of(uint32_t function) const {
        std::vector<Item> items = items_of(graph_.callees[function]);
        items.push_back({.function = function, .counts = &graph_.counts[function * width_], .is_self = true});
        return items;
    }

    /// Callers rise to the function, callees fall from it; below the threshold they are cut off at the small
    /// end.
    void add_calls(std::vector<Item> items, const std::vector<uint64_t>& sums, Order order) {
        std::ranges::stable_sort(items, [&](const Item& a, const Item& b) {
            const uint64_t first = options_.sort_column.of({a.counts, width_}),
                           second = options_.sort_column.of({b.counts, width_});
            return order == Order::rising ? first < second : first > second;
        });
        const auto& bases = options_.global_percent ? report_.totals : sums;
        for (const Item& item : items)
            if (reaches({item.counts, width_}, sums, options_.threshold)) add_line(item, bases);
    }

    void add_line(const Item& item, const std::vector<uint64_t>& bases) {
        report_.lines.push_back({.symbol = names_[item.function], .is_self = item.is_self});
        report_.counts.insert(report_.counts.end(), item.counts, item.counts + width_);
        report_.bases.insert(report_.bases.end(), bases.begin(), bases.end());
    }

    const Graph& graph_;
    const std::vector<SymbolRow>& names_;
    const ReportOptions& options_;
    CallgraphReport& report_;
    size_t width_;
};

/// The functions that the report asks for.
std::vector<uint32_t> wanted_functions(const Profile& profile, const Graph& graph,
                                       const ReportOptions& options) {
    const auto wanted = wanted_rows(profile, options);
    std::vector<uint32_t> functions;
    for (uint32_t i = 0; i < graph.functions.size(); ++i)
        if (wanted[graph.functions[i].symbol]) functions.push_back(i);
    return functions;
}

std::vector<uint64_t> flat_totals(const Graph& graph, const std::vector<uint32_t>& functions, size_t width) {
    std::vector<uint64_t> totals(width);
    for (const uint32_t function : functions)
        for (size_t column = 0; column < width; ++column)
            totals[column] = add_saturating(totals[column], graph.counts[function * width + column]);
    return totals;
}

/// The symbols of all lines.
std::vector<SymbolRow> shown_symbols(const CallgraphReport& report) {
    std::vector<SymbolRow> rows;
    for (const CallgraphLine& line : report.lines)
        rows.push_back(line.symbol);
    return rows;
}

}  // namespace

CallgraphReport report_callgraph(const Profile& profile, ReportHead head, const ReportOptions& options) {
    CallgraphReport report;
    report.head = std::move(head);
    const size_t width = profile.columns.size();
    const Graph graph = GraphBuilder(profile).build();
    std::vector<uint32_t> functions = wanted_functions(profile, graph, options);
    report.totals = flat_totals(graph, functions, width);
    std::vector<SymbolRow> names;
    names.reserve(graph.functions.size());
    for (const AppSymbol& function : graph.functions)
        names.push_back(make_row(profile, function, options, needs_lines(options)));
    const std::vector<uint64_t>& shares = graph.inclusive.empty() ? graph.counts : graph.inclusive;
    std::erase_if(functions, [&](uint32_t function) {
        return !reaches({&shares[function * width], width}, report.totals, options.threshold);
    });
    const std::vector<std::string> images = image_names(profile, options);
    std::ranges::stable_sort(functions, RowOrder(names, graph.counts, width, images, options));
    BlockWriter writer(graph, names, options, report);
    for (const uint32_t function : functions)
        writer.add(function);
    report.columns = choose_columns(profile, shown_symbols(report), options);
    return report;
}

}  // namespace op::pp
