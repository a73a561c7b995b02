// SPDX-License-Identifier: GPL-2.0-or-later
// Fuzz target: whatever names a profile has, exporting ends; a text format has no control character, and as
// many lines as with harmless names, and a page as many tags. The input is names with NUL bytes between them.
#include <algorithm>
#include <cstdint>

#include "libop/base/gzip.h"
#include "libop/base/text.h"
#include "libpp/export/export_gmon.h"
#include "libpp/export/exporter.h"
#include "libpp/page/write_page.h"
#include "tests/fuzz/hostile_profile.h"

namespace {

using namespace op;
using namespace op::pp;

std::string written(const Exporter& exporter, const fuzz::HostileProfile& made, const std::string& remark) {
    return exporter.write(made.profile, {&made.info, Demangle::smart, {remark}});
}

std::string page_of(const fuzz::HostileProfile& made, const std::string& remark) {
    const std::vector<std::string> events(made.profile.columns.size(), remark);
    const std::vector<CodeRow> code{{1, printable_lines(remark), std::vector<uint64_t>(1, 1)}};
    return write_page({{&made.profile}, {events}},
                      {.title = remark,
                       .facts = {remark},
                       .code = {{made.profile.frames[0], 0, {{remark, code}}, code}}})
        .html;
}

}  // namespace

extern "C" int fuzz_mutations();
extern "C" int fuzz_mutations() {
    return 12;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const fuzz::Names names({reinterpret_cast<const char*>(data), size}), plain = names.harmless();
    const fuzz::HostileProfile hostile(names), harmless(plain);
    for (const Exporter& exporter : exporters()) {
        const std::string file = written(exporter, hostile, names[7]);
        if (!exporter.is_text) {
            fuzz::require(!gunzip(file, "output").empty());
            continue;
        }
        fuzz::require_harmless(file);
        fuzz::require(std::ranges::count(file, '\n') ==
                      std::ranges::count(written(exporter, harmless, plain[7]), '\n'));
    }
    const std::string page = page_of(hostile, names[7]);
    fuzz::require_harmless(page);
    fuzz::require(std::ranges::count(page, '<') == std::ranges::count(page_of(harmless, plain[7]), '<'));
    Diagnostics notes;
    fuzz::require(!export_gmon(hostile.profile, 0, 8, notes).empty());
    return 0;
}
