// SPDX-License-Identifier: GPL-2.0-or-later
// One row a runtime.
#include "libop/jit/code_switches.h"

#include <algorithm>
#include <span>

namespace op {
namespace {

struct Row {
    std::string_view program;  ///< beginning of the file name; digits, '.' and '-' may follow
    std::string_view advice;
};

constexpr Row rows[] = {
    {"node",
     "run node with --perf-basic-prof, and with --interpreted-frames-native-stack for interpreted functions"},
    {"nodejs",
     "run node with --perf-basic-prof, and with --interpreted-frames-native-stack for interpreted functions"},
    {"deno", "run deno with --v8-flags=--perf-basic-prof"},
    {"chrome", "run it with --js-flags=--perf-basic-prof --no-sandbox"},
    {"java",
     "run java with -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit (Java 17 and newer), or "
     "'jcmd PID Compiler.perfmap' before the profile ends"},
    {"dotnet", "set DOTNET_PerfMapEnabled=1 in its environment"},
    {"python", "run python 3.12 or newer with -X perf"},
    {"ruby", "run ruby with --yjit-perf"},
    {"php", "run php with -d opcache.jit_debug=0x10"},
    {"beam.smp", "run erl with +JPperf true"},
    {"luajit", "build LuaJIT with -DLUAJIT_USE_PERFTOOLS"},
    {"luajit-", "build LuaJIT with -DLUAJIT_USE_PERFTOOLS"},
    {"mono", "run mono with --jitmap"},
    {"mono-sgen", "run mono with --jitmap"},
    {"julia", "set ENABLE_JITPROFILING=1 in its environment"},
    {"wasmtime", "run wasmtime with --profile=perfmap"},
    {"qemu-", "run qemu with -perfmap"},
};

/// Runtimes that keep frame pointers on request only.
constexpr Row frame_pointer_rows[] = {
    {"java", "run java with -XX:+PreserveFramePointer (names do not need it)"},
    {"python", "use a python that is built with -fno-omit-frame-pointer, and run it with -X perf"},
    {"ruby", "run ruby with --yjit-perf"},
    {"beam.smp", "run erl with +JPperf true"},
};

bool is_of(std::string_view program, std::string_view name) {
    if (!program.starts_with(name)) return false;
    if (name.ends_with('-')) return true;
    return std::ranges::all_of(program.substr(name.size()),
                               [](char c) { return (c >= '0' && c <= '9') || c == '.' || c == '-'; });
}

std::string_view advice_for(std::string_view program, std::span<const Row> table) {
    const auto row =
        std::ranges::find_if(table, [&](const Row& each) { return is_of(program, each.program); });
    return row == table.end() ? std::string_view() : row->advice;
}

}  // namespace

std::string_view code_switch(std::string_view program) {
    return advice_for(program, rows);
}

std::string_view frame_pointer_switch(std::string_view program) {
    return advice_for(program, frame_pointer_rows);
}

}  // namespace op
