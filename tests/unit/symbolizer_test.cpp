// SPDX-License-Identifier: GPL-2.0-or-later
#include "libpp/symbols/symbolizer.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "libop/base/fd.h"
#include "libop/base/gzip.h"
#include "tests/unit/fixtures.h"
#include "tests/unit/packing.h"
#include "tests/unit/temp_dir.h"

namespace op::pp {
namespace {

constexpr const char* split_id = "abcdef0123456789abcdef0123456789abcdef01";

/// A symbolizer over images below a directory.
class Symbolizing : public ::testing::Test {
protected:
    ImageSymbols& symbols(const std::string& path, uint64_t mtime = 0, bool is_kernel = false) {
        return at({ImageName::Kind::file, path, 0, 0, 0}, mtime, is_kernel);
    }
    ImageSymbols& at(const ImageName& image, uint64_t mtime = 0, bool is_kernel = false) {
        search_.root = root_;
        finder_ = std::make_unique<ImageFinder>(search_, info_.kernel_release);
        symbolizer_ = std::make_unique<Symbolizer>(*finder_, &info_, kallsyms_, options_, notes_);
        return symbolizer_->symbols(image, mtime, is_kernel);
    }
    static std::string name_at(ImageSymbols& symbols, uint64_t offset, Demangle mode = Demangle::none) {
        const ImageSymbol* s = symbols.find({offset});
        return s ? std::string(symbols.name(*s, mode)) : "none";
    }
    std::string shortcoming(const std::string& path) const {
        return symbolizer_->shortcoming({ImageName::Kind::file, path, 0, 0, 0}).text;
    }
    std::string warning() const { return notes_.warnings().empty() ? "" : notes_.warnings().front(); }

