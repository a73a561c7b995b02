// SPDX-License-Identifier: GPL-2.0-or-later
#include "libopagent/java_names.h"

#include <gtest/gtest.h>

#include <string>

namespace op::java {
namespace {

std::string method(const char* type, const char* name, const char* signature) {
    Text text;
    append_method(text, type, name, signature);
    return text.c_str();
}

std::string source(const char* type, const char* file) {
    Text text;
    append_source(text, type, file);
    return text.c_str();
}

TEST(JavaNames, are_written_as_in_source) {
    EXPECT_EQ(method("LJ;", "fib", "(I)I"), "int J.fib(int)");
    EXPECT_EQ(method("Ljava/lang/Object;", "<init>", "()V"), "void java.lang.Object.<init>()");
    EXPECT_EQ(method("La/B$C;", "f", "(ZBCSJ)F"), "float a.B$C.f(boolean, byte, char, short, long)");
    EXPECT_EQ(method("LJ;", "f", "([[D[Ljava/lang/String;)[I"), "int[] J.f(double[][], java.lang.String[])");
}

TEST(JavaNames, keep_signatures_that_are_none) {
    for (const char* signature :
         {"", "(", "(I", "(I)", "(Q)V", "(Ljava/lang/String)V", "I)V", "([)V", "()VV", "()["})
        EXPECT_EQ(method("LJ;", "f", signature), std::string("J.f") + signature);
    EXPECT_EQ(method("", "f", "()V"), "void .f()");
    EXPECT_EQ(method("LJ", "f", "()V"), "void LJ.f()");
    EXPECT_EQ(method("LA;LB;", "f", "()V"), "void LA;LB;.f()");
}

TEST(JavaNames, of_source_files_have_the_package) {
    EXPECT_EQ(source("Ljava/util/Map$Entry;", "Map.java"), "java/util/Map.java");
    EXPECT_EQ(source("LJ;", "J.java"), "J.java");
    EXPECT_EQ(source("", "J.java"), "J.java");
}

TEST(JavaNames, may_be_long) {
    const std::string type = "L" + std::string(100'000, 'a') + ";";
    EXPECT_EQ(method(type.c_str(), "f", "()V").size(), 100'000 + std::string("void .f()").size());
}

}  // namespace
}  // namespace op::java
