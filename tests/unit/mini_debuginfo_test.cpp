// SPDX-License-Identifier: GPL-2.0-or-later
#include "libpp/object/mini_debuginfo.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "libop/base/elf_object.h"
#include "libop/base/error.h"
#include "libop/base/fd.h"
#include "libop/base/text.h"
#include "libpp/symbols/image_symbols.h"
#include "tests/unit/fixtures.h"
#include "tests/unit/packing.h"
#include "tests/unit/temp_dir.h"

namespace op::pp {
namespace {

/// A binary that carries these bytes.
class Carrier final : public ObjectFile {
public:
    explicit Carrier(std::string bytes) : bytes_(std::move(bytes)) {
        section_ = {".gnu_debugdata", {}, 0, bytes_.size(), false, true, as_bytes(bytes_)};
    }
    std::span<const Section> sections() const override { return {&section_, 1}; }
    std::vector<RawSymbol> symbols(bool) const override { return {}; }
    std::string build_id() const override { return ""; }
    std::optional<DebugLink> debug_link() const override { return std::nullopt; }
    bool has_debug_info() const override { return false; }

private:
    std::string bytes_;
    Section section_;
};

std::vector<std::string> names(const std::vector<RawSymbol>& symbols) {
    std::vector<std::string> names;
    for (const RawSymbol& symbol : symbols)
        names.emplace_back(symbol.name);
    std::ranges::sort(names);
    return names;
}

using Names = std::vector<std::string>;

const std::string mini = "root/usr/bin/mini";

/// The names of an ELF file's symbols, and notes.
Names shown(const std::string& path, Diagnostics& notes) {
    const auto read = read_elf_symbols(open_elf_file(path), Origin::file, {}, notes);
    Names names;
    if (read.symbols)
        for (const ImageSymbol& symbol : read.symbols->symbols())
            names.emplace_back(symbol.name);
    return names;
}

}  // namespace

TEST(MiniDebugInfo, has_the_functions_of_a_stripped_binary) {
    const MappedFile file(test::fixture(mini));
    const auto object = open_elf(file.bytes(), mini);
    EXPECT_TRUE(object->symbols(false).empty());
    EXPECT_EQ(names(MiniDebugInfo(*object, mini).symbols()),
              (Names{"_ZN4demo4workEi", "_ZNSt6vectorIiSaIiEE9push_backEOi", "_start", "helper", "main"}));
}

TEST(MiniDebugInfo, is_empty_where_nothing_is_carried) {
    const MappedFile file(test::fixture("root/usr/bin/split"));
    const auto object = open_elf(file.bytes(), "split");
    EXPECT_TRUE(MiniDebugInfo(*object, "split").symbols().empty());
    EXPECT_TRUE(MiniDebugInfo(Carrier(""), "empty").symbols().empty());
}

TEST(MiniDebugInfo, that_is_damaged_or_expands_without_end_is_an_error) {
    EXPECT_THROW(MiniDebugInfo(Carrier("no xz"), "x"), Error);
    EXPECT_THROW(MiniDebugInfo(Carrier(test::xz("no ELF file")), "x"), Error);
    EXPECT_THROW(MiniDebugInfo(Carrier(test::xz(std::string((64 << 20) + 1, '\0'))), "x"), Error);
}

TEST(MiniDebugInfo, names_the_functions_in_reports) {
    Diagnostics notes;
    EXPECT_EQ(shown(test::fixture(mini), notes),
              (Names{"_start", "main", "_ZN4demo4workEi", "_ZNSt6vectorIiSaIiEE9push_backEOi", "helper"}));
    EXPECT_TRUE(notes.warnings().empty());
}

TEST(MiniDebugInfo, that_is_damaged_costs_its_names_only) {
    const test::TempDir dir;
    std::string bytes = read_file(test::fixture(mini));
    const size_t packed = bytes.find(
        "\xfd"
        "7zXZ");
    ASSERT_NE(packed, bytes.npos);
    bytes[packed + 60] ^= 1;
    const std::string path = dir.write("mini", bytes);
    Diagnostics notes;
    EXPECT_EQ(shown(path, notes), Names{});
    ASSERT_EQ(notes.warnings().size(), 1u);
}

}  // namespace op::pp
