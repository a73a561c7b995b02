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

TEST(Demangle, a_short_name_that_stands_for_gigabytes_stays) {
    // Each part holds the one before twice, by back references; 15 and 60 parts.
    std::string cpp = "_Z1f1AIiiES_IS0_S0_E", rust = "_RIC1aTmmETB3_B3_E", d = "_D1fFDFiiZi";
    for (const char i : std::string_view("123456789ABCDEF"))
        cpp += std::string("S_IS") + i + "_S" + i + "_E";
    for (const char i : std::string_view("7fnvDLT"))
        rust += std::string("TB") + i + "_B" + i + "_E";
    for (int i = 0; i < 60; ++i) {
        rust += "TB11_B11_E";
        d += i == 0 ? "DFQiQkZi" : "DFQkQmZi";
    }
    for (const std::string& name : {cpp, rust + "E", d + "Zv"})
        EXPECT_EQ(demangle(name, Demangle::normal), name);
}

TEST(Demangle, an_honest_name_may_be_long) {
    std::string mangled = "_Z1f", plain = "f(int";
    for (int i = 0; i < 1000; ++i)
        mangled += "i";
    for (int i = 1; i < 1000; ++i)
        plain += ", int";
    EXPECT_EQ(demangle(mangled + "sss", Demangle::normal), plain + ", short, short, short)");
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
