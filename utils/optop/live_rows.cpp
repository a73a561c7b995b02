// SPDX-License-Identifier: GPL-2.0-or-later
// The first rows are found without the symbols of all images: no function has more samples than its image.
#include "utils/optop/live_rows.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <unordered_map>

#include "libop/base/address.h"

namespace op::tool {

namespace {

double share(uint64_t part, uint64_t whole) {
    return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

/// What rows are ordered by, the greatest first; of an image a bound for its rows.
struct Rank {
    double first = 0;
    uint64_t second = 0;

    auto operator<=>(const Rank&) const = default;
};

/// Ranks rows and images of one portion.
class Ranking {
public:
    Ranking(RowOrder order, const LiveCount& all) : order_(order), all_(all) {}

    Rank of_row(const LiveCount& count) const {
        if (order_ == RowOrder::samples) return {static_cast<double>(count.now), count.before};
        return {std::abs(share(count.now, all_.now) - share(count.before, all_.before)), count.now};
    }
    Rank of_image(const LiveCount& count) const {
        if (order_ == RowOrder::samples) return of_row(count);
        return {std::max(share(count.now, all_.now), share(count.before, all_.before)), count.now};
    }

private:
    RowOrder order_;
    const LiveCount& all_;
};

bool has_mode(const LiveFile& file, RowMode mode) {
    if (mode == RowMode::all) return true;
    const bool is_kernel = file.counts.header().is_kernel || file.name.image.kind == ImageName::Kind::kernel;
    return is_kernel == (mode == RowMode::kernel);
}

bool is_selected(const LiveFile& file, const RowWish& wish) {
    return (!wish.image || file.image == *wish.image) && (!wish.app || file.app == *wish.app) &&
           has_mode(file, wish.mode);
}

bool is_wanted(const LiveRow& row, const std::string& filter) {
    return filter.empty() || row.symbol.find(filter) != row.symbol.npos ||
           row.image.find(filter) != row.image.npos || row.app.find(filter) != row.app.npos;
}

/// It has enough samples for a test of its change.
bool is_tested(const LiveCount& count) {
    return static_cast<double>(std::max(count.now, count.before)) >= pp::least_tested;
}

/// A row that may be among the first; it has its name when it is one.
struct Candidate {
    Rank rank;
    LiveCount count;
    RowPlace place;
    pp::ImageSymbols* symbols = nullptr;  ///< null: of no function
    const pp::ImageSymbol* symbol = nullptr;

    LiveRow row(const LiveSession& session, pp::Demangle demangle) const {
        LiveRow row;
        if (symbols) row.symbol = symbol ? std::string(symbols->name(*symbol, demangle)) : "(no symbol)";
        if (place.image) row.image = session.names()[*place.image].display();
        if (place.app) row.app = session.names()[*place.app].display();
        row.count = count;
        row.place = place;
        return row;
    }
};

/// The first candidates of several images.
class FirstRows {
public:
    FirstRows(const LiveSession& session, const RowWish& wish) : session_(session), wish_(wish) {}

    void add(const Candidate& one) {
        if (one.count == LiveCount{} ||
            (!wish_.filter.empty() && !is_wanted(one.row(session_, wish_.demangle), wish_.filter)))
            return;
        tested_ += is_tested(one.count);
        first_.push_back(one);
    }
    /// Counts rows that are not added, of so many samples together.
    void pass_over(const LiveCount& count) {
        tested_ +=
            static_cast<size_t>(static_cast<double>(std::max(count.now, count.before)) / pp::least_tested);
    }
    /// Rows with enough samples for a test, first or not; an upper bound of those that were passed over.
    size_t tested() const noexcept { return tested_; }
    /// Drops what is not among the first.
    void settle() {
        const auto is_before = [&](const Candidate& a, const Candidate& b) {
            if (a.rank != b.rank) return a.rank > b.rank;
            return order_of(a) < order_of(b);
        };
        if (first_.size() > wish_.rows) {
            std::ranges::nth_element(first_, first_.begin() + static_cast<std::ptrdiff_t>(wish_.rows),
                                     is_before);
            first_.resize(wish_.rows);
        }
        std::ranges::sort(first_, is_before);
    }
    /// True if no candidate of that rank is among the first.
    bool is_beyond(const Rank& rank) const {
        return first_.size() == wish_.rows && rank < first_.back().rank;
    }
    std::vector<LiveRow> rows() const {
        std::vector<LiveRow> rows;
        for (const Candidate& one : first_)
            rows.push_back(one.row(session_, wish_.demangle));
        return rows;
    }

private:
    std::tuple<const ImageName&, ImageOffset, const ImageName&> order_of(const Candidate& one) const {
        static const ImageName none;
        const auto name = [&](const std::optional<uint32_t>& number) -> const ImageName& {
            return number ? session_.names()[*number] : none;
        };
        return {name(one.place.image), one.place.start.value_or(ImageOffset{0}), name(one.place.app)};
    }

    const LiveSession& session_;
    const RowWish& wish_;
    std::vector<Candidate> first_;
    size_t tested_ = 0;
};

/// Sets what the statistics of the rows are. Rows that are not among the first count as tests: the first ones
/// may be those that changed most.
void test_rows(LiveRows& made, RowOrder order, size_t tests) {
    const auto all_now = static_cast<double>(made.all.now), all_before = static_cast<double>(made.all.before);
    std::vector<LiveRow*> tested;
    std::vector<double> probabilities;
    for (LiveRow& row : made.rows) {
        const pp::Part now{static_cast<double>(row.count.now), all_now};
        const pp::Part before{static_cast<double>(row.count.before), all_before};
        row.share = pp::share_interval(now);
        if (made.all.now == 0 || made.all.before == 0) continue;
        row.change = now.share() - before.share();
        if (!is_tested(row.count)) continue;
        row.probability = pp::equal_shares_probability(before, now);
        tested.push_back(&row);
        probabilities.push_back(*row.probability);
    }
    probabilities.resize(std::max(probabilities.size(), tests), 1.0);
    const std::vector<bool> found = pp::discoveries(probabilities);
    for (size_t i = 0; i < tested.size(); ++i)
        tested[i]->is_significant = found[i];
    if (order == RowOrder::change)
        std::ranges::stable_sort(made.rows, std::ranges::greater(), &LiveRow::is_significant);
}

}  // namespace

/// The functions of one application's samples in one image.
struct RowMaker::Functions {
    /// The place in `symbols` of each key of a file.
    struct File {
        uint32_t generation = 0;
        std::vector<uint32_t> places;
    };
    std::vector<const pp::ImageSymbol*> symbols;  ///< null = keys without a symbol
    std::vector<LiveCount> counts;                ///< of each symbol
    std::unordered_map<const pp::ImageSymbol*, uint32_t> places;
    std::unordered_map<uint32_t, File> files;  ///< by number

