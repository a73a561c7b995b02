// SPDX-License-Identifier: GPL-2.0-or-later
#include "fleet/build_symbols.h"

#include <gtest/gtest.h>

#include "fleet/md5.h"
#include "fleet/rows.h"
#include "fleet/symbol_store.h"
#include "libop/base/build_id.h"
#include "libop/base/error.h"
#include "libop/base/fd.h"
#include "tests/unit/fixtures.h"
#include "tests/unit/temp_dir.h"

using namespace std::literals;

namespace op::fleet {
namespace {

const std::string hostile = "a\tb\nc\\d'\"\0e"s;

BuildSymbols example() {
    BuildSymbols symbols;
    symbols.quality = SymbolQuality::debug;
    symbols.reason = hostile;
    symbols.file = "/bin/x";
    symbols.functions = {{0x1000, 0x10ff, hostile, "_Z1fv", "f.c", 7}, {0x1100, 0x1100, "", "", "", 0}};
    symbols.locations = {{0x1004, 0x1000, hostile, "f.c", 8, {"g\tg.h:1", hostile}}, {5, 0, "", "", 0, {}}};
    symbols.package = Package{"x", "1"};
    return symbols;
}

TEST(BuildSymbols, survive_as_text) {
    EXPECT_EQ(parse_build_symbols(build_symbols_text(example()), "test"), example());
    EXPECT_EQ(parse_build_symbols("", "test"), BuildSymbols());
}

TEST(BuildSymbols, that_are_damaged_are_refused) {
    for (const char* text : {"q\t9\t\t\n", "q\t1\n", "f\t1\t2\t\t\t\t4294967296\n", "l\t1\tx\t\t\t0\n", "x\n",
                             "\n", "p\tx\n", "p\t\t1\n", "p\tx\n1\t2\n"})
        EXPECT_THROW(parse_build_symbols(text, "test"), Error) << text;
}

TEST(WantedBuild, survives_as_text) {
    const WantedBuild wanted{"abcd", {"/bin/x", hostile}, true, "/tmp/\n", {1, UINT64_MAX}, true};
    const WantedBuild again = parse_wanted_build(wanted_build_text(wanted), "test");
    EXPECT_EQ(again.build_id, wanted.build_id);
    EXPECT_EQ(again.paths, wanted.paths);
    EXPECT_EQ(again.is_kernel, wanted.is_kernel);
    EXPECT_EQ(again.file, wanted.file);
    EXPECT_EQ(again.places, wanted.places);
    EXPECT_TRUE(again.lacks_package);
    EXPECT_FALSE(parse_wanted_build(wanted_build_text({}), "test").lacks_package);
    EXPECT_THROW(parse_wanted_build("a\t-1\n", "test"), Error);
}

TEST(EscapedField, is_undone_by_unescaped_field) {
    for (const std::string& value : {hostile, ""s, "\\"s, std::string(16384, '\n')}) {
        const std::string field = escaped_field(value);
        EXPECT_EQ(field.find_first_of("\t\n\0"sv), std::string::npos);
        EXPECT_EQ(unescaped_field(field), value);
    }
}

TEST(ReadBuildSymbols, finds_no_file_without_a_build_id) {
    Diagnostics notes;
    const BuildSymbols symbols = read_build_symbols({"", {"/bin/sh"}, false, "", {}}, {}, notes);
    EXPECT_EQ(symbols.quality, SymbolQuality::none);
    EXPECT_NE(symbols.reason.find("has no build-id"), std::string::npos);
}

TEST(ReadBuildSymbols, a_path_does_not_make_a_file_the_build) {
    Diagnostics notes;
    const BuildSymbols symbols =
        read_build_symbols({std::string(40, 'a'), {"/proc/self/exe"}, false, "", {0x1000}}, {}, notes);
    EXPECT_EQ(symbols.quality, SymbolQuality::none);
    EXPECT_TRUE(symbols.functions.empty());
    EXPECT_FALSE(symbols.reason.empty());
}

TEST(ReadBuildSymbols, a_package_is_that_of_the_note_of_the_very_build) {
    const std::string file = test::fixture("../fuzz/corpus/elf/package");
    const std::string build_id = build_id_of_file(file);
    ASSERT_FALSE(build_id.empty());
    const auto package = [&](const std::string& wanted_id, bool lacks_package) {
        Diagnostics notes;
        return read_build_symbols({wanted_id, {file}, false, "", {}, lacks_package}, {}, notes).package;
    };
    EXPECT_EQ(package(build_id, true), (Package{"coreutils", "9.1-1"}));
    EXPECT_FALSE(package(build_id, false)) << "it is known";
    EXPECT_FALSE(package(std::string(40, 'a'), true));
}

TEST(ReadBuildSymbols, a_package_without_a_note_is_that_of_dpkg) {
    const test::TempDir root;
    const std::string elf = read_file(test::fixture("root/usr/bin/split"));
    const Fd file = open_regular(root.write("usr/bin/split", elf));
    root.write("var/lib/dpkg/status", "Package: s\nStatus: install ok installed\nVersion: 2\n");
    root.write("var/lib/dpkg/info/s.list", "/usr/bin/split\n");
    root.write("var/lib/dpkg/info/s.md5sums", *md5_of_fd(file, elf.size()) + "  usr/bin/split\n");
    const auto package = [&](const std::string& path) {
        SymbolSources sources;
        sources.search.root = root.path();
        Diagnostics notes;
        return read_build_symbols({build_id_of_fd(file), {path}, false, "", {}, true}, sources, notes)
            .package;
    };
    EXPECT_EQ(package("/usr/bin/split"), (Package{"s", "2"}));
    root.write("opt/split", elf);
    EXPECT_FALSE(package("/opt/split"));
}

TEST(LocalBuildIds, check_the_file_behind_the_name) {
    const test::TempDir dir;
    LocalBuildIds source(dir.path(), nullptr);
    EXPECT_FALSE(source.executable("ab"));
    EXPECT_FALSE(source.executable(std::string(40, 'a')));
}

TEST(Locate, gives_each_place_its_function) {
    const std::vector<BuildFunction> functions = {{10, 19, "f", "", "", 0}, {30, 39, "g", "", "", 0}};
    const auto found = locate(functions, {9, 10, 19, 20, 35, 40});
    std::string text;
    for (const BuildLocation& location : found)
        text += std::to_string(location.place) + location.name + " ";
    EXPECT_EQ(text, "10f 19f 35g ");
}

}  // namespace
}  // namespace op::fleet
