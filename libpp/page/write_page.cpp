// SPDX-License-Identifier: GPL-2.0-or-later
// Puts the page together: the template's text, the facts as JSON and the trees as packed bytes, all of them
// compressed and in base64, and a plain table for browsers without scripts.
#include "libpp/page/write_page.h"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <numeric>

#include "libop/base/gzip.h"
#include "libop/base/json.h"
#include "libop/base/markup.h"
#include "libop/base/text.h"
#include "libop/session/ledger.h"
#include "libpp/page/base64.h"
#include "libpp/page/pack_tree.h"
#include "libpp/page/page_files.h"
#include "libpp/page/page_tree.h"
#include "libpp/profile/percent.h"

namespace op::pp {

namespace {

constexpr size_t plain_rows = 100;     // of the table without scripts
constexpr size_t plain_name = 200;     // bytes of a name there
constexpr size_t longest_fact = 2000;  // bytes

/// The text without what is behind `limit` bytes, at a character's border.
std::string shortened(const std::string& text, size_t limit) {
    if (text.size() <= limit) return text;
    size_t end = limit;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80)
        --end;
    return text.substr(0, end) + "…";
}

std::string block(std::string_view bytes) {
    return base64(gzip(bytes));
}

/// Replaces each {{name}} of the template.
std::string filled(std::string_view text, const std::map<std::string_view, std::string_view>& values) {
    std::string result;
    for (;;) {
        const size_t begin = text.find("{{"), end = text.find("}}");
        if (begin == text.npos || end == text.npos) return result.append(text);
        result += text.substr(0, begin);
        result += values.at(text.substr(begin + 2, end - begin - 2));
        text.remove_prefix(end + 2);
    }
}

/// What a page has.
struct Content {
    uint64_t least = 0;  ///< samples of a node, else it is folded
    bool has_instructions = true, has_sources = true;
};

Json json_of(const std::vector<CodeRow>& rows) {
    Json list = Json::array();
    for (const CodeRow& row : rows) {
        Json one = Json::array();
        one.add(row.place);
        one.add(row.text);
        for (const uint64_t count : row.counts)
            one.add(count);
        list.add(std::move(one));
    }
    return list;
}

/// Addresses are too large for the script's numbers.
Json json_of_instructions(const std::vector<CodeRow>& rows) {
    Json list = Json::array();
    for (const CodeRow& row : rows) {
        Json one = Json::array();
        one.add(hex(row.place));
        one.add(row.text);
        for (const uint64_t count : row.counts)
            one.add(count);
        list.add(std::move(one));
    }
    return list;
}

class PageWriter {
public:
    PageWriter(const PageProfiles& profiles, const PageRequest& request)
        : request_(request),
          sizes_(request.sessions),
          frames_(profiles, request.demangle),
          trees_{tree_of_calls(frames_), tree_of_places(frames_)},
          sums_(sum_by_frame(frames_)),
          totals_{tree_totals(trees_[0]), tree_totals(trees_[1])} {
        if (sizes_.empty()) sizes_.assign(profiles.sides.size(), 1);
        plain_ = plain_table();
    }

    WrittenPage write() const {
        Content content;
        for (;;) {
            WrittenPage page = written(content);
            if (page.html.size() <= request_.size) return page;
            if (sacrifice_code(content)) continue;
            const uint64_t next = next_least(content.least, page.html.size());
            if (next <= content.least) return page;  // counts may be as great as can be
            content.least = next;
        }
    }

private:
    bool sacrifice_code(Content& content) const {
        if (request_.code.empty() || !content.has_sources) return false;
        (content.has_instructions ? content.has_instructions : content.has_sources) = false;
        return true;
    }

    WrittenPage written(const Content& content) const {
        UsedFrames used(frames_.size());
        const PackedTree calls = pack_tree(trees_[0], totals_[0], content.least, used);
        const PackedTree places = pack_tree(trees_[1], totals_[1], content.least, used);
        const std::string code = block(code_text(used, content));
        const std::string data = block(facts(used, content, calls.folded, places.folded));
        const std::string first = block(calls.bytes), second = block(places.bytes);
        const std::string policy = "default-src 'none'; style-src '" + std::string(page_style_hash) +
                                   "'; script-src '" + std::string(page_script_hash) + "'; img-src data:";
        const std::string title = markup_text(printable(shortened(request_.title, plain_name)));
        return {filled(page_html, {{"policy", policy},
                                   {"title", title},
                                   {"style", page_style},
                                   {"script", page_script},
                                   {"plain", plain_},
                                   {"facts", data},
                                   {"calls", first},
                                   {"places", second},
                                   {"code", code}}),
                std::max(calls.folded, places.folded), content.has_instructions, content.has_sources};
    }