    uint32_t place_of(const pp::ImageSymbol* symbol) {
        const auto [at, is_new] = places.try_emplace(symbol, static_cast<uint32_t>(symbols.size()));
        if (is_new) symbols.push_back(symbol);
        return at->second;
    }
    void add(const LiveFile& file, const RowWish& wish, const PlacedSymbols& of) {
        File& known = files[file.number];
        if (known.generation != file.counts.generation()) known.places.clear();
        known.generation = file.counts.generation();
        const auto& keys = file.counts.keys();
        for (size_t i = known.places.size(); i < keys.size(); ++i)
            known.places.push_back(place_of(of.symbols->find(ImageOffset{of.first_offset} + keys[i])));
        counts.resize(symbols.size());
        file.counts.visit(wish.now,
                          [&](uint32_t key, uint64_t samples) { counts[known.places[key]].now += samples; });
        file.counts.visit(wish.before, [&](uint32_t key, uint64_t samples) {
            counts[known.places[key]].before += samples;
        });
    }
};

/// The selected files of an image, or of what else has a row.
struct RowMaker::Image {
    RowPlace place;
    LiveCount count = {};
    std::vector<const LiveFile*> files = {};

    /// Adds the rows of the functions.
    void add_functions(RowMaker& maker, const RowWish& wish, const Ranking& ranking,
                       const PlacedSymbols& symbols, FirstRows& first) {
        std::ranges::stable_sort(files, {}, [](const LiveFile* file) { return file->app; });
        for (size_t i = 0; i < files.size();) {
            const uint32_t app = files[i]->app;
            std::unique_ptr<Functions>& kept = maker.functions_[{*place.image, app}];
            if (!kept) kept = std::make_unique<Functions>();
            kept->counts.assign(kept->symbols.size(), {});
            for (; i < files.size() && files[i]->app == app; ++i)
                kept->add(*files[i], wish, symbols);
            for (size_t k = 0; k < kept->symbols.size(); ++k) {
                const pp::ImageSymbol* const symbol = kept->symbols[k];
                const RowPlace of{place.image, app, symbol ? std::optional(symbol->start) : std::nullopt};
                first.add({ranking.of_row(kept->counts[k]), kept->counts[k], of, symbols.symbols, symbol});
            }
        }
    }
};

RowMaker::RowMaker() = default;
RowMaker::~RowMaker() = default;

void RowMaker::forget() {
    functions_.clear();
}

/// The images, or applications, with samples of the event; in no order. Adds up all of them.
std::vector<RowMaker::Image> RowMaker::images_of(const LiveSession& session, const RowWish& wish,
                                                 LiveCount& all) {
    std::vector<Image> images;
    std::vector<uint32_t> at(session.names().size(), UINT32_MAX);  // by number of the name
    for (const auto& [path, file] : session.files()) {
        if (file.event != wish.event) continue;
        const LiveCount count{file.counts.sum(wish.now), file.counts.sum(wish.before)};
        all += count;
        if (count == LiveCount{} || !is_selected(file, wish)) continue;
        const bool is_by_app = wish.group == RowGroup::application;
        const uint32_t name = is_by_app ? file.app : file.image;
        if (at[name] == UINT32_MAX) {
            at[name] = static_cast<uint32_t>(images.size());
            RowPlace place;
            (is_by_app ? place.app : place.image) = name;
            images.push_back({place});
        }
        images[at[name]].count += count;
        images[at[name]].files.push_back(&file);
    }
    return images;
}

LiveRows RowMaker::make(const LiveSession& session, const RowWish& wish, const SymbolsOf& symbols_of) {
    LiveRows made;
    std::vector<Image> images = images_of(session, wish, made.all);
    const Ranking ranking(wish.order, made.all);
    std::ranges::stable_sort(images, std::ranges::greater(),
                             [&](const Image& image) { return ranking.of_image(image.count); });
    FirstRows first(session, wish);
    if (wish.group == RowGroup::function) {
        for (Image& image : images) {
            if (first.is_beyond(ranking.of_image(image.count))) {
                first.pass_over(image.count);
                continue;
            }
            const PlacedSymbols symbols =
                symbols_of(session.names()[*image.place.image], image.files.front()->counts.header());
            image.add_functions(*this, wish, ranking, symbols, first);
            first.settle();
        }
    } else {
        for (const Image& image : images)
            first.add({ranking.of_row(image.count), image.count, image.place});
        first.settle();
    }
    made.rows = first.rows();
    test_rows(made, wish.order, first.tested());
    return made;
}

std::vector<uint32_t> live_events(const LiveSession& session) {
    std::vector<uint64_t> sums(session.events().size());
    for (const auto& [path, file] : session.files())
        sums[file.event] += file.counts.sum({Portion::Kind::since_base});
    std::vector<uint32_t> events;
    for (uint32_t event = 0; event < sums.size(); ++event)
        if (sums[event] > 0) events.push_back(event);
    std::ranges::stable_sort(events, std::ranges::greater(), [&](uint32_t event) { return sums[event]; });
    return events;
}

}  // namespace op::tool
