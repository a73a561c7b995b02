// SPDX-License-Identifier: GPL-2.0-or-later
// What calls a function, and what it calls. Plain data.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "libop/session/sample_path.h"
#include "utils/optop/live_rows.h"

namespace op::tool {

/// A function of a tree of callers or callees, which is listed from the top: what is below a line follows it
/// and is one deeper.
struct CallLine {
    unsigned depth;           ///< 0: calls the function, or is called by it
    std::string name, image;  ///< as recorded: not safe for a terminal
    uint64_t samples;         ///< with what it called, on the way to the function or from it
};

/// The calls of a function since the recording began.
struct RowCalls {
    uint64_t samples = 0;  ///< of the function and what it called
    uint64_t self = 0;     ///< of its own code
    std::vector<CallLine> callers = {}, callees = {};
    std::string remark = {};  ///< why something is missing; empty = nothing is
};

/// A function in a session.
struct CalledFunction {
    SampleClass event;
    ImageName image, app;
    ImageOffset start;  ///< in the image, as the symbolizer places it
};

/// Reads the calls of a function.
using CallsOf = std::function<RowCalls(const CalledFunction&)>;

}  // namespace op::tool
