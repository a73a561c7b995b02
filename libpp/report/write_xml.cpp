// SPDX-License-Identifier: GPL-2.0-or-later
// Reports as XML, by application, process and thread. Structure: doc/FORMATS.md, "Reports as XML", and
// doc/opreport.xsd. Shares are left to the reader; counts of zero are left out.
#include <algorithm>
#include <functional>
#include <map>
#include <tuple>

#include "libop/base/error.h"
#include "libop/base/text.h"
#include "libop/session/ledger.h"
#include "libpp/report/writer.h"
#include "libpp/report/xml_document.h"

namespace op::pp {

namespace {

/// The symbols of a report, each once, even if it is in several applications.
class SymbolTable {
public:
    /// `details` are the addresses that are shown, too; one beyond 32 bits makes all of them wide.
    explicit SymbolTable(const SymbolColumns& columns, std::span<const DetailRow> details = {})
        : columns_(columns), digits_(columns.has_wide_addresses ? 16 : least_digits) {
        if (std::ranges::any_of(details,
                                [](const DetailRow& row) { return row.address.value() > UINT32_MAX; }))
            digits_ = 16;
    }

    /// The symbol's number; they count from 0 in the order they are asked for.
    size_t id(const SymbolRow& row) {
        const auto [at, is_new] = ids_.try_emplace({row.image, row.address.value(), row.name}, ids_.size());
        if (is_new) add(at->second, row);
        return at->second;
    }
    size_t size() const { return ids_.size(); }
    std::string text() const { return XmlTag("symboltable").around(text_); }
    std::string address(LinkAddress address) const { return hex(address.value(), digits_); }
    /// Adds file and line, if they are asked for and known.
    void add_line(XmlTag& tag, const std::optional<SourceLine>& line) const {
        if (columns_.has_lines && line) tag.attribute("file", line->file).attribute("line", line->line);
    }

private:
    static constexpr int least_digits = 8;

    void add(size_t id, const SymbolRow& row) {
        XmlTag tag("symboldata");
        tag.attribute("id", id).attribute("name", row.name);
        add_line(tag, row.line);
        tag.attribute("startingaddr", hex(row.address.value(), least_digits));
        text_ += tag.empty();
    }

    const SymbolColumns& columns_;
    int digits_;  ///< of an address of the details
    std::map<std::tuple<uint32_t, uint64_t, std::string_view>, size_t> ids_;  ///< by image, address, name
    std::string text_;
};

/// A symbol of an application.
struct Entry {
    const SymbolRow* row;
    const uint64_t* counts;
    size_t index;  ///< of the row or block it is written from
};

/// Writes a symbol element, as far as it has samples in a view; else nothing.
using WriteSymbol = std::function<std::string(const Entry&, const View&)>;

/// Writes entries by application and image, in which order they come.
class ApplicationsWriter {
public:
    /// All must outlive the writer.
    ApplicationsWriter(const XmlDocument& document, const SymbolColumns& columns,
                       const WriteSymbol& write_symbol)
        : document_(document), columns_(columns), write_symbol_(write_symbol) {}

    std::string write(std::span<const Entry> entries) const {
        std::string text;
        while (!entries.empty()) {
            const auto application = take(entries, &SymbolRow::app);
            text += document_.application(columns_.images[application.front().row->app], counts(application),
                                          [&](const View& view) { return interior(application, view); });
        }
        return text;
    }

private:
    using Entries = std::span<const Entry>;

    /// Removes the first entries of one application or image and returns them.
    static Entries take(Entries& rest, uint32_t SymbolRow::*key) {
        const auto end = std::ranges::find_if(
            rest, [&](const Entry& entry) { return entry.row->*key != rest.front().row->*key; });
        const auto part = rest.first(static_cast<size_t>(end - rest.begin()));
        rest = rest.subspan(part.size());
        return part;
    }

    static void add(std::vector<uint64_t>& sums, const Entry& entry, const View& view) {
        for (const size_t column : view)
            sums[column] = add_saturating(sums[column], entry.counts[column]);
    }

