// SPDX-License-Identifier: GPL-2.0-or-later
// Profile specifications: a word a line. What parses must be unchanged by a word that restricts nothing.
#include <cstdint>
#include <cstdlib>

#include "libop/base/error.h"
#include "libop/base/text.h"
#include "libpp/profile/profile_spec.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    std::vector<std::string> words;
    for (std::string_view rest(reinterpret_cast<const char*>(data), size); !rest.empty();)
        words.emplace_back(op::take_line(rest));
    try {
        auto spec = op::pp::parse_profile_spec(words);
        if (spec.sessions.empty()) std::abort();
        words.push_back("cpu:all,fuzz");
        spec.cpus.clear();
        if (op::pp::parse_profile_spec(words) != spec) std::abort();
    } catch (const op::Error&) {
    }
    return 0;
}
