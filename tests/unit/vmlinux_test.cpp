// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/source/vmlinux.h"

#include <gtest/gtest.h>

#include "libop/base/fd.h"
#include "tests/unit/faults.h"
#include "tests/unit/fixtures.h"
#include "tests/unit/temp_dir.h"

namespace op::collect {
namespace {

using test::contains;
using test::fault;
using test::fixture;

std::string refusal(const std::string& path) {
    Diagnostics notes;
    return fault(ErrorKind::usage, [&] { read_vmlinux(path, "", notes); });
}

}  // namespace

TEST(Vmlinux, a_kernel_image_contains_its_link_address) {
    Diagnostics notes;
    const auto kernel = read_vmlinux(fixture("root/boot/vmlinux"), "", notes);
    EXPECT_TRUE(kernel.path.starts_with('/'));
    EXPECT_EQ(kernel.range, (KernelRange{0xffffffff81000000, 0xffffffff81000043}));
    EXPECT_TRUE(notes.warnings().empty());
}

TEST(Vmlinux, other_files_are_refused) {
    const test::TempDir dir;
    EXPECT_TRUE(contains(refusal(fixture("root/usr/bin/demo")), "neither symbol _text nor _stext"));
    EXPECT_TRUE(contains(refusal(dir.write("text", "no ELF")), "no ELF file"));
    EXPECT_TRUE(contains(refusal(dir.write("empty", "")), "no ELF file"));
}

}  // namespace op::collect