    XmlDocument::AppCounts counts(Entries application) const {
        const View& all = document_.columns().all();
        XmlDocument::AppCounts counts{std::vector<uint64_t>(all.size()), std::vector<uint64_t>(all.size())};
        for (const Entry& entry : application) {
            add(counts.total, entry, all);
            if (entry.row->image == entry.row->app) add(counts.own, entry, all);
        }
        return counts;
    }

    /// The symbols of the application's own image, then its modules.
    std::string interior(Entries application, const View& view) const {
        std::string own, modules;
        while (!application.empty()) {
            const auto part = take(application, &SymbolRow::image);
            const SymbolRow& first = *part.front().row;
            std::string symbols;
            for (const Entry& entry : part)
                symbols += write_symbol_(entry, view);
            if (first.image == first.app)
                own += symbols;
            else if (!symbols.empty())
                modules += module(part, view, symbols);
        }
        return own + modules;
    }

    std::string module(Entries part, const View& view, const std::string& symbols) const {
        std::vector<uint64_t> sums(document_.columns().all().size());
        for (const Entry& entry : part)
            add(sums, entry, view);
        return XmlTag("module")
            .attribute("name", columns_.images[part.front().row->image])
            .around(document_.columns().counts(sums.data(), view) + symbols);
    }

    const XmlDocument& document_;
    const SymbolColumns& columns_;
    const WriteSymbol& write_symbol_;
};

/// A symbol list, with details if the report has some.
class SymbolListWriter {
public:
    explicit SymbolListWriter(const SymbolReport& report)
        : report_(report), document_(report.head), symbols_(report.columns, report.details) {}

    std::string write() {
        const size_t width = report_.totals.size();
        std::vector<Entry> entries;
        for (size_t i = 0; i < report_.rows.size(); ++i)
            entries.push_back({&report_.rows[i], &report_.counts[i * width], i});
        const WriteSymbol write = [&](const Entry& entry, const View& view) { return symbol(entry, view); };
        std::string text = ApplicationsWriter(document_, report_.columns, write).write(entries);
        text += symbols_.text();
        return document_.text(report_.first_detail.empty() ? text : text + tables());
    }

private:
    std::string symbol(const Entry& entry, const View& view) {
        if (!has_samples(entry.counts, view)) return "";
        const size_t id = symbols_.id(*entry.row);
        XmlTag tag("symbol");
        tag.attribute("idref", id);
        if (!report_.first_detail.empty()) {
            if (id == details_.size()) add_details_of(id, entry.index);
            Details& details = details_[id];
            tag.attribute("detaillo", details.size);
            add_addresses(details, entry.index, view);
            tag.attribute("detailhi", details.size - 1);
        }
        return tag.around(document_.columns().counts(entry.counts, view));
    }

    /// The sampled addresses of a symbol, of all applications and threads, one after the other.
    struct Details {
        size_t size = 0;
        std::string text;
    };

    void add_details_of(size_t id, size_t row) {
        details_.emplace_back();
        const auto code = report_.code[row];
        if (!code.empty()) bytes_ += XmlTag("bytes").attribute("id", id).around(hex(code) + "\n");
    }

    void add_addresses(Details& details, size_t row, const View& view) {
        const size_t width = report_.totals.size();
        for (size_t i = report_.first_detail[row]; i < report_.first_detail[row + 1]; ++i) {
            const uint64_t* const counts = &report_.detail_counts[i * width];
            if (!has_samples(counts, view)) continue;
            XmlTag tag("detaildata");
            tag.attribute("id", details.size++)
                .attribute("vmaoffset", symbols_.address(report_.details[i].address));
            symbols_.add_line(tag, report_.details[i].line);
            details.text += tag.around(document_.columns().counts(counts, view, true));
        }
    }

    std::string tables() const {
        std::string text;
        for (size_t id = 0; id < details_.size(); ++id)
            text += XmlTag("symboldetails").attribute("id", id).around(details_[id].text);
        return XmlTag("detailtable").around(text) + XmlTag("bytestable").around(bytes_);
    }

    const SymbolReport& report_;
    XmlDocument document_;
    SymbolTable symbols_;
    std::vector<Details> details_;  ///< per symbol
    std::string bytes_;
};

/// A call graph: symbols with their callers and callees.
class CallgraphWriter {
public:
    explicit CallgraphWriter(const CallgraphReport& report)
        : report_(report), document_(report.head), symbols_(report.columns), width_(report.totals.size()) {}