    std::string root_ = test::fixture("root");
    ImageSearch search_;
    test::TempDir dir_;
    SessionInfo info_;
    std::string kallsyms_;
    SymbolizerOptions options_;
    Diagnostics notes_;
    std::unique_ptr<ImageFinder> finder_;
    std::unique_ptr<Symbolizer> symbolizer_;
};

}  // namespace

TEST_F(Symbolizing, file_offsets_find_their_function_and_linked_address) {
    auto& demo = symbols("/usr/bin/demo");
    EXPECT_EQ(name_at(demo, 0xc5), "main");
    EXPECT_EQ(name_at(demo, 0x100, Demangle::normal), "demo::work(int)");
    EXPECT_EQ(name_at(demo, 0x13f), "_ZN4demo4workEi") << "up to the next symbol";
    EXPECT_EQ(name_at(demo, 0x10), "none");
    EXPECT_EQ(demo.link_address({0xc5}).value(), 0x4000c5u);
    EXPECT_TRUE(demo.has_symbols());
    EXPECT_EQ(warning(), "");
}

TEST_F(Symbolizing, the_bytes_of_a_symbol_are_those_of_its_range) {
    auto& demo = symbols("/usr/bin/demo");
    const ImageSymbol* const main = demo.find({0xc0});
    ASSERT_NE(main, nullptr);
    const MappedFile file(root_ + "/usr/bin/demo");
    const auto expected = file.bytes().subspan(0xc0, main->length);
    EXPECT_TRUE(std::ranges::equal(demo.code(*main), expected));
    auto& missing = symbols("/usr/bin/missing");
    EXPECT_TRUE(missing.code(missing.symbols()[0]).empty());
}

TEST_F(Symbolizing, source_lines_come_from_the_debug_information) {
    const auto line = symbols("/usr/bin/demo").line({0xc1});
    ASSERT_TRUE(line);
    EXPECT_EQ(line->file, "/src/demo.s");
    EXPECT_GT(line->line, 10u);
    EXPECT_FALSE(symbolizer_->symbols({ImageName::Kind::file, "/usr/bin/demo", 0, 0, 0}, 0).line({0x10}));
}

TEST_F(Symbolizing, compressed_debug_information_gives_lines) {
    const auto line = symbols("/usr/bin/compressed").line({0xc1});
    ASSERT_TRUE(line);
    EXPECT_EQ(line->file, "/src/demo.s");
}

TEST_F(Symbolizing, a_stripped_binary_takes_names_and_lines_from_the_debug_file_it_links_to) {
    auto& split = symbols("/usr/bin/split");
    EXPECT_EQ(name_at(split, 0x145), "main");
    EXPECT_TRUE(split.line({0x145}));
    EXPECT_EQ(warning(), "");
}

TEST_F(Symbolizing, a_debug_file_is_found_by_build_id) {
    const std::string debug = read_file(root_ + "/usr/bin/.debug/split.debug");
    dir_.write("usr/bin/split", read_file(root_ + "/usr/bin/split"));
    dir_.write("usr/lib/debug/.build-id/ab/" + std::string(split_id + 2) + ".debug", debug);
    root_ = dir_.path();
    EXPECT_EQ(name_at(symbols("/usr/bin/split"), 0x145), "main");
}

TEST_F(Symbolizing, a_debug_file_of_another_build_is_refused_with_a_note) {
    dir_.write("usr/bin/split", read_file(root_ + "/usr/bin/split"));
    dir_.write("usr/bin/.debug/split.debug", read_file(root_ + "/usr/bin/demo"));
    root_ = dir_.path();
    EXPECT_EQ(name_at(symbols("/usr/bin/split"), 0x145), "/usr/bin/split");
    EXPECT_NE(warning().find("split.debug is not used"), std::string::npos) << warning();
}

TEST_F(Symbolizing, an_image_that_is_not_found_has_one_symbol_and_a_reason) {
    auto& gone = symbols("/gone/program");
    EXPECT_EQ(name_at(gone, 12345), "/gone/program");
    EXPECT_FALSE(gone.has_symbols());
    EXPECT_TRUE(shortcoming("/gone/program").starts_with("is not found")) << shortcoming("/gone/program");
}

TEST_F(Symbolizing, anonymous_memory_is_quiet) {
    EXPECT_EQ(name_at(at({ImageName::Kind::anon, "[vdso]", 7, 0x1000, 0x1fff}), 5),
              "[vdso] (tgid:7 range:0x1000-0x1fff)");
    EXPECT_EQ(warning(), "");
}

TEST_F(Symbolizing, the_vdso_has_the_names_of_the_copy_that_the_session_keeps) {
    dir_.write(std::string("images/") + split_id, read_file(root_ + "/usr/bin/split"));
    dir_.write("images/.debug/split.debug", read_file(root_ + "/usr/bin/.debug/split.debug"));
    search_.sessions = {dir_.path()};
    const ImageName vdso{ImageName::Kind::anon, "[vdso]", 0, 0, 0x1fff};
    RecordedImage& recorded = info_.images["[vdso]"] = {.build_id = split_id, .size = 0x2000};
    EXPECT_TRUE(at(vdso).has_symbols());
    EXPECT_EQ(warning() + symbolizer_->shortcoming(vdso).text, "");
    EXPECT_FALSE(at({ImageName::Kind::anon, "[vdso]", 0, 0, 0xfff}).has_symbols()) << "another length";
    EXPECT_FALSE(at({ImageName::Kind::anon, "[vdso]", 7, 0, 0x1fff}).has_symbols()) << "of one process";
    EXPECT_FALSE(at({ImageName::Kind::anon, "[vdso32]", 0, 0, 0x1fff}).has_symbols());
    recorded.several_builds = true;
    EXPECT_FALSE(at(vdso).has_symbols());
    recorded = {.build_id = "00", .size = 0x2000};
    dir_.write("images/00", read_file(root_ + "/usr/bin/split"));
    EXPECT_FALSE(at(vdso).has_symbols());
}

TEST_F(Symbolizing, symbols_of_a_build_other_than_the_profiled_one_are_not_used) {
    info_.images["/usr/bin/split"].build_id = "00";
    EXPECT_EQ(name_at(symbols("/usr/bin/split"), 0xc5), "/usr/bin/split");
    EXPECT_NE(shortcoming("/usr/bin/split").find("build-ids differ"), std::string::npos);
    EXPECT_NE(shortcoming("/usr/bin/split").find("--trust-path"), std::string::npos);
    EXPECT_EQ(warning(), "");
}

TEST_F(Symbolizing, symbols_are_not_used_where_samples_of_several_builds_are_counted_together) {
    info_.images["/usr/bin/split"] = {split_id, 0, false, true};
    EXPECT_EQ(name_at(symbols("/usr/bin/split"), 0xc5), "/usr/bin/split");
    EXPECT_NE(shortcoming("/usr/bin/split").find("several builds"), std::string::npos);
}

TEST_F(Symbolizing, the_build_that_the_session_keeps_has_the_names_of_an_image_of_another_root) {
    const std::string kept =
        dir_.write(std::string("images/") + split_id, read_file(root_ + "/usr/bin/split"));
    dir_.write("images/.debug/split.debug", read_file(root_ + "/usr/bin/.debug/split.debug"));
    info_.images["/usr/bin/demo"] = {.build_id = split_id, .elsewhere = true};
    search_.sessions = {dir_.path()};
    EXPECT_TRUE(symbols("/usr/bin/demo").has_symbols());
    EXPECT_EQ(symbolizer_->file({ImageName::Kind::file, "/usr/bin/demo"}), kept);
    EXPECT_EQ(warning() + shortcoming("/usr/bin/demo"), "");
}

TEST_F(Symbolizing, a_kept_file_of_another_build_gives_no_names) {
    dir_.write("images/00", read_file(root_ + "/usr/bin/split"));
    info_.images["/usr/bin/demo"] = {.build_id = "00", .elsewhere = true};
    search_.sessions = {dir_.path()};
    EXPECT_FALSE(symbols("/usr/bin/demo").has_symbols());
}

TEST_F(Symbolizing, an_image_of_another_root_gets_no_names_from_the_file_at_its_path) {
    info_.images["/usr/bin/demo"].elsewhere = true;
    EXPECT_FALSE(symbols("/usr/bin/demo").has_symbols());
    EXPECT_NE(shortcoming("/usr/bin/demo").find("was another file where"), std::string::npos);
    options_.trusts_paths = true;
    EXPECT_TRUE(symbols("/usr/bin/demo").has_symbols());
}

TEST_F(Symbolizing, a_name_with_a_suffix_belongs_to_a_path) {
    info_.images["/usr/bin/split@abcdef012345"] = {.build_id = split_id, .path = "/usr/bin/split"};
    search_.paths = {{"/usr/bin/split@abcdef012345", "/usr/bin/split"}};
    EXPECT_TRUE(symbols("/usr/bin/split@abcdef012345").has_symbols());
}

TEST_F(Symbolizing, symbols_of_another_build_are_used_with_a_note_if_paths_are_trusted) {
    options_.trusts_paths = true;
    info_.images["/usr/bin/split"].build_id = "00";
    EXPECT_TRUE(symbols("/usr/bin/split").has_symbols());
    EXPECT_NE(warning().find("build-ids differ"), std::string::npos) << warning();
    EXPECT_EQ(shortcoming("/usr/bin/split"), "");
}

TEST_F(Symbolizing, the_profiled_build_is_fetched_where_the_path_has_another) {
    struct Server final : BuildIdSource {
        std::optional<std::string> executable(const std::string& build_id) override {
            return build_id == split_id ? std::optional(test::fixture("root/usr/bin/split")) : std::nullopt;
        }
        std::optional<std::string> debug_file(const std::string& build_id) override {
            debug_files += build_id + " ";
            return std::nullopt;
        }
        std::string debug_files;
    } server;
    std::string other = read_file(root_ + "/usr/bin/split");
    other.at(other.find("\xab\xcd\xef\x01")) = 'x';
    dir_.write("usr/bin/split", other);
    root_ = dir_.path();
    options_.by_build_id = &server;
    info_.images["/usr/bin/split"].build_id = split_id;
    EXPECT_EQ(name_at(symbols("/usr/bin/split"), 0x145), "main") << shortcoming("/usr/bin/split");
    EXPECT_EQ(server.debug_files, "") << "of a build that is not taken";
}

TEST_F(Symbolizing, without_build_ids_a_changed_file_is_detected_by_its_time) {
    EXPECT_FALSE(symbols("/usr/bin/demo", 1).has_symbols());
    EXPECT_NE(shortcoming("/usr/bin/demo").find("modification times differ"), std::string::npos);
    options_.trusts_paths = true;
    EXPECT_TRUE(symbols("/usr/bin/demo", 1).has_symbols());
    EXPECT_NE(warning().find("was changed after it was profiled"), std::string::npos);
}

TEST_F(Symbolizing, the_build_id_counts_more_than_the_time) {
    info_.images["/usr/bin/split"].build_id = split_id;
    symbols("/usr/bin/split", 1);
    EXPECT_EQ(warning(), "");
}

TEST_F(Symbolizing, the_kernel_is_read_from_the_snapshot) {
    info_.kernel_images.push_back({"/proc/kallsyms", 0xffffffff81000000, 0x1000, ""});
    kallsyms_ = "ffffffff81000000 T _text\nffffffff81000100 T schedule\n";
    EXPECT_EQ(name_at(symbols("/proc/kallsyms"), 0x120), "schedule");
}

TEST_F(Symbolizing, without_snapshot_the_remedy_is_named) {
    EXPECT_EQ(name_at(symbols("/proc/kallsyms"), 0x120), "/proc/kallsyms");
    EXPECT_NE(shortcoming("/proc/kallsyms").find("--vmlinux"), std::string::npos);
}

TEST_F(Symbolizing, a_kernel_image_given_by_hand_counts_from_its_text) {
    options_.vmlinux = test::fixture("root/usr/bin/demo");
    auto& kernel = symbols("/proc/kallsyms", 0, true);
    EXPECT_EQ(name_at(kernel, 0x45), "main") << ".text begins at 0x80 of the file";
    EXPECT_EQ(kernel.link_address({0x45}).value(), 0x4000c5u);
}

TEST_F(Symbolizing, a_kernel_lies_by_address_not_by_place_in_the_file) {
    auto& kernel = symbols("/boot/vmlinux", 0, true);
    EXPECT_EQ(name_at(kernel, 2), "schedule") << "a foreign session counts from .text";
    EXPECT_EQ(name_at(kernel, 0x10003), "start_kernel");
}

TEST_F(Symbolizing, a_kernel_of_our_sessions_counts_from_its_first_mark) {
    info_.kernel_images.push_back({"/boot/vmlinux", 0xffffffff99000000, 0x20000, ""});
    auto& kernel = symbols("/boot/vmlinux", 0, true);
    EXPECT_EQ(name_at(kernel, 1), "head") << "the mark _text gives way";
    EXPECT_EQ(name_at(kernel, 0x42), "schedule");
    EXPECT_EQ(kernel.link_address({0x42}).value(), 0xffffffff81000042u);
    EXPECT_EQ(name_at(kernel, 0x10043), "start_kernel");
}

TEST_F(Symbolizing, the_kernel_image_given_by_hand_is_used_for_all_kernels) {
    options_.vmlinux = test::fixture("root/boot/vmlinux");
    EXPECT_EQ(name_at(symbols("/proc/kallsyms"), 0x42), "schedule");
    EXPECT_EQ(name_at(symbols("/gone/vmlinux", 5, true), 2), "schedule");
    EXPECT_EQ(warning(), "");
}

TEST_F(Symbolizing, a_kernel_image_of_another_build_is_not_used) {
    options_.vmlinux = test::fixture("root/usr/bin/split");
    info_.kernel_images.push_back({"/proc/kallsyms", 0xffffffff81000000, 0x1000, "00"});
    EXPECT_FALSE(symbols("/proc/kallsyms").has_symbols());
    EXPECT_NE(shortcoming("/proc/kallsyms").find("build-ids differ"), std::string::npos);
}

TEST_F(Symbolizing, a_relocatable_file_has_the_lines_of_the_linked_one) {
    info_.kernel_release = "6.1";
    auto& module = at({ImageName::Kind::kernel, "nf_demo", 0, 0, 0}, 0, true);
    EXPECT_EQ(name_at(module, 0x45), "main");
    const auto line = module.line({0x45});
    ASSERT_TRUE(line);
    EXPECT_EQ(line->file, "/src/demo.s");
    const uint32_t number = line->line;
    EXPECT_EQ(symbols("/usr/bin/demo").line({0xc5})->line, number);
}

TEST_F(Symbolizing, the_code_of_a_module_lies_as_the_kernel_loads_it) {
    info_.kernel_release = "6.1";
    auto& module = at({ImageName::Kind::kernel, "nf_parts", 0, 0, 0}, 0, true);
    EXPECT_EQ(name_at(module, 0), "parts_work");
    EXPECT_EQ(name_at(module, 3), "parts_enter");
    EXPECT_EQ(name_at(module, 5), "parts_rare");
    ASSERT_TRUE(module.line({1}) && module.line({5})) << "of its debug file, whose sections lie elsewhere";
    EXPECT_EQ(module.line({1})->line, 22u);
    EXPECT_EQ(module.line({5})->line, 30u);
}

TEST_F(Symbolizing, a_module_in_the_snapshot_has_the_lines_and_code_of_its_file) {
    info_.kernel_release = "6.1";
    kallsyms_ =
        "ffffffffc0000000 t parts_rare\t[nf_parts]\n"
        "ffffffffc0000010 t parts_work\t[nf_parts]\n"
        "ffffffffc0000020 t parts_new\t[nf_parts]\n";
    info_.kernel_images.push_back(
        {"nf_parts", 0xffffffffc0000000, 0x40, "0123456789abcdef0123456789abcdef01234567"});
    auto& module = at({ImageName::Kind::kernel, "nf_parts", 0, 0, 0}, 0, true);
    EXPECT_EQ(name_at(module, 0x11), "parts_work");
    ASSERT_TRUE(module.line({0x11}) && module.line({1}));
    EXPECT_EQ(module.line({0x11})->line, 22u) << "wherever the kernel has put it";
    EXPECT_EQ(module.line({1})->line, 31u);
    EXPECT_FALSE(module.line({0x15})) << "past the end of the function in the file";
    EXPECT_FALSE(module.line({0x20})) << "not in the file";
    EXPECT_EQ(module.code(*module.find({0x10})).size(), 3u);
}

TEST_F(Symbolizing, a_module_file_of_another_build_gives_no_lines) {
    info_.kernel_release = "6.1";
    kallsyms_ = "ffffffffc0000010 t parts_work\t[nf_parts]\n";
    info_.kernel_images.push_back({"nf_parts", 0xffffffffc0000000, 0x40, "00"});
    auto& module = at({ImageName::Kind::kernel, "nf_parts", 0, 0, 0}, 0, true);
    EXPECT_EQ(name_at(module, 0x10), "parts_work");
    EXPECT_FALSE(module.line({0x10}));
}

TEST_F(Symbolizing, without_section_headers_the_unwind_table_gives_the_functions) {
    std::string bytes = read_file(test::fixture("../fuzz/corpus/elf/unwind_table"));
    bytes.replace(40, 8, 8, '\0');  // e_shoff
    bytes.replace(60, 4, 4, '\0');  // e_shnum, e_shstrndx
    dir_.write("usr/bin/bare", bytes);
    root_ = dir_.path();
    EXPECT_EQ(name_at(symbols("/usr/bin/bare"), 0x1000), "[0x1000]");
}

TEST_F(Symbolizing, a_module_without_snapshot_is_read_from_its_file) {
    info_.kernel_release = "6.1";
    const std::string module = read_file(root_ + "/usr/bin/demo");
    dir_.write("lib/modules/6.1/net/nf-demo.ko.gz", gzip(module));
    dir_.write("lib/modules/6.1/net/xz_demo.ko.xz", test::xz(module));
    dir_.write("lib/modules/6.1/net/zstd-demo.ko.zst", test::zstd(module));
    root_ = dir_.path();
    for (const char* name : {"nf_demo", "xz_demo", "zstd_demo"})
        EXPECT_EQ(name_at(at({ImageName::Kind::kernel, name, 0, 0, 0}, 0, true), 0x45), "main") << name;
}

TEST_F(Symbolizing, an_unknown_module_is_shown_with_a_slash) {
    EXPECT_EQ(name_at(at({ImageName::Kind::kernel, "no-vmlinux", 0, 0, 0}), 7), "/no-vmlinux");
    EXPECT_EQ(warning(), "");
}

namespace {

/// Has one file for every build-id.
class OneFile final : public BuildIdSource {
public:
    OneFile(std::string executable, std::string debug)
        : executable_(std::move(executable)), debug_(std::move(debug)) {}
    std::optional<std::string> executable(const std::string& build_id) override {
        asked += "executable " + build_id + "\n";
        return executable_;
    }
    std::optional<std::string> debug_file(const std::string& build_id) override {
        asked += "debug " + build_id + "\n";
        return debug_;
    }

