// SPDX-License-Identifier: GPL-2.0-or-later
// Our unwind rules beside readelf's, row by row:
//   readelf --debug-dump=frames-interp FILE | unwind_rows FILE
// Prints the counts and the first differences. Fails on a difference, and where more than 0.7 % of the rows
// are of a kind that a walk cannot follow. Of rules by expression readelf prints no more than that they are.
#include <algorithm>
#include <array>
#include <cstdio>
#include <iostream>
#include <map>
#include <optional>
#include <string>

#include "daemon/unwind/elf_frames.h"
#include "daemon/unwind/unwind_table.h"
#include "libop/base/error.h"
#include "libop/base/fd.h"
#include "libop/base/text.h"
#include "tests/e2e/whole_table.h"
#include "utils/shared/tool.h"

namespace op::tool {
namespace {

using namespace collect;

constexpr double most_unsupported_percent = 0.7;

/// A row as readelf writes it; "" = it has no column for the register.
struct Row {
    uint64_t end = 0;  ///< of the code that it is valid for
    std::string cfa, fp, ra;
};
using Rows = std::map<uint64_t, Row>;

struct Names {
    std::string_view sp, fp;
    std::array<std::string_view, 16> registers;  ///< by number, of those that rules other than the usual use
};
constexpr Names x86_64{"rsp",
                       "rbp",
                       {"rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp", "r8", "r9", "r10", "r11",
                        "r12", "r13", "r14", "r15"}};
constexpr Names aarch64{
    "sp",
    "x29",
    {"x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15"}};

/// Takes apart what readelf prints of the first section.
class ReadelfRows {
public:
    explicit ReadelfRows(const Names& names) : names_(names) {}

    void take(std::string_view line) {
        if (line.find(" CIE ") != line.npos) {
            cie_ = line.substr(0, line.find(' '));
            in_cie_ = true;
        } else if (line.find(" FDE ") != line.npos) {
            begin_fde(line);
        } else if (line.find(" LOC ") != line.npos) {
            columns_.clear();
            for (auto word = take_word(line); !word.empty(); word = take_word(line))
                columns_.emplace_back(word);
        } else if (line.size() > 17 && line[16] == ' ') {
            if (const auto at = parse_number(line.substr(0, 16), 16)) take_row(*at, line.substr(16));
        }
    }
    Rows finish() && {
        end_fde();
        return std::move(rows_);
    }

private:
    /// "OFFSET LENGTH ID FDE cie=OFFSET pc=START..END"
    void begin_fde(std::string_view line) {
        end_fde();
        in_cie_ = false;
        const auto cie = line.substr(line.find("cie=") + 4), pc = line.substr(line.find("pc=") + 3);
        const size_t dots = pc.find("..");
        const auto start = parse_number(pc.substr(0, dots), 16), end = parse_number(pc.substr(dots + 2), 16);
        if (!start || !end) throw_input("an extent that readelf does not print: " + std::string(line));
        end_ = *end;
        // Where nothing follows, the row is that of the common part.
        if (*start < *end) fde_[*start] = cies_[std::string(cie.substr(0, cie.find(' ')))];
    }
    /// One column. A register is "r5 (rdi)".
    static std::string_view take_value(std::string_view& words) {
        const std::string_view word = take_word(words);
        const size_t next = words.find_first_not_of(' ');
        if (next == words.npos || words[next] != '(') return word;
        const std::string_view name = take_word(words);
        return name.substr(1, name.size() - 2);
    }
    void take_row(uint64_t at, std::string_view words) {
        Row row;
        for (size_t i = 1; i < columns_.size(); ++i) {
            const std::string_view word = take_value(words);
            if (columns_[i] == "CFA") row.cfa = word;
            if (columns_[i] == names_.fp) row.fp = word;
            if (columns_[i] == "ra") row.ra = word;
        }
        if (in_cie_)
            cies_[cie_] = row;
        else if (at < end_)
            fde_[at] = row;  // of two rows for one address the later one counts
    }
    void end_fde() {
        for (auto it = fde_.begin(); it != fde_.end(); ++it) {
            const auto next = std::next(it);
            it->second.end = next == fde_.end() ? end_ : next->first;
            rows_.insert_or_assign(it->first, it->second);
        }
        fde_.clear();
    }

