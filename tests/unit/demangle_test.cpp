// SPDX-License-Identifier: GPL-2.0-or-later
#include "libpp/demangle.h"

#include <gtest/gtest.h>

namespace op::pp {

TEST(Demangle, knows_cpp_rust_and_d) {
    EXPECT_EQ(demangle("_ZN3foo3barEi", Demangle::normal), "foo::bar(int)");
    EXPECT_EQ(demangle("._ZN3foo3barEi", Demangle::normal), "foo::bar(int)");
    EXPECT_EQ(demangle("_RNvC5crate4main", Demangle::normal), "crate::main");
    EXPECT_EQ(demangle("_ZN4core3fmt5write17h0123456789abcdefE", Demangle::normal), "core::fmt::write");
    EXPECT_EQ(demangle("_D3std5stdio7writelnFZv", Demangle::normal), "std.stdio.writeln()");
}

TEST(Demangle, leaves_alone_what_is_not_mangled_or_not_wanted) {
    for (const char* name : {"main", "_start", "_", "", "_Zxyz", "__libc_start_main", "[0x1234]"})
        EXPECT_EQ(demangle(name, Demangle::normal), name);
    EXPECT_EQ(demangle("_ZN3foo3barEi", Demangle::none), "_ZN3foo3barEi");
}

TEST(Demangle, a_hostile_name_costs_little_and_stays) {
    const std::string longest = "_Z" + std::string(100'000, 'P');
    EXPECT_EQ(demangle(longest, Demangle::normal), longest);
    demangle("_Z1f" + std::string(16'000, 'P') + "i", Demangle::normal);
    demangle("_Z" + std::string(8'000, 'S') + std::string(8'000, '_'), Demangle::normal);
}

TEST(Demangle, smart_shortens_the_standard_library) {
    EXPECT_EQ(demangle("_ZNSt6vectorIiSaIiEE9push_backERKi", Demangle::smart),
              "vector<int>::push_back(int const&)");
    EXPECT_EQ(
        shorten(
            "std::map<int, std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >, "
            "std::less<int>, std::allocator<std::pair<int const, int> > >"),
        "map<int, string>");
    EXPECT_EQ(shorten("f<, allocator<"), "f<, allocator<") << "unbalanced names are left alone";
}

}  // namespace op::pp