    std::string asked;

private:
    std::string executable_, debug_;
};

}  // namespace

TEST_F(Symbolizing, missing_files_are_fetched_by_build_id) {
    OneFile source(root_ + "/usr/bin/split", root_ + "/usr/bin/.debug/split.debug");
    dir_.write("nothing", "");
    root_ = dir_.path();
    options_.by_build_id = &source;
    info_.images["/gone/split"].build_id = split_id;
    EXPECT_EQ(name_at(symbols("/gone/split"), 0x145), "main");
    EXPECT_TRUE(source.asked.starts_with(std::string("executable ") + split_id)) << source.asked;
    EXPECT_EQ(shortcoming("/gone/split"), "");
}

TEST_F(Symbolizing, an_answer_that_is_no_debug_file_costs_no_names) {
    dir_.write("usr/bin/page", "<html>log in first</html>");
    dir_.write("usr/bin/split", read_file(root_ + "/usr/bin/split"));
    for (const std::string& answer : {dir_.path() + "/usr/bin/page", root_ + "/usr/bin/demo"}) {
        OneFile source("/none", answer);
        const std::string before = root_;
        root_ = dir_.path();
        options_.by_build_id = &source;
        EXPECT_FALSE(symbols("/usr/bin/split").symbols().empty());
        EXPECT_NE(warning().find("is not used"), std::string::npos) << warning();
        EXPECT_EQ(shortcoming("/usr/bin/split").find("cannot be read"), std::string::npos);
        notes_.take();
        root_ = before;
    }
}

TEST_F(Symbolizing, files_that_are_here_are_not_fetched) {
    OneFile source("/none", "/none");
    options_.by_build_id = &source;
    info_.images["/usr/bin/split"].build_id = split_id;
    EXPECT_EQ(name_at(symbols("/usr/bin/demo"), 0xc5), "main");
    EXPECT_EQ(name_at(symbols("/usr/bin/split"), 0x145), "main");
    EXPECT_EQ(source.asked, "");
}

TEST_F(Symbolizing, a_deleted_file_is_reported_as_such) {
    info_.images["/gone/program"].deleted = true;
    symbols("/gone/program");
    EXPECT_TRUE(shortcoming("/gone/program").starts_with("was deleted or replaced"));
}

TEST_F(Symbolizing, a_file_that_is_no_binary_is_reported) {
    dir_.write("usr/bin/text", "#!/bin/sh\n");
    root_ = dir_.path();
    EXPECT_EQ(name_at(symbols("/usr/bin/text"), 0), "/usr/bin/text");
    EXPECT_NE(shortcoming("/usr/bin/text").find("not an ELF file"), std::string::npos);
}

TEST_F(Symbolizing, this_program_knows_itself) {
    root_ = "";
    auto& self = symbols("/proc/self/exe");
    EXPECT_GT(self.symbols().size(), 1000u);
    for (size_t i = 1; i < self.symbols().size(); ++i)
        ASSERT_LE(self.symbols()[i - 1].start.value() + self.symbols()[i - 1].length,
                  self.symbols()[i].start.value());
}

}  // namespace op::pp
