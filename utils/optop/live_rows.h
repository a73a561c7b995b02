// SPDX-License-Identifier: GPL-2.0-or-later
// Functions, images or applications with their samples of a portion of the recording and of the one that it
// is compared with, the first of them in order. Opens only the images that can have one of these rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "libpp/object/demangle.h"
#include "libpp/profile/statistics.h"
#include "libpp/symbols/symbolizer.h"
#include "utils/optop/live_session.h"
#include "utils/optop/live_symbols.h"

namespace op::tool {

/// Samples of the shown portion, and of the one that it is compared with.
struct LiveCount {
    uint64_t now = 0, before = 0;

    bool operator==(const LiveCount&) const = default;
    LiveCount& operator+=(const LiveCount& other) noexcept {
        now += other.now;
        before += other.before;
        return *this;
    }
};

/// What a row is of. Numbers are those of LiveSession::names().
struct RowPlace {
    std::optional<uint32_t> image, app;  ///< none: of several
    std::optional<ImageOffset> start;    ///< of the function; none: keys without a symbol, or no function

    bool operator==(const RowPlace&) const = default;
};

/// A row.
struct LiveRow {
    std::string symbol, image, app;  ///< as recorded: not safe for a terminal; empty = of several
    LiveCount count = {};
    RowPlace place = {};
    pp::Interval share = {0, 1};          ///< the 95 % interval of its share of now
    double change = 0;                    ///< of its share, against before
    std::optional<double> probability{};  ///< of such a change by chance; none = it was not tested
    bool is_significant = false;
};

/// Rows and what they are a part of.
struct LiveRows {
    std::vector<LiveRow> rows;
    LiveCount all;  ///< all samples of the event, of rows that are not listed, too
};

/// What decides the order of rows.
enum class RowOrder : uint8_t {
    samples,  ///< most samples first
    change,   ///< significant changes first, then the greatest
};

/// What has a row.
enum class RowGroup : uint8_t { function, image, application };

/// Whose code is shown.
enum class RowMode : uint8_t { all, kernel, user };

/// Which rows are wanted.
struct RowWish {
    uint32_t event = 0;  ///< a number of LiveSession::events(); threads and CPUs are added up
    Portion now = {Portion::Kind::since_base}, before = {};
    size_t rows = 20;  ///< at most; at least 1
    RowOrder order = RowOrder::samples;
    RowGroup group = RowGroup::function;
    RowMode mode = RowMode::all;
    std::optional<uint32_t> image = {}, app = {};  ///< only those; none = all
    std::string filter = {};  ///< part of a symbol's, image's or application's name; empty = all
    pp::Demangle demangle = pp::Demangle::normal;
};

/// As LiveSymbols::symbols().
using SymbolsOf = std::function<PlacedSymbols(const ImageName& image, const SampleHeader& header)>;

/// Adds up sample files. Keeps the function of each key from one call to the next.
class RowMaker {
public:
    RowMaker();
    ~RowMaker();

    /// The rows, in the order of the wish; of equal ones that of the image, the address and the application.
    /// Changes of the rows listed are tested together.
    LiveRows make(const LiveSession& session, const RowWish& wish, const SymbolsOf& symbols_of);
    /// Forgets all functions: the symbols are not valid any more.
    void forget();

private:
    struct Functions;
    struct Image;

    std::vector<Image> images_of(const LiveSession& session, const RowWish& wish, LiveCount& all);

    std::map<std::pair<uint32_t, uint32_t>, std::unique_ptr<Functions>>
        functions_;  ///< by image, application
};

/// The events of the session that have samples, those of most first: numbers of LiveSession::events().
std::vector<uint32_t> live_events(const LiveSession& session);

}  // namespace op::tool
