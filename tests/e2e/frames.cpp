// SPDX-License-Identifier: GPL-2.0-or-later
// Our frames beside another symbolizer's:
//   frames pick IMAGE COUNT SEED     COUNT random addresses of IMAGE's code, as linked, a line each
//   frames print IMAGE               the functions at the addresses on stdin, in the form of addr2line -a -f
//   -i frames compare IMAGE OURS THEIRS two such texts: every kind of difference with its count and an
//   example;
//                                    fails unless 99.9 % of the addresses agree
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <map>
#include <random>
#include <set>

#include "libop/base/elf_object.h"
#include "libop/base/error.h"
#include "libop/base/fd.h"
#include "libop/base/text.h"
#include "libpp/symbols/image_symbols.h"
#include "utils/shared/tool.h"

namespace op::tool {
namespace {

constexpr double wanted_percent = 99.9;

uint64_t number(std::string_view text) {
    const auto value = parse_c_integer(text);
    if (!value) throw_usage("not a number: " + std::string(text));
    return *value;
}

std::unique_ptr<pp::ImageSymbols> open_image(const std::string& path, Diagnostics& notes) {
    auto image = pp::read_elf_symbols(pp::open_elf_file(path), pp::Origin::file, {{""}, nullptr}, notes);
    if (!image.symbols) throw_input(path + ": no symbols");
    return std::move(image.symbols);
}

/// Addresses in functions: what lies between two of them is named at will.
void pick(const std::string& path, uint64_t count, uint64_t seed) {
    const MappedFile file(path);
    const auto object = open_elf(file.bytes(), path);
    const auto symbols = object->symbols(false);
    std::vector<uint64_t> first;  // per symbol: how many bytes of code lie before it
    uint64_t total = 0;
    for (const RawSymbol& symbol : symbols) {
        first.push_back(total);
        total += symbol.size;
    }
    if (total == 0) throw_input(path + ": no functions");
    std::mt19937_64 random(seed);
    for (uint64_t i = 0; i < count; ++i) {
        const uint64_t at = random() % total;
        const auto index = static_cast<size_t>(std::ranges::upper_bound(first, at) - first.begin()) - 1;
        std::printf("0x%s\n", hex((symbols[index].address + (at - first[index])).value()).c_str());
    }
}

void print(pp::ImageSymbols& image) {
    std::map<LinkAddress, const pp::ImageSymbol*> by_address;
    for (const pp::ImageSymbol& symbol : image.symbols())
        by_address.emplace(symbol.address, &symbol);
    for (std::string line; std::getline(std::cin, line);) {
        const LinkAddress address{number(line)};
        const auto next = by_address.upper_bound(address);
        if (next == by_address.begin()) throw_input(line + " is in no symbol");
        const pp::ImageSymbol& symbol = *std::prev(next)->second;
        auto frames = image.frames(symbol.start + (address - symbol.address));
        if (frames.empty()) frames.push_back({});
        frames.back().function = symbol.name;  // as reports name it
        std::printf("%s\n", line.c_str());
        for (const pp::InlineFrame& frame : frames)
            std::printf("%s\n%s:%u\n", std::string(frame.function).c_str(),
                        frame.file.empty() ? "??" : std::string(frame.file).c_str(), frame.line);
    }
}

struct Frame {
    std::string function, file, line;
};
using Frames = std::map<uint64_t, std::vector<Frame>>;

/// "FILE:LINE", perhaps with " (discriminator N)".
void take_place(std::string_view text, Frame& frame) {
    text = text.substr(0, text.find(" (discriminator"));
    const size_t colon = text.rfind(':');
    frame.file = std::filesystem::path(text.substr(0, colon)).lexically_normal();
    frame.line = colon == text.npos ? "" : text.substr(colon + 1);
    if (frame.line == "?") frame.line = "0";
}

Frames read_frames(const std::string& path) {
    const std::string text = read_file(path);
    Frames frames;
    std::vector<Frame>* at = nullptr;
    for (std::string_view rest = text; !rest.empty();) {
        const std::string_view line = take_line(rest);
        if (line.starts_with("0x")) {
            at = &frames[number(line)];
            at->clear();
            continue;
        }
        if (!at) throw_input(path + ": no address before the first function");
        at->push_back({std::string(line), {}, {}});
        take_place(take_line(rest), at->back());
    }
    return frames;
}

/// Names that the symbol table has at one address are one function's.
class Aliases {
public:
    explicit Aliases(const std::string& path) : file_(path), object_(open_elf(file_.bytes(), path)) {
        for (const RawSymbol& symbol : object_->symbols(false))
            addresses_[std::string(symbol.name)].insert(symbol.address.value());
    }
    bool are(const std::string& a, const std::string& b) const {
        const auto x = addresses_.find(a), y = addresses_.find(b);
        if (x == addresses_.end() || y == addresses_.end()) return false;
        return std::ranges::any_of(x->second, [&](uint64_t address) { return y->second.contains(address); });
    }

private:
    MappedFile file_;
    std::unique_ptr<ObjectFile> object_;
    std::map<std::string, std::set<uint64_t>> addresses_;
};

/// Without debug information there is no difference: the other may know a file from the symbol table.
bool is_unknown(const std::vector<Frame>& ours, const std::vector<Frame>& theirs) {
    return ours.size() == 1 && theirs.size() == 1 && ours[0].file == "??" && theirs[0].line == "0" &&
           ours[0].function == theirs[0].function;
}

/// The first difference, from the inside; empty = no difference.
std::string difference(const std::vector<Frame>& ours, const std::vector<Frame>& theirs,
                       const Aliases& aliases) {
    if (ours.size() != theirs.size())
        return ours.size() < theirs.size() ? "frames that only they have" : "frames that only we have";
    for (size_t i = 0; i < ours.size(); ++i) {
        const char* const where = i + 1 == ours.size() ? " of the outermost function" : " of an inlined one";
        if (ours[i].function != theirs[i].function && !aliases.are(ours[i].function, theirs[i].function))
            return std::string("name") + where;
        if (ours[i].file != theirs[i].file)
            return std::string(ours[i].file == "??"     ? "file that only they know"
                               : theirs[i].file == "??" ? "file that only we know"
                                                        : "file") +
                   where;
        if (ours[i].line != theirs[i].line)
            return std::string(i == 0 ? "line of the instruction" : "line of a call") +
                   (ours[i].line == "0" || theirs[i].line == "0" ? ", one of them 0" : "");
    }
    return "";
}

std::string example(uint64_t address, const std::vector<Frame>& ours, const std::vector<Frame>& theirs) {
    std::string text = "    0x" + hex(address) + "\n";
    for (const auto* side : {&ours, &theirs})
        for (const Frame& frame : *side)
            text += std::string(side == &ours ? "      ours   " : "      theirs ") + frame.function + " " +
                    frame.file + ":" + frame.line + "\n";
    return text;
}

bool compare(const std::string& image, const std::string& our_path, const std::string& their_path) {
    const Aliases aliases(image);
    const Frames ours = read_frames(our_path), theirs = read_frames(their_path);
    struct Kind {
        size_t count = 0;
        std::string example;
    };
    std::map<std::string, Kind> kinds;
    size_t inlined = 0, differing = 0;
    for (const auto& [address, frames] : ours) {
        inlined += frames.size() > 1;
        const auto other = theirs.find(address);
        static const std::vector<Frame> none;
        const auto& their_frames = other == theirs.end() ? none : other->second;
        if (is_unknown(frames, their_frames)) continue;
        const std::string kind = difference(frames, their_frames, aliases);
        if (kind.empty()) continue;
        ++differing;
        if (kinds[kind].count++ == 0) kinds[kind].example = example(address, frames, their_frames);
    }
    const double percent = 100.0 * static_cast<double>(ours.size() - differing) /
                           static_cast<double>(std::max<size_t>(1, ours.size()));
    std::printf("  %zu addresses, %zu of them in inlined functions: %.3f %% agree\n", ours.size(), inlined,
                percent);
    for (const auto& [name, kind] : kinds)
        std::printf("  %zu: %s, for example\n%s", kind.count, name.c_str(), kind.example.c_str());
    return inlined > 0 && percent >= wanted_percent;
}

int frames(Tool& tool, int argc, char** argv) {
    const std::string_view what = argc > 1 ? argv[1] : "";
    if (what == "pick" && argc == 5)
        pick(argv[2], number(argv[3]), number(argv[4]));
    else if (what == "print" && argc == 3)
        print(*open_image(argv[2], tool.notes));
    else if (what == "compare" && argc == 5)
        return compare(argv[2], argv[3], argv[4]) ? 0 : 1;
    else
        throw_usage("usage: frames pick IMAGE COUNT SEED | print IMAGE | compare IMAGE OURS THEIRS");
    tool.print_notes();
    return 0;
}

}  // namespace
}  // namespace op::tool

int main(int argc, char** argv) {
    return op::tool::run(argc, argv, op::tool::frames);
}
