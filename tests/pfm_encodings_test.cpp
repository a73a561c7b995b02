// SPDX-License-Identifier: GPL-2.0-or-later
// What we write into x86 event select registers is what libpfm4 would write,
// for every event that both know by name. So is what the driver writes for
// NetBurst, whose events take other registers, but for unit masks. Without
// libpfm4 the test is skipped.
#include <cstdio>

#if !__has_include(<perfmon/pfmlib.h>)

int main() {
    std::puts("skipped: no libpfm4 here (libpfm4-dev)");
    return 77;
}

#else

#include <perfmon/pfmlib.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/op_p4_encode.h"
#include "libop/base/error.h"
#include "libop/events/event_catalogue.h"

namespace op {

namespace {

/// Bits of a select word that say who is counted and that it counts: USR, OS,
/// INT, EN.
constexpr uint64_t control_bits = 1u << 16 | 1u << 17 | 1u << 20 | 1u << 22;
constexpr uint64_t unit_mask_bits = 0xff00;
/// Fewer comparisons than this mean that the test looks at nothing.
constexpr size_t fewest_comparisons = 4000;
constexpr size_t fewest_precise = 250;
constexpr size_t fewest_of_netburst = 34;

/// An event that libpfm has by another name.
struct Alias {
    std::string_view ours, theirs;
};
constexpr Alias aliases[] = {
    {"CPU_CLK_UNHALTED", "CPU_CLK_THREAD_UNHALTED"},
    {"CPU_CLK_UNHALTED", "CYCLES_NOT_IN_HALT"},
    {"LLC_REFS", "LLC_REFERENCES"},
    {"BR_MISS_PRED_RETIRED", "MISPREDICTED_BRANCH_RETIRED"},
    {"DATA_CACHE_REFILLS_FROM_L2", "DATA_CACHE_REFILLS"},
    {"DATA_CACHE_REFILLS_FROM_L2_OR_NORTHBRIDGE", "DATA_CACHE_REFILLS"},
    {"DATA_CACHE_REFILLS_FROM_L2_OR_SYSTEM", "DATA_CACHE_REFILLS"},
    {"DATA_CACHE_WRITEBACKS", "DATA_CACHE_LINES_EVICTED"},
    {"DISPATCHED_FPU_OPS", "DISPATCHED_FPU"},
    {"DRAM_ACCESSES", "DRAM_ACCESSES_PAGE"},
    {"FAST_FPU_OPS", "DISPATCHED_FPU_OPS_FAST_FLAG"},
    {"HARDWARE_INTERRUPTS", "INTERRUPTS_TAKEN"},
    {"ICACHE_FETCHES", "INSTRUCTION_CACHE_FETCHES"},
    {"ICACHE_MISSES", "INSTRUCTION_CACHE_MISSES"},
    {"INTERRUPTS_MASKED", "INTERRUPTS_MASKED_CYCLES"},
    {"INTERRUPTS_MASKED_PENDING", "INTERRUPTS_MASKED_CYCLES_WITH_INTERRUPT_PENDING"},
    {"L1_AND_L2_DTLB_MISSES", "L1_DTLB_AND_L2_DTLB_MISS"},
    {"L1_AND_L2_ITLB_MISSES", "L1_ITLB_MISS_AND_L2_ITLB_MISS"},
    {"L1_DTLB_MISSES_L2_DTLB_HITS", "L1_DTLB_MISS_AND_L2_DTLB_HIT"},
    {"L1_DTLB_MISS_AND_L2_DTLB_MISS", "L1_DTLB_AND_L2_DTLB_MISS"},
    {"L1_ITLB_MISSES_L2_ITLB_HITS", "L1_ITLB_MISS_AND_L2_ITLB_HIT"},
    {"L2_CACHE_FILL_WRITEBACK", "L2_FILL_WRITEBACK"},
    {"LS_BUFFER_2_FULL", "LS_BUFFER_2_FULL_CYCLES"},
    {"MISALIGNED_DATA_REFS", "MISALIGNED_ACCESSES"},
    {"NO_FPU_OPS", "CYCLES_NO_FPU_OPS_RETIRED"},
    {"RETIRED_BRANCHES", "RETIRED_BRANCH_INSTRUCTIONS"},
    {"RETIRED_BRANCHES_MISPREDICTED", "RETIRED_MISPREDICTED_BRANCH_INSTRUCTIONS"},
    {"RETIRED_INSNS", "RETIRED_INSTRUCTIONS"},
    {"RETIRED_OPS", "RETIRED_UOPS"},
    {"RETIRED_RESYNC_BRANCHES", "RETIRED_BRANCH_RESYNCS"},
    {"RETIRED_TAKEN_BRANCHES", "RETIRED_TAKEN_BRANCH_INSTRUCTIONS"},
    {"RETIRED_TAKEN_BRANCHES_MISPREDICTED", "RETIRED_TAKEN_BRANCH_INSTRUCTIONS_MISPREDICTED"},
};

/// A difference that is meant, of one type or, with none named, of all.
struct Excuse {
    std::string_view type, event, reason;
};
constexpr std::string_view of_the_classic_suite = "a unit mask that the classic suite has and libpfm lacks";
constexpr Excuse excuses[] = {
    {"", "UNHALTED_REFERENCE_CYCLES", "libpfm means the fixed counter, which has no select word"},
    {"", "FLOPS", "for libpfm what retired, for OProfile always what was executed"},
    {"", "MMX_UOPS_EXEC", "Intel's table asks for unit mask 0x0f"},
    {"i386/goldmont", "CPU_CLK_UNHALTED",
     "libpfm 4.13 has event 0x00, which does not exist; Intel's is 0x3c"},
    {"i386/core_2", "STORE_BLOCK", of_the_classic_suite},
    {"i386/core_2", "BUS_DATA_RCV", of_the_classic_suite},
    {"i386/core_2", "BUSQ_EMPTY", of_the_classic_suite},
    {"i386/core_2", "CYCLES_INT_MASKED", of_the_classic_suite},
    {"i386/nehalem", "LSD", of_the_classic_suite},
    {"i386/nehalem", "ITLB_MISSES", of_the_classic_suite},
    {"i386/nehalem", "SSE_MEM_EXEC", of_the_classic_suite},
    {"i386/nehalem", "MACRO_INSTS", of_the_classic_suite},
    {"i386/core_i7", "LSD", of_the_classic_suite},
    {"i386/core_i7", "ITLB_MISSES", of_the_classic_suite},
    {"i386/core_i7", "SSE_MEM_EXEC", of_the_classic_suite},
    {"i386/core_i7", "MACRO_INSTS", of_the_classic_suite},
    {"i386/westmere", "MACRO_INSTS", of_the_classic_suite},
    {"i386/atom", "L2_RQSTS", of_the_classic_suite},
    {"i386/atom", "PAGE_WALKS", of_the_classic_suite},
    {"i386/atom", "CYCLES_DIV_BUSY", of_the_classic_suite},
    {"i386/haswell", "L2_RQSTS", of_the_classic_suite},
    {"i386/haswell", "BR_INST_RETIRED", of_the_classic_suite},
    {"i386/haswell", "BR_MISP_RETIRED", of_the_classic_suite},
    {"i386/broadwell", "L2_RQSTS", of_the_classic_suite},
    {"i386/broadwell", "BR_INST_RETIRED", of_the_classic_suite},
    {"i386/broadwell", "BR_MISP_RETIRED", of_the_classic_suite},
    {"i386/skylake", "BR_INST_RETIRED", of_the_classic_suite},
    {"i386/skylake", "BR_MISP_RETIRED", of_the_classic_suite},
    {"i386/cascadelake", "BR_INST_RETIRED", of_the_classic_suite},
    {"i386/cascadelake", "BR_MISP_RETIRED", of_the_classic_suite},
    {"i386/knightslanding", "FETCH_STALL", of_the_classic_suite},
    {"x86-64/family11h", "CPU_IO_REQUESTS_TO_MEMORY_IO", of_the_classic_suite},
    {"x86-64/family11h", "SYSTEM_READ_RESPONSES", of_the_classic_suite},
    {"x86-64/family12h", "MEMORY_CONTROLLER_REQUESTS", of_the_classic_suite},
    {"x86-64/family14h", "DRAM_ACCESSES", of_the_classic_suite},
};

/// Names of PMUs in the table that libpfm lacks where it is built for x86-64: of 32-bit processors.
constexpr std::string_view names_of_32_bits[] = {"ppro", "pii", "p6", "pm", "coreduo"};
/// The newest PMU that the table names: a libpfm without it may lack others.
constexpr const char* newest_pmu = "amd64_fam19h_zen4";

std::string upper(std::string text) {
    std::ranges::transform(text, text.begin(),
                           [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return text;
}

std::string hex(uint64_t value) {
    char text[32];
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
    return text;
}

template <class Info>
Info sized() {
    Info info{};
    info.size = sizeof info;
    return info;
}

/// An event of libpfm's: its select words by unit mask, "" for none asked for.
struct PfmEvent {
    std::map<std::string, uint64_t> words;
    std::set<uint64_t> precise;  ///< those of the words that can be sampled precisely

    uint64_t all_bits() const {
        uint64_t bits = 0;
        for (const auto& [name, word] : words)
            bits |= word;
        return bits;
    }
};
using PfmEvents = std::multimap<std::string, PfmEvent>;

void add_word(PfmEvent& event, const std::string& event_name, const std::string& mask) {
    auto arg = sized<pfm_pmu_encode_arg_t>();
    const std::string text = mask.empty() ? event_name : event_name + ":" + mask;
    if (pfm_get_os_event_encoding(text.c_str(), PFM_PLM3, PFM_OS_NONE, &arg) == PFM_SUCCESS && arg.count == 1)
        event.words[upper(mask)] = arg.codes[0] & ~control_bits;
    std::free(arg.codes);
}

PfmEvent read_event(const std::string& pmu, const pfm_event_info_t& info) {
    PfmEvent event;
    const std::string name = pmu + "::" + info.name;
    add_word(event, name, "");
    for (int i = 0; i < info.nattrs; ++i) {
        auto attr = sized<pfm_event_attr_info_t>();
        if (pfm_get_event_attr_info(info.idx, i, PFM_OS_NONE, &attr) == PFM_SUCCESS &&
            attr.type == PFM_ATTR_UMASK) {
            add_word(event, name, attr.name);
            const auto word = event.words.find(upper(attr.name));
            if (attr.is_precise && word != event.words.end()) event.precise.insert(word->second);
        }
    }
    return event;
}

/// The names of libpfm's PMUs.
std::set<std::string> read_pmu_names() {
    std::set<std::string> names;
    for (int id = 0; id < PFM_PMU_MAX; ++id) {
        auto pmu = sized<pfm_pmu_info_t>();
        if (pfm_get_pmu_info(static_cast<pfm_pmu_t>(id), &pmu) == PFM_SUCCESS) names.insert(pmu.name);
    }
    return names;
}

/// Adds the events of a PMU by upper-case name.
void read_pmu(const std::string& name, PfmEvents& events) {
    for (int id = 0; id < PFM_PMU_MAX; ++id) {
        auto pmu = sized<pfm_pmu_info_t>();
        if (pfm_get_pmu_info(static_cast<pfm_pmu_t>(id), &pmu) != PFM_SUCCESS || pmu.name != name) continue;
        for (int i = pmu.first_event; i != -1; i = pfm_get_event_next(i)) {
            auto info = sized<pfm_event_info_t>();
            if (pfm_get_event_info(i, PFM_OS_NONE, &info) == PFM_SUCCESS)
                events.emplace(upper(info.name), read_event(name, info));
        }
    }
}

std::vector<const PfmEvent*> find_events(const PfmEvents& events, const std::string& our_name) {
    std::vector<std::string> names{upper(our_name)};
    for (const Alias& alias : aliases)
        if (alias.ours == names.front()) names.emplace_back(alias.theirs);
    std::vector<const PfmEvent*> found;
    for (const std::string& name : names)
        for (auto [at, end] = events.equal_range(name); at != end; ++at)
            found.push_back(&at->second);
    return found;
}

/// A mask by a name that libpfm has is the one of that name. Another is one of libpfm's, whatever its name,
/// or part of what those make together.
bool agrees(const PfmEvent& theirs, uint64_t word, const std::string& mask) {
    if (!mask.empty())
        if (const auto named = theirs.words.find(upper(mask)); named != theirs.words.end())
            return named->second == word;
    for (const auto& [name, their_word] : theirs.words) {
        const bool same_but_mask = (their_word & ~unit_mask_bits) == (word & ~unit_mask_bits);
        if (their_word == word || (same_but_mask && (word & ~theirs.all_bits()) == 0)) return true;
    }
    return false;
}

const Excuse* excuse_of(const CpuModel& model, const std::string& event) {
    const auto excuse = std::ranges::find_if(excuses, [&](const Excuse& e) {
        return e.event == upper(event) && (e.type.empty() || e.type == model.name);
    });
    return excuse == std::end(excuses) ? nullptr : excuse;
}

struct Score {
    size_t compared = 0, unknown = 0, excused = 0, different = 0, precise = 0;
};

void report_difference(const CpuModel& model, const CatalogueEvent& event, const UnitMaskEntry& entry,
                       uint64_t word, const std::vector<const PfmEvent*>& theirs, Score& score) {
    const Excuse* excuse = excuse_of(model, event.name);
    ++(excuse ? score.excused : score.different);
    std::string words;
    for (const PfmEvent* event_of_pmu : theirs)
        for (const auto& [name, their_word] : event_of_pmu->words)
            words += " " + hex(their_word) + (name.empty() ? "" : "(" + name + ")");
    std::printf("%s %s %s: ours %s, libpfm's%s%s%s\n", model.name.c_str(), event.name.c_str(),
                entry.name.empty() ? hex(entry.value).c_str() : entry.name.c_str(), hex(word).c_str(),
                words.c_str(), excuse ? ": " : "", excuse ? std::string(excuse->reason).c_str() : "");
}

/// What we sample precisely, libpfm must know as precise; not all that it knows do we (Intel's tables are
/// shorter).
void compare_precision(const CpuModel& model, const CatalogueEvent& event, const UnitMaskEntry& entry,
                       uint64_t word, const std::vector<const PfmEvent*>& theirs, Score& score) {
    if (!(entry.extra & extra_bits::pebs)) return;
    ++score.precise;
    if (std::ranges::any_of(theirs, [&](const PfmEvent* pfm) { return pfm->precise.contains(word); })) return;
    ++(excuse_of(model, event.name) ? score.excused : score.different);
    std::printf("%s %s %s: precise for us, not for libpfm\n", model.name.c_str(), event.name.c_str(),
                entry.name.c_str());
}

void compare_event(const EventCatalogue& catalogue, const CatalogueEvent& event, const PfmEvents& events,
                   Score& score) {
    const auto theirs = find_events(events, event.name);
    if (theirs.empty()) {
        ++score.unknown;
        return;
    }
    for (const UnitMaskEntry& entry : event.unit_masks->entries) {
        const ResolvedEvent resolved{&event, {}, {entry.value, entry.extra, entry.name}};
        const uint64_t word = encode_event(catalogue, resolved).config;
        ++score.compared;
        const auto same = [&](const PfmEvent* pfm) { return agrees(*pfm, word, entry.name); };
        if (std::ranges::none_of(theirs, same))
            report_difference(catalogue.model, event, entry, word, theirs, score);
        compare_precision(catalogue.model, event, entry, word, theirs, score);
    }
}

bool is_x86(const CpuModel& model) {
    return model.name.starts_with("i386/") || model.name.starts_with("x86-64/");
}

bool is_compared(const CpuModel& model) {
    return is_x86(model) && !model.pmus.empty() && !model.name.starts_with("i386/p4");
}

/// The number of x86 PMU names that libpfm does not have. A misspelt one gives no events without an error.
size_t count_unknown_pmus(const CpuModels& models, const std::set<std::string>& known) {
    size_t unknown = 0;
    for (const CpuModel& model : models.rows()) {
        if (!is_x86(model)) continue;
        for (const std::string& pmu : model.pmus) {
            if (known.contains(pmu) || std::ranges::find(names_of_32_bits, pmu) != std::end(names_of_32_bits))
                continue;
            ++unknown;
            std::printf("%s: 'pfm: %s' is no name that libpfm knows\n", model.name.c_str(), pmu.c_str());
        }
    }
    return unknown;
}

/// The words for ESCR and CCCR of an event of libpfm's, with its first unit mask.
std::optional<std::pair<uint64_t, uint64_t> > netburst_words(int event) {
    auto info = sized<pfm_event_info_t>();
    auto attr = sized<pfm_event_attr_info_t>();
    if (pfm_get_event_info(event, PFM_OS_NONE, &info) != PFM_SUCCESS ||
        pfm_get_event_attr_info(event, 0, PFM_OS_NONE, &attr) != PFM_SUCCESS)
        return std::nullopt;
    auto arg = sized<pfm_pmu_encode_arg_t>();
    const std::string text = std::string("netburst::") + info.name + ":" + attr.name;
    std::optional<std::pair<uint64_t, uint64_t> > words;
    if (pfm_get_os_event_encoding(text.c_str(), PFM_PLM3, PFM_OS_NONE, &arg) == PFM_SUCCESS && arg.count == 2)
        words = {arg.codes[0], arg.codes[1]};
    std::free(arg.codes);
    return words;
}

/// What selects the event, in the driver's table and in libpfm's words: the ESCR's bits 25-30, the CCCR's
/// 13-15.
void compare_netburst(const CatalogueEvent& event, Score& score) {
    const std::string name = event.name == "UOP_TYPE" ? "uops_type" : event.name;
    const int found = pfm_find_event(("netburst::" + name).c_str());
    const auto words = found < 0 ? std::nullopt : netburst_words(found);
    if (!words) {
        ++score.unknown;
        return;
    }
    const op_p4_event* const ours = op_p4_find_event(event.code);
    ++score.compared;
    if (ours->event_select == (words->first >> 25 & 0x3f) && ours->escr_select == (words->second >> 13 & 7))
        return;
    ++score.different;
    std::printf("%s: ours 0x%x by 0x%x, libpfm's words %s %s\n", event.name.c_str(), ours->event_select,
                ours->escr_select, hex(words->first).c_str(), hex(words->second).c_str());
}

/// False if an event differs, or if too few are known.
bool compare_driver_of_netburst(const CpuModel& model, const std::string& events_dir) {
    Score score;
    const EventCatalogue catalogue = load_catalogue(model, {events_dir, std::nullopt, false, ""});
    for (const CatalogueEvent& event : catalogue.events)
        if (event.origin == EventOrigin::file) compare_netburst(event, score);
    std::printf("%s: %zu compared with the driver's, %zu differ\n", model.name.c_str(), score.compared,
                score.different);
    return score.different == 0 && score.compared >= fewest_of_netburst;
}

void compare_model(const CpuModel& model, const std::string& events_dir, Score& score) {
    PfmEvents events;
    for (const std::string& pmu : model.pmus)
        read_pmu(pmu, events);
    if (events.empty()) {
        std::printf("%s: libpfm has no %s here\n", model.name.c_str(), model.pmus.front().c_str());
        return;
    }
    const size_t before = score.compared;
    const EventCatalogue catalogue = load_catalogue(model, {events_dir, std::nullopt, false, ""});
    for (const CatalogueEvent& event : catalogue.events)
        if (event.origin == EventOrigin::file && event.extended.empty())
            compare_event(catalogue, event, events, score);
    std::printf("%s: %zu compared\n", model.name.c_str(), score.compared - before);
}

int compare_all(const std::string& events_dir) {
    ::setenv("LIBPFM_ENCODE_INACTIVE", "1",
             1);  // also events of other machines than this
    if (pfm_initialize() != PFM_SUCCESS) {
        std::puts("skipped: libpfm4 does not start");
        return 77;
    }
    Score score;
    const CpuModels models = load_cpu_models(events_dir);
    const std::set<std::string> known = read_pmu_names();
    const size_t unknown = count_unknown_pmus(models, known);
    if (unknown > 0 && known.contains(newest_pmu)) return 1;
    for (const CpuModel& model : models.rows())
        if (is_compared(model)) compare_model(model, events_dir, score);
    if (known.contains("netburst") && !compare_driver_of_netburst(*models.find("i386/p4"), events_dir))
        return 1;
    std::printf(
        "%zu encodings compared, %zu events not known to libpfm by name; "
        "%zu differ with a reason, %zu "
        "without; %zu are precise\n",
        score.compared, score.unknown, score.excused, score.different, score.precise);
    if (score.compared >= fewest_comparisons && score.precise >= fewest_precise)
        return score.different == 0 ? 0 : 1;
    std::printf("that is fewer than %zu or %zu\n", fewest_comparisons, fewest_precise);
    return 1;
}

}  // namespace

}  // namespace op

int main() {
    const char* srcdir = std::getenv("srcdir");
    try {
        return op::compare_all(std::string(srcdir ? srcdir : ".") + "/events");
    } catch (const op::Error& error) {
        std::printf("%s\n", error.what());
        return 1;
    }
}

#endif
