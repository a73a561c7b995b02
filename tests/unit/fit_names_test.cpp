// SPDX-License-Identifier: GPL-2.0-or-later
#include "libpp/report/fit_names.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace op::pp {

namespace {

using Forms = std::vector<std::string>;
using Names = std::map<std::string, std::string>;

/// How the names are shown, each with that room; checks that they fit and that no two are the same.
Names shown(const std::vector<std::string>& names, size_t room) {
    std::map<std::string, size_t> room_by_name;
    for (const std::string& name : names)
        room_by_name[name] = room;
    const Names result = fit_names(room_by_name);
    std::set<std::string> distinct;
    for (const auto& [name, text] : result) {
        EXPECT_LE(columns_of(text), room) << name;
        EXPECT_TRUE(distinct.insert(text).second) << text;
    }
    EXPECT_EQ(result.size(), room_by_name.size());
    return result;
}

constexpr const char* insert_name =
    "std::_Rb_tree<int, std::pair<int const, long>, std::_Select1st<std::pair<int const, long> > >::"
    "_M_insert(int, long)";

}  // namespace

TEST(ShortForms, arguments_go_before_parameters_and_namespaces) {
    EXPECT_EQ(short_forms(insert_name),
              (Forms{insert_name, "std::_Rb_tree<…>::_M_insert(int, long)", "std::_Rb_tree<…>::_M_insert",
                     "_Rb_tree<…>::_M_insert", "_M_insert"}));
}

TEST(ShortForms, result_type_and_qualifiers_go) {
    EXPECT_EQ(short_forms("std::map<int, int>::iterator find<int>(int const&) const"),
              (Forms{"std::map<int, int>::iterator find<int>(int const&) const",
                     "std::map<…>::iterator find<…>(int const&) const", "std::map<…>::iterator find<…>",
                     "find<…>"}));
}

TEST(ShortForms, brackets_of_operators_are_no_arguments) {
    EXPECT_EQ(short_forms("ns::operator<< <char>(ns::A<int>&)").back(), "operator<< <…>");
    EXPECT_EQ(short_forms("A<int>::operator()(int) const").back(), "operator()");
    EXPECT_EQ(short_forms("A<int>::operator->() const").back(), "operator->");
    EXPECT_EQ(short_forms("A<int>::operator bool() const").back(), "operator bool");
    EXPECT_EQ(short_forms("bool operator< <int>(A<int> const&, A<int> const&)").back(), "operator< <…>");
}

TEST(ShortForms, lambdas_and_unnamed_namespaces_are_components) {
    EXPECT_EQ(short_forms("(anonymous namespace)::run(int)"),
              (Forms{"(anonymous namespace)::run(int)", "(anonymous namespace)::run", "run"}));
    EXPECT_EQ(
        short_forms("sum<int>(int)::{lambda(long)#1}::operator()(long) const"),
        (Forms{"sum<int>(int)::{lambda(long)#1}::operator()(long) const",
               "sum<…>(int)::{lambda(long)#1}::operator()(long) const",
               "sum<…>(…)::{lambda(long)#1}::operator()", "{lambda(long)#1}::operator()", "operator()"}));
}

TEST(ShortForms, rust_names_keep_their_method) {
    EXPECT_EQ(short_forms("<alloc::vec::Vec<T> as core::ops::Drop>::drop"),
              (Forms{"<alloc::vec::Vec<T> as core::ops::Drop>::drop", "<…>::drop", "drop"}));
}

TEST(ShortForms, java_names_keep_their_method) {
    constexpr const char* prepend = "long java.lang.StringConcatHelper.prepend(long, byte[], int)";
    EXPECT_EQ(
        short_forms(prepend),
        (Forms{prepend, "long java.lang.StringConcatHelper.prepend", "java.lang.StringConcatHelper.prepend",
               "lang.StringConcatHelper.prepend", "StringConcatHelper.prepend", "prepend"}));
    EXPECT_EQ(shown({prepend, "long java.lang.StringConcatHelper.prepend(long, char)"}, 30),
              (Names{{prepend, "prepend [byte[], int]"},
                     {"long java.lang.StringConcatHelper.prepend(long, char)", "prepend [char]"}}));
    constexpr const char* initializer = "void java.lang.Class.<clinit>()";
    EXPECT_EQ(short_forms(initializer),
              (Forms{initializer, "void java.lang.Class.<clinit>", "java.lang.Class.<clinit>",
                     "lang.Class.<clinit>", "Class.<clinit>", "<clinit>"}));
    EXPECT_EQ(short_forms("fetch.constprop.0"), Forms{"fetch.constprop.0"});
    constexpr const char* expression = "RegExp:^(foo|bar)\\.bazz.*(quux)+$";
    EXPECT_EQ(short_forms(expression).back().substr(0, 8), "RegExp:^");
}

TEST(ShortForms, go_names_keep_their_method) {
    EXPECT_EQ(short_forms("main.(*T).write"), (Forms{"main.(*T).write", "(*T).write", "write"}));
    EXPECT_EQ(short_forms("example.org/foo/bar.(*Server).handle"),
              (Forms{"example.org/foo/bar.(*Server).handle", "foo/bar.(*Server).handle",
                     "bar.(*Server).handle", "(*Server).handle", "handle"}));
    EXPECT_EQ(short_forms("net/http.HandlerFunc.ServeHTTP").back(), "ServeHTTP");
    EXPECT_EQ(short_forms("/usr/lib/x.so"), Forms{"/usr/lib/x.so"});
}

