// SPDX-License-Identifier: LGPL-2.1-or-later
// Source lines of one compiled Java method. Runs inside the virtual machine: needs no C++ run-time library
// and throws nothing.
#pragma once

#include <jvmti.h>
#include <stdint.h>

#include "libopagent/opagent.h"

namespace op::java {

struct MethodSource;

/// Not thread-safe. Keeps the sources of the methods that it has met, also of inlined ones.
class LineTable {
public:
    /// Longer tables are cut.
    static constexpr size_t most_lines = 65536;

    explicit LineTable(jvmtiEnv* environment) : environment_(environment) {}
    LineTable(const LineTable&) = delete;
    LineTable& operator=(const LineTable&) = delete;
    ~LineTable();

    /// Lines of the code in [start, start + size), sorted by address, the first one where a line is first
    /// known: of inlined methods where `compile_info` has them, else those of the method itself by `map`.
    /// Line 0: not known from there on.
    void fill(jmethodID method, uintptr_t start, size_t size, const jvmtiAddrLocationMap* map,
              jint map_length, const void* compile_info);
    const debug_line_info* lines() const { return lines_; }
    size_t size() const { return size_; }

private:
    void fill_from_inlining(uintptr_t start, size_t size, const void* record);
    void add(uintptr_t address, jmethodID method, jlocation location);
    const MethodSource* source_of(jmethodID method);

    jvmtiEnv* environment_;
    MethodSource* sources_ = nullptr;  ///< a list
    debug_line_info* lines_ = nullptr;
    size_t size_ = 0, capacity_ = 0;
};

}  // namespace op::java