    std::string facts(const UsedFrames& used, const Content& content, uint64_t calls_folded,
                      uint64_t places_folded) const {
        Json json = {{"title", shortened(request_.title, longest_fact)},
                     {"events", frames_.profiles().event_names()},
                     {"sides", Json::array()},
                     {"sessions", std::vector<uint64_t>(request_.sessions.begin(), request_.sessions.end())},
                     {"parts", frames_.parts_name()},
                     {"stacks", request_.stacks},
                     {"code", code_rule(content)},
                     {"folded", std::vector<uint64_t>{calls_folded, places_folded}},
                     {"facts", Json::array()},
                     {"weights", weights()}};
        for (const std::string& side : request_.sides)
            json["sides"].add(shortened(side, plain_name));
        for (const std::string& fact : request_.facts)
            json["facts"].add(shortened(fact, longest_fact));
        std::map<std::string, uint64_t> images, files;
        std::vector<std::string> file_names;
        Json of_file = Json::array();
        Json names = Json::array(), of_image = Json::array(), kinds = Json::array();
        std::vector<std::string> image_names;
        for (const uint32_t number : used.used()) {
            const PageFrame& frame = frames_.frame(number);
            const auto [at, is_new] = images.try_emplace(frame.image, images.size());
            if (is_new) image_names.push_back(frame.image);
            const std::string file(frames_.file(number));
            const auto file_at = files.try_emplace(file, files.size());
            if (file_at.second) file_names.push_back(file);
            of_file.add(file_at.first->second);
            names.add(frame.name);
            of_image.add(at->second);
            kinds.add(static_cast<uint64_t>(frame.kind) + (frame.is_file ? 8 : 0));
        }
        json["images"] = image_names;
        json["files"] = file_names;
        json["file"] = std::move(of_file);
        json["names"] = std::move(names);
        json["image"] = std::move(of_image);
        json["kind"] = std::move(kinds);
        json["self"] = sums_of(used, sums_.self);
        json["total"] = sums_of(used, sums_.total);
        return json_text(std::move(json), {.indent = -1});
    }

    std::string code_rule(const Content& content) const {
        if (!content.has_sources) return "The page has no room for sources and instructions.";
        return request_.code_rule +
               (content.has_instructions ? "" : " The page has no room for instructions.");
    }

    /// One for each column of the page: those of the columns that are added up in it are the same.
    Json weights() const {
        std::vector<double> weights(frames_.columns(), 1);
        for (size_t side = 0; side < request_.weights.size(); ++side)
            for (size_t column = 0; column < request_.weights[side].size(); ++column)
                weights[frames_.column(side, column)] = request_.weights[side][column];
        Json list = Json::array();
        for (const double weight : weights)
            list.add(weight);
        return list;
    }

    std::string code_text(UsedFrames& used, const Content& content) const {
        Json list = Json::array();
        for (const PageCode& code : request_.code) {
            if (!content.has_sources) break;
            const uint32_t frame = frames_.of_coded(code.side, code.location);
            Json files = Json::array();
            for (const PageSource& file : code.files)
                files.add({{"path", file.path}, {"rows", json_of(file.rows)}});
            const bool has_instructions = content.has_instructions;
            list.add({{"frame", uint64_t{used.number(frame)}},
                      {"side", uint64_t{code.side}},
                      {"files", std::move(files)},
                      {"instructions",
                       has_instructions ? json_of_instructions(code.instructions) : Json::array()}});
        }
        return json_text(std::move(list), {.indent = -1});
    }

