// SPDX-License-Identifier: GPL-2.0-or-later
// What one process asks another to read, and the answer: lines of fields as TabSeparated has them, the first
// of which is the kind of the line.
#include "fleet/build_symbols.h"

#include "fleet/rows.h"
#include "libop/base/error.h"
#include "libop/base/text.h"

namespace op::fleet {
namespace {

/// One line, field by field.
class FieldWriter {
public:
    explicit FieldWriter(char kind) : line_(1, kind) {}
    FieldWriter& operator<<(std::string_view text) {
        line_ += "\t" + escaped_field(text);
        return *this;
    }
    FieldWriter& operator<<(uint64_t number) { return *this << std::string_view(std::to_string(number)); }
    std::string end() const { return line_ + "\n"; }

private:
    std::string line_;
};

class FieldReader {
public:
    FieldReader(std::string_view line, std::string_view label) : fields_(split(line, '\t')), label_(label) {}

    std::string_view kind() const { return fields_.front(); }
    bool is_at_end() const { return next_ >= fields_.size(); }
    std::string text() { return unescaped_field(take()); }
    uint64_t number(uint64_t most = UINT64_MAX) {
        const auto value = parse_number(take());
        if (!value || *value > most) refuse();
        return *value;
    }
    [[noreturn]] void refuse() const { throw_input(std::string(label_) + ": damaged symbols of a build"); }

private:
    std::string_view take() {
        if (is_at_end()) refuse();
        return fields_[next_++];
    }

    std::vector<std::string_view> fields_;
    std::string_view label_;
    size_t next_ = 1;
};

Package read_package(FieldReader& fields) {
    std::string name = fields.text();
    auto package = checked_package(std::move(name), fields.text());
    if (!package) fields.refuse();
    return *package;
}

BuildFunction read_function(FieldReader& fields) {
    BuildFunction f;
    f.first = fields.number();
    f.last = fields.number();
    f.name = fields.text();
    f.linkage = fields.text();
    f.file = fields.text();
    f.line = static_cast<uint32_t>(fields.number(UINT32_MAX));
    return f;
}

BuildLocation read_location(FieldReader& fields) {
    BuildLocation l;
    l.place = fields.number();
    l.first = fields.number();
    l.name = fields.text();
    l.file = fields.text();
    l.line = static_cast<uint32_t>(fields.number(UINT32_MAX));
    while (!fields.is_at_end())
        l.inlined.push_back(fields.text());
    return l;
}

}  // namespace

std::string build_symbols_text(const BuildSymbols& symbols) {
    std::string text =
        (FieldWriter('q') << static_cast<uint64_t>(symbols.quality) << symbols.reason << symbols.file).end();
    if (symbols.package)
        text += (FieldWriter('p') << symbols.package->name << symbols.package->version).end();
    for (const BuildFunction& f : symbols.functions)
        text += (FieldWriter('f') << f.first << f.last << f.name << f.linkage << f.file << f.line).end();
    for (const BuildLocation& l : symbols.locations) {
        FieldWriter line('l');
        line << l.place << l.first << l.name << l.file << l.line;
        for (const std::string& each : l.inlined)
            line << each;
        text += line.end();
    }
    return text;
}

BuildSymbols parse_build_symbols(std::string_view text, std::string_view label) {
    BuildSymbols symbols;
    while (!text.empty()) {
        FieldReader fields(take_line(text), label);
        if (fields.kind() == "q") {
            symbols.quality =
                static_cast<SymbolQuality>(fields.number(static_cast<uint64_t>(SymbolQuality::debug)));
            symbols.reason = fields.text();
            symbols.file = fields.text();
        } else if (fields.kind() == "p") {
            symbols.package = read_package(fields);
        } else if (fields.kind() == "f") {
            symbols.functions.push_back(read_function(fields));
        } else if (fields.kind() == "l") {
            symbols.locations.push_back(read_location(fields));
        } else {
            fields.refuse();
        }
    }
    return symbols;
}

std::string wanted_build_text(const WantedBuild& wanted) {
    std::string text =
        (FieldWriter('w') << wanted.build_id << uint64_t{wanted.is_kernel} << wanted.file).end();
    if (wanted.lacks_package) text += FieldWriter('k').end();
    for (const std::string& path : wanted.paths)
        text += (FieldWriter('p') << path).end();
    for (const uint64_t place : wanted.places)
        text += (FieldWriter('a') << place).end();
    return text;
}

WantedBuild parse_wanted_build(std::string_view text, std::string_view label) {
    WantedBuild wanted;
    while (!text.empty()) {
        FieldReader fields(take_line(text), label);
        if (fields.kind() == "w") {
            wanted.build_id = fields.text();
            wanted.is_kernel = fields.number(1) != 0;
            wanted.file = fields.text();
        } else if (fields.kind() == "k") {
            wanted.lacks_package = true;
        } else if (fields.kind() == "p") {
            wanted.paths.push_back(fields.text());
        } else if (fields.kind() == "a") {
            wanted.places.push_back(fields.number());
        } else {
            fields.refuse();
        }
    }
    return wanted;
}

}  // namespace op::fleet
