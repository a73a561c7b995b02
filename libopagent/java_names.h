// SPDX-License-Identifier: LGPL-2.1-or-later
// Names of Java methods as people write them. Runs inside other people's programs: needs no C++ run-time
// library and throws nothing.
// Format of the names that the virtual machine has: The Java Virtual Machine Specification, 4.3.
#pragma once

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

namespace op::java {

/// A text that grows. Without memory it stays as it is.
class Text {
public:
    Text() = default;
    Text(const Text&) = delete;
    Text& operator=(const Text&) = delete;
    ~Text() { free(chars_); }

    void append(const char* from, size_t size) {
        if (!has_room(size)) return;
        memcpy(chars_ + size_, from, size);
        size_ += size;
        chars_[size_] = '\0';
    }
    void append(const char* text) { append(text, strlen(text)); }
    void append(char one) { append(&one, 1); }
    const char* c_str() const { return chars_ ? chars_ : ""; }
    size_t size() const { return size_; }
    /// Gives the text to the caller, who must call free() on it, and is empty afterwards. nullptr = no text.
    char* release() {
        char* const chars = chars_;
        chars_ = nullptr;
        size_ = capacity_ = 0;
        return chars;
    }

private:
    bool has_room(size_t more) {
        if (size_ + more < capacity_) return true;
        const size_t capacity = (size_ + more + 1) * 2;
        char* const grown = static_cast<char*>(realloc(chars_, capacity));
        if (!grown) return false;
        chars_ = grown;
        capacity_ = capacity;
        return true;
    }

    char* chars_ = nullptr;
    size_t size_ = 0, capacity_ = 0;
};

/// "Ljava/util/Map$Entry;" becomes "java.util.Map$Entry"; what is no name of a class is kept as it is.
void append_class(Text& to, const char* signature);

/// "LJ;", "fib" and "(I[Ljava/lang/String;)V" become "void J.fib(int, java.lang.String[])". A signature that
/// is not understood follows the name as it is.
void append_method(Text& to, const char* class_signature, const char* name, const char* signature);

/// The path of a class's source file, as below a directory of sources: "Ljava/util/Map$Entry;" and "Map.java"
/// become "java/util/Map.java".
void append_source(Text& to, const char* class_signature, const char* file);

}  // namespace op::java