    /// A list for each column of the used frames' sums.
    Json sums_of(const UsedFrames& used, const std::vector<uint64_t>& sums) const {
        Json lists = Json::array();
        const size_t columns = frames_.columns();
        for (size_t column = 0; column < columns; ++column) {
            std::vector<uint64_t> list;
            for (const uint32_t number : used.used())
                list.push_back(sums[number * columns + column]);
            lists.add(list);
        }
        return lists;
    }

    /// A limit that leaves about as many nodes as there is room for; the same one if none are left.
    uint64_t next_least(uint64_t least, size_t size) const {
        std::vector<uint64_t> kept;
        for (size_t tree = 0; tree < 2; ++tree)
            for (uint32_t node = 1; node < trees_[tree].parents.size(); ++node)
                if (const uint64_t weight = node_weight(totals_[tree], trees_[tree].columns, node);
                    weight >= least)
                    kept.push_back(weight);
        if (kept.empty()) return least;
        const double room = static_cast<double>(request_.size) / static_cast<double>(size);
        const auto at = kept.begin() +
                        static_cast<ptrdiff_t>(static_cast<double>(kept.size()) * std::min(room * 0.9, 0.9));
        std::nth_element(kept.begin(), at, kept.end(), std::greater<>());
        return std::max(*at, least) + 1;
    }

    /// The functions with the most samples as rows of HTML, by the first column.
    std::string plain_table() const {
        std::vector<uint64_t> all(plain_columns());
        std::vector<std::vector<uint64_t>> counts;
        std::vector<uint32_t> order;
        for (uint32_t frame = 0; frame < frames_.size(); ++frame) {
            if (node_weight(sums_.self, frames_.columns(), frame) > 0) order.push_back(frame);
            counts.push_back(plain_counts(frame));
            std::ranges::transform(all, counts.back(), all.begin(), add_saturating);
        }
        std::ranges::stable_sort(order, std::greater<>(), [&](uint32_t frame) { return counts[frame][0]; });
        order.resize(std::min(order.size(), plain_rows));
        std::string rows;
        for (const uint32_t number : order) {
            const PageFrame& frame = frames_.frame(number);
            rows += "<tr>";
            for (size_t column = 0; column < all.size(); ++column)
                rows += cells(counts[number][column], all[column]);
            rows += "<td>" + markup_text(shortened(frame.name, plain_name)) + "</td><td>" +
                    markup_text(shortened(frame.image, plain_name)) + "</td></tr>\n";
        }
        return "<table>\n<thead><tr>" + plain_heads() +
               "<th>function</th><th>image</th></tr></thead>\n<tbody>\n" + rows + "</tbody>\n</table>";
    }

    /// One for each event and side.
    size_t plain_columns() const {
        return frames_.columns() / frames_.profiles().sides.size() * sizes_.size();
    }
    /// The samples in a frame itself.
    std::vector<uint64_t> plain_counts(uint32_t frame) const {
        std::vector<uint64_t> counts;
        size_t at = frame * frames_.columns();
        while (counts.size() < plain_columns())
            for (const size_t size : sizes_) {
                counts.push_back(0);
                for (const size_t end = at + size; at < end; ++at)
                    counts.back() = add_saturating(counts.back(), sums_.self[at]);
            }
        return counts;
    }

    std::string plain_heads() const {
        std::string heads;
        for (const std::string& event : frames_.profiles().event_names())
            for (size_t side = 0; side < sizes_.size(); ++side) {
                const std::string whose = side < request_.sides.size() ? " " + request_.sides[side] : "";
                heads +=
                    "<th>" + markup_text(printable(shortened(event + whose, plain_name))) + "</th><th>%</th>";
            }
        return heads;
    }

    static std::string cells(uint64_t count, uint64_t all) {
        char share[32];
        std::snprintf(share, sizeof share, "%.2f", percent_of(count, all));
        return "<td>" + std::to_string(count) + "</td><td>" + share + "</td>";
    }

    const PageRequest& request_;
    std::vector<size_t> sizes_;  ///< by side, how many of the profiles are its
    PageFrames frames_;
    const PageTree trees_[2];  ///< calls, places
    const PageSums sums_;
    const std::vector<uint64_t> totals_[2];
    std::string plain_;
};

}  // namespace

WrittenPage write_page(const PageProfiles& profiles, const PageRequest& request) {
    return PageWriter(profiles, request).write();
}

}  // namespace op::pp
