// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <cstdlib>

#include "fleet/build_symbols.h"
#include "libop/base/machine_root.h"
#include "tests/unit/temp_dir.h"

using namespace std::literals;

namespace op::fleet {
namespace {

const std::string build_id = "0123456789abcdef0123456789abcdef01234567";

/// A note of type 3 of owner GNU, as in /sys/kernel/notes.
std::string note_of(std::string_view hex_digits) {
    std::string note("\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0", 16);
    for (size_t i = 0; i < hex_digits.size(); i += 2)
        note += static_cast<char>(std::stoi(std::string(hex_digits.substr(i, 2)), nullptr, 16));
    return note;
}

/// A made-up machine whose kernel has two functions and a module.
class RunningKernelTest : public testing::Test {
protected:
    RunningKernelTest() {
        dir_.write("proc/kallsyms",
                   "ffffffff81000000 T _text\nffffffff81000000 T first\nffffffff81000100 T second\n"
                   "ffffffff81000200 T _etext\nffffffffa0000000 t inside\t[mod]\nffffffffa0000040 t "
                   "further\t[mod]\n");
        dir_.write("proc/modules",
                   "mod 4096 0 - Live 0xffffffffa0000000\nhidden 4096 0 - Live 0x0000000000000000\n");
        dir_.write("sys/kernel/notes", note_of(build_id));
        dir_.write("sys/module/mod/notes/.note.gnu.build-id", note_of(std::string(40, 'b')));
        ::setenv(machine_variable, dir_.path().c_str(), 1);
        kernel_ = RunningKernel::read();
        ::unsetenv(machine_variable);
    }

    BuildSymbols read(const std::string& name, const std::string& id) {
        SymbolSources sources;
        sources.kernel = &kernel_;
        Diagnostics notes;
        return read_build_symbols({id, {name}, true, "", {0x104, 0x44}}, sources, notes);
    }

    test::TempDir dir_;
    RunningKernel kernel_;
};

TEST_F(RunningKernelTest, has_images_with_build_ids) {
    ASSERT_EQ(kernel_.info.kernel_images.size(), 2u);
    EXPECT_EQ(kernel_.info.kernel_images[0].build_id, build_id);
    EXPECT_EQ(kernel_.info.kernel_images[0].length, 0x200u);
    EXPECT_EQ(kernel_.info.kernel_images[1].name, "mod");
}

TEST_F(RunningKernelTest, gives_names_to_the_build_that_runs) {
    const BuildSymbols symbols = read("/proc/kallsyms", build_id);
    EXPECT_EQ(symbols.quality, SymbolQuality::table);
    ASSERT_EQ(symbols.locations.size(), 2u);
    EXPECT_EQ(symbols.locations[0].name, "second");
    EXPECT_EQ(symbols.locations[0].first, 0x100u);
    EXPECT_EQ(symbols.locations[1].name, "first");
    const BuildSymbols module = read("mod", std::string(40, 'b'));
    EXPECT_EQ(module.locations.at(1).name, "further");
}

TEST_F(RunningKernelTest, gives_none_to_another_build) {
    for (const char* const name : {"/proc/kallsyms", "mod"}) {
        const BuildSymbols symbols = read(name, std::string(40, 'c'));
        EXPECT_EQ(symbols.quality, SymbolQuality::none) << name;
        EXPECT_TRUE(symbols.functions.empty()) << name;
        EXPECT_FALSE(symbols.reason.empty()) << name;
    }
}

TEST(RunningKernel, with_hidden_addresses_has_no_images) {
    const test::TempDir dir;
    dir.write("proc/kallsyms", "0000000000000000 T _text\n0000000000000000 T _etext\n");
    dir.write("sys/kernel/notes", note_of(build_id));
    ::setenv(machine_variable, dir.path().c_str(), 1);
    EXPECT_TRUE(RunningKernel::read().info.kernel_images.empty());
    ::unsetenv(machine_variable);
}

}  // namespace
}  // namespace op::fleet
