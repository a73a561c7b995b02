// SPDX-License-Identifier: GPL-2.0-or-later
// Debug files of binaries without build-ids.
#include "libpp/object/debuginfo.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "libop/base/fd.h"
#include "tests/unit/fixtures.h"
#include "tests/unit/temp_dir.h"

namespace op::pp {
namespace {

/// A binary that has a debug link and nothing else.
class Linked final : public ObjectFile {
public:
    std::span<const Section> sections() const override { return {}; }
    std::vector<RawSymbol> symbols(bool) const override { return {}; }
    std::string build_id() const override { return ""; }
    std::optional<DebugLink> debug_link() const override { return DebugLink{"x.debug", 0x12345678}; }
    bool has_debug_info() const override { return false; }
};

}  // namespace

TEST(DebugFile, of_a_debug_link_has_its_checksum) {
    const std::string path = test::fixture("root/usr/bin/demo");
    EXPECT_EQ(debug_file_fault(open_file(path, O_RDONLY), path, Linked()), "its checksum differs");
}

TEST(DebugFile, of_a_terabyte_is_not_summed_up) {
    const test::TempDir dir;
    const std::string path = dir.write("x.debug", read_file(test::fixture("root/usr/bin/demo")));
    std::error_code error;
    std::filesystem::resize_file(path, uint64_t{1} << 40, error);
    if (error) GTEST_SKIP() << "no file of that size here: " << error.message();
    EXPECT_EQ(debug_file_fault(open_file(path, O_RDONLY), path, Linked()),
              "it is larger than 1 GiB, too much for a checksum");
}

TEST(DebugFile, that_is_sparse_is_not_summed_up) {
    const test::TempDir dir;
    const std::string path = dir.write("x.debug", read_file(test::fixture("root/usr/bin/demo")));
    std::filesystem::resize_file(path, uint64_t{64} << 20);
    EXPECT_EQ(debug_file_fault(open_file(path, O_RDONLY), path, Linked()), "it is sparse");
}

}  // namespace op::pp