    std::string write() {
        std::vector<Entry> entries;
        for (size_t i = 0; i < report_.blocks.size(); ++i) {
            const size_t middle = report_.blocks[i].middle;
            entries.push_back({&report_.lines[middle].symbol, counts(middle), i});
        }
        const WriteSymbol write = [&](const Entry& entry, const View& view) { return function(entry, view); };
        std::string text = ApplicationsWriter(document_, report_.columns, write).write(entries);
        return document_.text(text + symbols_.text());
    }

private:
    const uint64_t* counts(size_t line) const { return &report_.counts[line * width_]; }

    std::string function(const Entry& entry, const View& view) {
        const CallgraphBlock& block = report_.blocks[entry.index];
        const auto has_any = [&](size_t first, size_t end) {
            for (size_t i = first; i < end; ++i)
                if (has_samples(counts(i), view)) return true;
            return false;
        };
        if (!has_any(block.first, block.end)) return "";
        XmlTag tag("symbol");
        tag.attribute("idref", symbols_.id(*entry.row));
        std::string text = document_.columns().counts(entry.counts, view);
        const auto element = [&](std::string_view name, const std::string& content) {
            return content.empty() ? XmlTag(name).empty() : XmlTag(name).around(content);
        };
        text += element("callers", calls(block.first, block.middle, *entry.row, view));
        text += element("callees", calls(block.middle + 1, block.end, *entry.row, view));
        return tag.around(text);
    }

    /// Functions outside of the application's own image are in a module.
    std::string calls(size_t first, size_t end, const SymbolRow& function, const View& view) {
        std::string text;
        for (size_t i = first; i < end; ++i) {
            if (!has_samples(counts(i), view)) continue;
            const CallgraphLine& line = report_.lines[i];
            const std::string symbol = XmlTag("symbol")
                                           .attribute("idref", symbols_.id(line.symbol))
                                           .flag("self", line.is_self)
                                           .around(document_.columns().counts(counts(i), view));
            const bool is_own = line.symbol.image == function.app;
            text += is_own ? symbol
                           : XmlTag("module")
                                 .attribute("name", report_.columns.images[line.symbol.image])
                                 .around(symbol);
        }
        return text;
    }

    const CallgraphReport& report_;
    XmlDocument document_;
    SymbolTable symbols_;
    size_t width_;
};

/// The samples of an application in its own image; `row` without parts has no others.
std::vector<uint64_t> own_counts(const ImageRow& row) {
    if (row.parts.empty()) return row.counts;
    const auto own = std::ranges::find(row.parts, row.name, &ImageRow::name);
    return own == row.parts.end() ? std::vector<uint64_t>(row.counts.size()) : own->counts;
}

/// Applications and images only, without symbols.
std::string write_images(const ImageReport& report) {
    const XmlDocument document(report.head);
    const auto modules = [&](const ImageRow& row, const View& view) {
        std::string text;
        for (const ImageRow& part : row.parts)
            if (part.name != row.name && has_samples(part.counts.data(), view))
                text += XmlTag("module")
                            .attribute("name", part.name)
                            .around(document.columns().counts(part.counts.data(), view));
        return text;
    };
    std::string text;
    for (const ImageRow& row : report.rows)
        text += document.application(row.name, {.own = own_counts(row), .total = row.counts},
                                     [&](const View& view) { return modules(row, view); });
    return document.text(text + XmlTag("symboltable").around(""));
}

struct WriteXml {
    std::string operator()(const ImageReport& report) const { return write_images(report); }
    std::string operator()(const SymbolReport& report) const { return SymbolListWriter(report).write(); }
    std::string operator()(const CallgraphReport& report) const { return CallgraphWriter(report).write(); }
    std::string operator()(const CallTreeReport&) const {
        throw Error(ErrorKind::internal, "the schema has no place for a tree");
    }
};

}  // namespace

std::string write_xml(const Report& report, const TextStyle& /*style*/) {
    return std::visit(WriteXml{}, report);
}

}  // namespace op::pp
