// SPDX-License-Identifier: GPL-2.0-or-later
// Fuzz target: any text may be the name of a symbol: demangling it ends, and the result has a bounded length.
#include <cstdint>
#include <cstdlib>

#include "libop/base/text.h"
#include "libpp/object/demangle.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using op::pp::Demangle;
    constexpr size_t longest_result = (64 << 10) + 4;  // "@plt" stays
    for (std::string_view rest(reinterpret_cast<const char*>(data), size); !rest.empty();) {
        const std::string_view name = op::take_line(rest);
        const std::string plain = op::pp::demangle(name, Demangle::normal);
        if (plain != name && plain.size() > longest_result) std::abort();
        if (op::pp::demangle(name, Demangle::smart).size() > std::max(plain.size(), name.size()))
            std::abort();
        if (op::pp::demangle(name, Demangle::none) != name) std::abort();
    }
    return 0;
}
