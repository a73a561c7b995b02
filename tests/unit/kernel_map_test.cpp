// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/source/kernel_map.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "daemon/source/kallsyms_copy.h"
#include "libop/base/error.h"
#include "libop/base/fd.h"
#include "libop/base/gzip.h"
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

TEST(KernelMap, the_code_of_exec_ends_at_the_next_symbol) {
    const std::string text =
        "ffffffff81000000 T _text\n"
        "ffffffff813a1000 t begin_new_exec_else\n"
        "ffffffff813a1200 T begin_new_exec\n"
        "ffffffff813a1a80 T setup_new_exec\n";
    const KernelRange expected{0xffffffff813a1200, 0xffffffff813a1a80};
    // Parts end anywhere between lines.
    for (size_t cut = text.find('\n'); cut != text.npos; cut = text.find('\n', cut + 1)) {
        ExecCodeScan scan;
        scan.take(std::string_view(text).substr(0, cut + 1));
        if (cut + 1 < text.size()) scan.take(std::string_view(text).substr(cut + 1));
        EXPECT_EQ(scan.range(), expected) << cut;
    }
    for (const char* other : {"", "noise\n", "0000000000000000 T begin_new_exec\n0000000000000000 T x\n",
                              "ffffffff813a1200 T begin_new_exec\n",
                              "ffffffff813a1200 T begin_new_exec\nffffffff813a1200 T same\n",
                              "ffffffff813a1200 T begin_new_exec\nffffffffc0001000 t far\t[module]\n"}) {
        ExecCodeScan scan;
        scan.take(other);
        EXPECT_EQ(scan.range(), (KernelRange{0, 0})) << other;
    }
}

TEST(KernelMap, the_code_of_exec_is_known_once_kallsyms_were_read) {
    const Fd file(::memfd_create("kallsyms", MFD_CLOEXEC));
    const std::string_view text =
        "ffffffff81000000 T _text\nffffffff813a1200 T begin_new_exec\nffffffff813a1a80 T setup_new_exec\n"
        "ffffffff81e02000 T _etext\n";
    ASSERT_EQ(::write(file.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
    KallsymsCopy symbols(file);
    EXPECT_EQ(symbols.exec_code(), (KernelRange{0, 0}));
    EXPECT_TRUE(symbols.read());
    const KernelRange exec_code{0xffffffff813a1200, 0xffffffff813a1a80};
    EXPECT_EQ(symbols.exec_code(), exec_code);
    KallsymsCopy ranges(file);
    ranges.keep_ranges_only();
    EXPECT_EQ(ranges.read(), (KernelRange{0xffffffff81000000, 0xffffffff81e02000}));
    EXPECT_EQ(ranges.exec_code(), exec_code);
}

TEST(KernelMap, addresses_of_functions_are_read_whatever_their_digits) {
    const std::string functions =
        "1 t one\nfff T below_a_page\n1000 W page\n1fff w end_of_page\n00002abc t zeros\n"
        "ffffffff81000fff t kernel\nffffffff81001000 t next\nffffffff81001008 t same_page\n";
    const std::string others =
        "ffffffff81001010 d data\nffffffff8100101g t no_digit\nfffffffg81001018 t nor_this\n"
        "0000000000000000 t hidden\n123ffffffff81001018 t too_long\nffffffff81001018\n";
    const Fd file(::memfd_create("kallsyms", MFD_CLOEXEC));
    const std::string text = others + functions + others;
    ASSERT_EQ(::write(file.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
    EXPECT_EQ(gunzip(packed_functions(file), "S"), functions);
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
