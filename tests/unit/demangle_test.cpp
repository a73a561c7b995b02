// SPDX-License-Identifier: GPL-2.0-or-later
#include "libpp/object/demangle.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "libpp/object/demangle_effort.h"
#include "tests/unit/fixtures.h"

namespace op::pp {

TEST(Demangle, knows_cpp_rust_and_d) {
    EXPECT_EQ(demangle("_ZN3foo3barEi", Demangle::normal), "foo::bar(int)");
    EXPECT_EQ(demangle("._ZN3foo3barEi", Demangle::normal), "foo::bar(int)");
    EXPECT_EQ(demangle("_RNvC5crate4main", Demangle::normal), "crate::main");
    EXPECT_EQ(demangle("_ZN4core3fmt5write17h0123456789abcdefE", Demangle::normal), "core::fmt::write");
    EXPECT_EQ(demangle("_D3std5stdio7writelnFZv", Demangle::normal), "std.stdio.writeln()");
}

TEST(Demangle, of_a_stub_is_that_of_its_function) {
    EXPECT_EQ(demangle("_Znwm@plt", Demangle::normal), "operator new(unsigned long)@plt");
    EXPECT_EQ(demangle("_ZNSt6vectorIiSaIiEE5clearEv@plt", Demangle::smart), "vector<int>::clear()@plt");
    for (const char* name : {"read@plt", "_Znwm@plt@plt", "@plt"})
        EXPECT_EQ(demangle(name, Demangle::normal), name);
    EXPECT_EQ(demangle("_Znwm@plt", Demangle::none), "_Znwm@plt");
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

TEST(Demangle, a_short_name_that_expands_to_gigabytes_stays_mangled) {
    // Each part holds the one before twice, by back references.
    const std::string cpp =
        "_Z1f1AIiiES_IS0_S0_ES_IS1_S1_ES_IS2_S2_ES_IS3_S3_ES_IS4_S4_ES_IS5_S5_ES_IS6_S6_ES_IS7_S7_ES_IS8_S8_E"
        "S_IS9_S9_ES_ISA_SA_ES_ISB_SB_ES_ISC_SC_ES_ISD_SD_E";
    const std::string rust =
        "_RIC1aTmmETB3_B3_ETB7_B7_ETBf_Bf_ETBn_Bn_ETBv_Bv_ETBD_BD_ETBL_BL_ETBT_BT_ETB11_B11_ETB19_B19_E"
        "TB1j_B1j_ETB1t_B1t_ETB1D_B1D_ETB1N_B1N_EE";
    std::string d = "_D1fFDFiiZiDFQiQkZi";
    for (int i = 0; i < 40; ++i)
        d += "DFQkQmZi";
    for (const std::string& name : {cpp, rust, d + "Zv"})
        EXPECT_EQ(demangle(name, Demangle::normal), name);
    const auto some = [](const std::string& name, size_t size, const char* end) {
        return demangle(name.substr(0, size) + end, Demangle::normal);
    };
    EXPECT_EQ(some(cpp, 20, ""), "f(A<int, int>, A<A<int, int>, A<int, int> >)");
    EXPECT_EQ(some(rust, 18, "E"), "a::<(u32, u32), ((u32, u32), (u32, u32))>");
    EXPECT_EQ(some(d, 19, "Zv"),
              "f(int(int, int) delegate, int(int(int, int) delegate, int(int, int) delegate) delegate)");
}

namespace {

std::string repeated(const char* text, int times) {
    std::string result;
    for (int i = 0; i < times; ++i)
        result += text;
    return result;
}

}  // namespace

// Any of these would take years.
TEST(Demangle, a_short_name_that_takes_exponential_time_stays_mangled) {
    std::string searched = "_ZTCPFv1AIiiE";  // printed first: a pack expansion of the last type
    for (const char digit : std::string("0123456789ABCDEFGHIJKLMNOPQRSTUVWXY"))
        searched += std::string("S_IS") + digit + "_S" + digit + "_E";
    for (const std::string& name : {"_ZN1acv" + repeated("T_I", 60) + "i" + repeated("E", 60) + "E",
                                    "_Z" + repeated("N1acvT_I", 60) + "i" + repeated("EE", 60),
                                    searched + "E0_DpSZ_", std::string("_RNvMIC1aFGZZZZZZZZZZ_EuEu1b"),
                                    "_D1a" + repeated("FC1a", 60), "_D1a" + repeated("FC1a", 60) + "Zv"})
        EXPECT_EQ(demangle(name, Demangle::normal), name);
    EXPECT_EQ(demangle("_RNvMIC1aFG_EuEu1b", Demangle::normal), "<()>::b");
    EXPECT_EQ(demangle("_ZN1acvT_I1BIiEEEv", Demangle::normal), "a::operator B<int><B<int> >()");
    EXPECT_EQ(demangle("_D1aFC1aFC1aZvZv", Demangle::normal), "a(a(a), void)");
}

// Hundreds of megabytes, which would be refused only when they are there.
TEST(Demangle, effort_on_d_names_includes_the_length_of_what_is_repeated) {
    const auto name = [](size_t identifier, int times) {
        const std::string size = std::to_string(identifier);
        return "_D1fFDFC" + size + std::string(identifier, 'x') + "iZiDFQNiQNkZi" +
               repeated("DFQkQmZi", times) + "Zv";
    };
    EXPECT_TRUE(is_cheap_d_name(name(9, 6)));
    EXPECT_FALSE(is_cheap_d_name(name(9000, 6)));
    EXPECT_FALSE(is_cheap_d_name(name(9, 14)));
}

TEST(DemangleEffort, is_judged_in_time_of_any_name) {
    constexpr size_t length = 4 << 20;  // would take hours if each number were read from each of its digits
    for (const char repeated : {'1', 'Q', 'G', '0'}) {
        const std::string name(length, repeated);
        EXPECT_FALSE(is_cheap_d_name("_D" + name) && is_cheap_rust_name("_R" + name)) << repeated;
    }
}

TEST(Demangle, a_capital_g_in_a_rust_identifier_declares_no_lifetimes) {
    for (const char* part : {"GnQ3l9", "FGnQ3l9", "DGnQ3l9", "FGZZZZZZZZ"}) {
        const std::string hash = std::string("Csjr") + part;
        EXPECT_EQ(demangle("_RNvNt" + hash + "_3std2rt4spin", Demangle::normal), "std::rt::spin") << part;
    }
    EXPECT_EQ(demangle("_RNvCs6xxl1lAjzDf_1a14GetRegistry_fn", Demangle::normal), "a::GetRegistry_fn");
    EXPECT_EQ(demangle("_RNvCs6xxl1lAjzDf_1a15DGetRegistry_fn", Demangle::normal), "a::DGetRegistry_fn");
    EXPECT_EQ(demangle("_RINvC1a1fFG_RL0_hEuE", Demangle::normal), "a::f::<for<'a> fn(&'a u8)>");
    EXPECT_EQ(demangle("_RINvC1a1fDG_NtC1b5TraitEL_E", Demangle::normal), "a::f::<dyn for<'a> b::Trait>");
}

/// tests/fixtures/names/rust: of the Rust 1.63 compiler, mostly with a capital G in an identifier or a hash.
TEST(Demangle, reads_the_names_of_a_rust_compiler) {
    std::ifstream names(test::fixture("names/rust"));
    int count = 0;
    for (std::string name; std::getline(names, name); ++count)
        EXPECT_FALSE(demangle(name, Demangle::normal).starts_with("_R")) << name;
    EXPECT_EQ(count, 100);
}

// Each would count to 62^10.
TEST(Demangle, lifetimes_of_a_rust_name_are_found_where_they_are_declared) {
    for (const char* declared :
         {"FGZZZZZZZZZZ_EuE", "DGZZZZZZZZZZ_EL_E", "TFGZZZZZZZZZZ_EuEE", "AFGZZZZZZZZZZ_Euj1_E"})
        EXPECT_FALSE(is_cheap_rust_name(std::string("_RINvC1a1f") + declared)) << declared;
    EXPECT_FALSE(is_cheap_rust_name("_RNvXFGZZZZZZZZZZ_EuNtC1a1bNtC1c1d1f")) << "not of the grammar";
    EXPECT_FALSE(is_cheap_rust_name("_RINvC1a17fFGZZZZZZZZZZ_EuEBa_E"))
        << "a reference leads into an identifier";
    EXPECT_TRUE(is_cheap_rust_name("_RINvC1a17fFGZZZZZZZZZZ_EuEB2_E"));
    // A constant of a kind that Rust has had since: not of the grammar.
    EXPECT_TRUE(is_cheap_rust_name("_RINvC1a14GetRegistry_fnKe616263_E"));
    constexpr size_t deep = 4 << 20;  // no stack has room for so many nested parts
    for (const char nested : {'S', 'T', 'Y'})
        EXPECT_TRUE(is_cheap_rust_name("_R" + std::string(deep, nested))) << nested;
    EXPECT_TRUE(is_cheap_rust_name("_RINvC1a1f" + std::string(deep, 'S')));
}

TEST(Demangle, cv_in_an_identifier_is_no_conversion_operator) {
    const std::string arguments = repeated("T_IiE", 20);
    EXPECT_TRUE(is_cheap_cpp_name("_ZN2cv4recvI" + arguments + "EEvv"));
    EXPECT_TRUE(is_cheap_cpp_name("_ZNK2cv3MatIS_S1_T_E4recvB5cxx11I" + arguments + "EEvi"));
    EXPECT_FALSE(is_cheap_cpp_name("_ZN1acv" + arguments + "E"));
    // Digits that are no length of an identifier hide no operator behind them.
    for (const char* digits : {"C2", "Li9E", "A9_", "L1x9", "aS12_99", "TC9_", "v19", "Ul9E9_"})
        EXPECT_FALSE(is_cheap_cpp_name("_ZN1a" + std::string(digits) + "cv" + arguments + "E")) << digits;
    EXPECT_FALSE(is_cheap_cpp_name("_ZN1a999cv" + arguments + "E")) << "it is not that long";
    EXPECT_FALSE(is_cheap_cpp_name("cv" + arguments));
}

TEST(Demangle, constructors_of_a_file_have_the_name_of_its_key_function) {
    EXPECT_EQ(demangle("_GLOBAL__I__ZN1a1bEi", Demangle::normal), "global constructors keyed to a::b(int)");
    EXPECT_EQ(demangle("_GLOBAL__D_main", Demangle::normal), "global destructors keyed to main");
    EXPECT_EQ(demangle("_GLOBAL__I__ZN1a1bEi", Demangle::none), "_GLOBAL__I__ZN1a1bEi");
    for (const char* name : {"_GLOBAL__sub_I_main", "_GLOBAL__I_", "_GLOBAL__X_main", "_GLOBAL_"})
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
        "map<int, __cxx11::string>");
    EXPECT_EQ(shorten("f<, allocator<"), "f<, allocator<") << "unbalanced names are left alone";
}

}  // namespace op::pp
