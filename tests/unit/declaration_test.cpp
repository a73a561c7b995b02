// SPDX-License-Identifier: GPL-2.0-or-later
// Where functions are declared, in the program of tests/fixtures/inlined.c.
#include <gtest/gtest.h>

#include "libop/base/fd.h"
#include "libpp/object/debuginfo_lines.h"
#include "tests/unit/fixtures.h"

namespace op::pp {
namespace {

constexpr LinkAddress in_twice{0x4000f0}, square_in_start{0x400110}, no_code{0x10};

class Declarations : public ::testing::Test {
protected:
    uint32_t line(LinkAddress at, std::string_view function) {
        const auto found = lines_.declaration(at, function);
        EXPECT_EQ(found ? found->file : "nowhere", "/src/inlined.c");
        return found ? found->line : 0;
    }
    const std::string path_ = test::fixture("root/usr/bin/inlined");
    const MappedFile file_{open_regular(path_), path_};
    LineTable lines_{file_.bytes()};
};

}  // namespace

TEST_F(Declarations, are_those_of_the_function_that_has_the_name) {
    EXPECT_EQ(line(in_twice, "twice"), 20u);
    EXPECT_EQ(line(square_in_start, "_start"), 26u);
    EXPECT_EQ(line(square_in_start, "square"), 6u);
}

TEST_F(Declarations, of_another_name_are_those_of_the_function_that_contains_the_code) {
    EXPECT_EQ(line(square_in_start, "alias_of_start"), 26u);
    EXPECT_EQ(line(in_twice, ""), 20u);
}

TEST_F(Declarations, are_none_outside_of_functions) {
    EXPECT_FALSE(lines_.declaration(no_code, "twice"));
}

}  // namespace op::pp