    const Names& names_;
    std::vector<std::string> columns_;
    std::string cie_;
    bool in_cie_ = false;
    std::map<std::string, Row> cies_;
    Rows rows_, fde_;
    uint64_t end_ = 0;  ///< of the entry's code
};

std::string with_sign(int64_t n) {
    return (n < 0 ? "" : "+") + std::to_string(n);
}

std::string cfa_text(const UnwindRule& rule, const Names& names) {
    switch (rule.cfa) {
        case CfaFrom::sp:
            return std::string(names.sp) + with_sign(rule.cfa_offset);
        case CfaFrom::fp:
            return std::string(names.fp) + with_sign(rule.cfa_offset);
        case CfaFrom::other:
            return std::string(names.registers.at(static_cast<size_t>(rule.cfa_addend))) +
                   with_sign(rule.cfa_offset);
        case CfaFrom::no_info:
            return "none";
        default:
            return "exp";
    }
}

std::string saved_text(SavedAt where, int32_t offset, const Names& names) {
    switch (where) {
        case SavedAt::cfa:
            return "c" + with_sign(offset);
        case SavedAt::sp:
        case SavedAt::fp:
            return "exp";
        case SavedAt::other:
            return std::string(names.registers.at(static_cast<size_t>(offset)));
        default:
            return "u";
    }
}

/// A register without a rule is the caller's.
std::string_view known(const std::string& text) {
    return text.empty() || text == "s" ? "u" : std::string_view(text);
}

bool is_equal(const UnwindRule& rule, const Row& row, const Names& names) {
    if (rule.ra == SavedAt::undefined) return row.ra == "u";  // the outermost frame, wherever it is
    return cfa_text(rule, names) == row.cfa && saved_text(rule.fp, rule.fp_offset, names) == known(row.fp) &&
           saved_text(rule.ra, rule.ra_offset, names) == known(row.ra);
}

struct Counts {
    size_t rows = 0, by_expression = 0, unsupported = 0, differing = 0;
};

void print_difference(uint64_t at, const Row& row, const UnwindRule& rule, const Names& names) {
    std::printf("  0x%s: readelf %s %s %s, ours %s %s %s\n", hex(at).c_str(), row.cfa.c_str(),
                row.fp.empty() ? "u" : row.fp.c_str(), row.ra.c_str(), cfa_text(rule, names).c_str(),
                saved_text(rule.fp, rule.fp_offset, names).c_str(),
                saved_text(rule.ra, rule.ra_offset, names).c_str());
}

/// Looks at the first and the last byte of each row.
Counts compare(const SectionRules& table, const Rows& rows, const Names& names) {
    constexpr size_t most_printed = 10;
    Counts counts;
    for (const auto& [start, row] : rows) {
        const UnwindRule rule = table.find({start});
        ++counts.rows;
        counts.by_expression += row.cfa == "exp" || row.fp == "exp" || row.ra == "exp";
        if (rule.cfa == CfaFrom::unsupported) {
            ++counts.unsupported;
            continue;
        }
        const bool is_same = is_equal(rule, row, names) && table.find({row.end - 1}) == rule;
        if (!is_same && counts.differing++ < most_printed) print_difference(start, row, rule, names);
    }
    return counts;
}

int unwind_rows(Tool&, int argc, char** argv) {
    if (argc != 2) throw_usage("usage: readelf --debug-dump=frames-interp FILE | unwind_rows FILE");
    const Fd file = open_regular(argv[1]);
    const auto found = find_elf_frames(file);
    if (!found || found->sections.empty()) throw_input(std::string(argv[1]) + ": no unwind tables");
    const Names& names = found->machine->has_link_register ? aarch64 : x86_64;
    ReadelfRows reader(names);
    size_t sections = 0;
    for (std::string line; sections < 2 && std::getline(std::cin, line);) {
        sections += line.starts_with("Contents of the ");
        if (sections == 1) reader.take(line);
    }
    const Counts counts = compare(test::whole_table(file, *found), std::move(reader).finish(), names);
    const double percent =
        100 * static_cast<double>(counts.unsupported) / static_cast<double>(std::max<size_t>(1, counts.rows));
    std::printf("%s: %zu rows, %zu of them by expression; %zu differ, %zu (%.2f %%) unsupported\n", argv[1],
                counts.rows, counts.by_expression, counts.differing, counts.unsupported, percent);
    return counts.rows > 0 && counts.differing == 0 && percent <= most_unsupported_percent ? 0 : 1;
}

}  // namespace
}  // namespace op::tool

int main(int argc, char** argv) {
    return op::tool::run(argc, argv, op::tool::unwind_rows);
}
