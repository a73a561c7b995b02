// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/source/kernel_map.h"

#include <gtest/gtest.h>

#include "libop/base/error.h"

#include "libop/base/text.h"

namespace op::collect {
namespace {

std::optional<KernelRange> kernel_range(std::string_view kallsyms) {
    KernelRangeScan scan;
    while (!kallsyms.empty() && scan.take(take_line(kallsyms))) {
    }
    return scan.range();
}

}  // namespace

TEST(KernelMap, range_is_from_text_to_etext) {
    EXPECT_EQ(kernel_range("0000000000000000 A fixed_percpu_data\n"
                           "ffffffff81000000 T startup_64\n"
                           "ffffffff81000000 T _stext\n"
                           "ffffffff81000000 T _text\n"
                           "ffffffff81e02000 T _etext\n"
                           "ffffffff82000000 D after\n"),
              (KernelRange{0xffffffff81000000, 0xffffffff81e02000}));
}

TEST(KernelMap, hidden_or_missing_symbols_give_no_range) {
    EXPECT_EQ(kernel_range(""), std::nullopt);
    EXPECT_EQ(kernel_range("0000000000000000 T _text\n0000000000000000 T _etext\n"), std::nullopt);
    EXPECT_EQ(kernel_range("ffffffff81000000 T _etext\n"), std::nullopt);
    EXPECT_EQ(kernel_range("noise\n\nmore noise"), std::nullopt);
}

TEST(KernelMap, with_hidden_kallsyms_the_given_image_locates_the_kernel) {
    const KernelRange loaded{0x2000, 0x3000}, linked{0x1000, 0x1800};
    EXPECT_EQ(KernelPlace::of(loaded, {})->name, "/proc/kallsyms");
    EXPECT_EQ(KernelPlace::of(loaded, {"/boot/vmlinux", linked})->range, loaded);
    EXPECT_EQ(KernelPlace::of(std::nullopt, {"/boot/vmlinux", linked})->range, linked);
    EXPECT_EQ(KernelPlace::of(std::nullopt, {"/boot/vmlinux", linked})->name, "/boot/vmlinux");
    EXPECT_FALSE(KernelPlace::of(std::nullopt, {"/boot/vmlinux", {}}));
}

TEST(KernelMap, modules_with_a_known_address_are_taken) {
    const auto modules = parse_modules(
        "ext4 1024 2 jbd2, Live 0xffffffffc0800000\n"
        "hidden 4096 0 - Live 0x0000000000000000\n"
        "tainted 8192 0 - Live 0xffffffffc0900000 (OE)\n"
        "cut off\n");
    ASSERT_EQ(modules.size(), 2u);
    EXPECT_EQ(modules[0], (ModuleLine{"ext4", 0xffffffffc0800000, 1024}));
    EXPECT_EQ(modules[1].name, "tainted");
}

TEST(KernelRange, is_two_hexadecimal_addresses_in_order) {
    EXPECT_EQ(parse_kernel_range("0xffffffff81000000,ffffffff82000000"),
              (KernelRange{0xffffffff81000000, 0xffffffff82000000}));
    for (const char* text : {"", "1", "1,", ",1", "2,1", "1,1", "1,2,3", "g,h", "-1,2"})
        EXPECT_THROW(parse_kernel_range(text), Error) << text;
}

}  // namespace op::collect