TEST(ShortForms, the_mark_of_a_clone_stays) {
    EXPECT_EQ(short_forms("ns::work(int) [clone .cold]"),
              (Forms{"ns::work(int) [clone .cold]", "ns::work [clone .cold]", "work [clone .cold]"}));
}

TEST(ShortForms, names_with_brackets_that_do_not_match_have_one_form) {
    for (const char* const name :
         {"", "a<b", "a>b(", "x)", "f(a<b)", "[no symbol]", "[0x1234]", "a_function"})
        EXPECT_EQ(short_forms(name).front(), name);
    EXPECT_EQ(short_forms("a<b"), Forms{"a<b"});
    EXPECT_EQ(short_forms("a(b"), Forms{"a(b"});
    EXPECT_EQ(short_forms("a_function"), Forms{"a_function"});
    for (const char* const name : {"anonymous symbol from section .plt", "anon (tgid:17 range:0x7f-0x80)"})
        EXPECT_EQ(short_forms(name), Forms{name});
}

TEST(FitNames, the_first_form_that_fits_is_shown) {
    EXPECT_EQ(shown({insert_name}, 200).at(insert_name), insert_name);
    EXPECT_EQ(shown({insert_name}, 40).at(insert_name), "std::_Rb_tree<…>::_M_insert(int, long)");
    EXPECT_EQ(shown({insert_name}, 30).at(insert_name), "std::_Rb_tree<…>::_M_insert");
    EXPECT_EQ(shown({insert_name}, 12).at(insert_name), "_M_insert");
    EXPECT_EQ(shown({insert_name}, 8).at(insert_name), "_M_in...");
}

TEST(FitNames, arguments_that_distinguish_two_names_are_shown) {
    const std::string a = "std::vector<int, std::allocator<int> >::push_back(int&&)",
                      b = "std::vector<Order, std::allocator<Order> >::push_back(Order&&)";
    const Names names = shown({a, b}, 50);
    EXPECT_EQ(names.at(a), "std::vector<…>::push_back(int&&)");
    EXPECT_EQ(names.at(b), "std::vector<…>::push_back(Order&&)");
    const Names narrow = shown({a, b}, 31);
    EXPECT_EQ(narrow.at(a), "push_back [int, std::alloca...]");
    EXPECT_EQ(narrow.at(b), "push_back [Order, std::allo...]");
    const Names overloads = shown({"OrderBook::lookup(int)", "OrderBook::lookup(long)"}, 20);
    EXPECT_EQ(overloads.at("OrderBook::lookup(int)"), "lookup [int]");
    EXPECT_EQ(overloads.at("OrderBook::lookup(long)"), "lookup [long]");
}

TEST(FitNames, long_names_without_parts_differ_where_they_do) {
    const std::string prefix = "a_function_with_a_rather_long_name_that_ends_in_";
    const Names names = shown({prefix + "alpha", prefix + "beta"}, 20);
    for (const auto& [name, text] : names)
        EXPECT_TRUE(text.starts_with("a_fun") || text.starts_with("…")) << text;
    shown({prefix + "alpha", prefix + "beta", prefix, prefix + "alphabet"}, 12);
}

TEST(FitNames, a_short_form_is_not_the_whole_name_of_another) {
    const Names names = shown({"work", "some::name_space::work(int)"}, 8);
    EXPECT_EQ(names.at("work"), "work");
    EXPECT_NE(names.at("some::name_space::work(int)"), "work");
}

TEST(FitNames, a_thousand_names_in_little_room_all_differ) {
    std::vector<std::string> names;
    for (int i = 0; i < 1000; ++i)
        names.push_back("std::map<key<" + std::to_string(i) + ">, std::less<> >::find(key<" +
                        std::to_string(i % 7) + "> const&)");
    for (const size_t room : {12, 20, 33, 60})
        shown(names, room);
}

TEST(FitNames, foreign_names_of_any_length_are_only_cut) {
    std::vector<std::string> names;
    for (int i = 0; i < 20; ++i)
        names.push_back(std::string(32000, '(') + std::string(32000, i % 2 ? 'x' : ')') + std::to_string(i));
    for (const auto& [name, text] : shown(names, 40))
        EXPECT_EQ(short_forms(name), Forms{name});
    const std::string in_scope = "a::" + std::string(4096, 'b');
    EXPECT_EQ(short_forms(in_scope), Forms{in_scope});
    EXPECT_EQ(short_forms(in_scope.substr(0, 4096)).size(), 2u);
}

TEST(FitNames, twenty_thousand_names_of_the_same_text_are_numbered_one_by_one) {
    std::vector<std::string> names{"f<Z>::g(int)"};
    for (int i = 10000; i < 30000; ++i)
        names.push_back("f<" + std::string(40, 'a') + std::to_string(i) + ">::g(int)");
    std::set<std::string> texts;
    for (const auto& [name, text] : shown(names, 12))
        texts.insert(text);
    for (const char* const number : {" #2", " #9", " #10", " #999", " #20000"})
        EXPECT_EQ(std::ranges::count_if(texts, [&](const auto& text) { return text.ends_with(number); }), 1)
            << number;
}

TEST(CutText, counts_characters_not_bytes) {
    EXPECT_EQ(cut_text("\u00e4\u00e4\u00e4\u00e4\u00e4", 5), "\u00e4\u00e4\u00e4\u00e4\u00e4");
    EXPECT_EQ(cut_text("\u00e4\u00e4\u00e4\u00e4\u00e4", 4), "\u00e4...");
    EXPECT_EQ(cut_text("abcdef", 2), "..");
}

}  // namespace op::pp
