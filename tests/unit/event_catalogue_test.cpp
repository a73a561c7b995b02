// SPDX-License-Identifier: GPL-2.0-or-later
#include "libop/events/event_catalogue.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "libop/events/event_text.h"
#include "libop/events/pfm_events.h"
#include "libop/events/software_events.h"
#include "libop/events/uncounted.h"
#include "tests/unit/faults.h"
#include "tests/unit/fixtures.h"
#include "tests/unit/temp_dir.h"

namespace op {

namespace {

const std::string& small_dir() {
    static const std::string dir = test::fixture("events/small");
    return dir;
}

CpuModel toy_model() {
    return *load_cpu_models(small_dir()).find("i386/toy");
}

EventCatalogue toy(std::optional<Processor> machine = {}, const std::string& devices = "") {
    return load_catalogue(toy_model(), {small_dir(), std::move(machine), false, devices});
}

Processor with_perfmon(uint32_t counters, uint32_t missing) {
    Processor processor;
    processor.x86.emplace();
    processor.x86->perfmon_version = 2;
    processor.x86->counters = counters;
    processor.x86->missing_events = missing;
    return processor;
}

std::string fault(const EventCatalogue& catalogue, const std::string& spec,
                  const ResolveOptions& options = {}) {
    return test::fault(ErrorKind::usage, [&] { resolve_event(catalogue, parse_event_spec(spec), options); });
}

/// A catalogue of one type with one event, to see how that is encoded.
class OneEvent {
public:
    OneEvent(const std::string& type, const std::string& event, const std::string& mask = "0x0",
             const std::string& extra = "") {
        dir_.write(type + "/events", event + " um:m minimum:1 name:E : E\n");
        dir_.write(type + "/unit_masks",
                   "name:m type:mandatory default:" + mask + "\n\t" + mask + extra + " M\n");
        CpuModel model;
        model.name = type;
        model.counters = 4;
        catalogue_ = load_catalogue(model, {dir_.path(), {}, false, dir_ / "devices"});
    }

    const test::TempDir& dir() const { return dir_; }
    EventEncoding encoding(const std::string& spec = "E") const {
        return encode_event(catalogue_, resolve_event(catalogue_, parse_event_spec(spec)));
    }
    uint64_t config() const { return encoding().config; }
    std::string fault() const {
        return test::fault(ErrorKind::usage, [this] { encoding(); });
    }

private:
    test::TempDir dir_;
    EventCatalogue catalogue_;
};

}  // namespace

TEST(EventCatalogue, holds_the_events_of_the_files_in_order) {
    EXPECT_EQ(toy().names(), (std::vector<std::string>{"DIVISIONS", "CYCLES", "FLOATS", "FLOATS_STARTED",
                                                       "CACHE_READS", "CACHE_READS", "IBS_OP"}));
}

TEST(EventCatalogue, the_machine_decides_on_counters_and_events) {
    EXPECT_EQ(toy().counters, 2u);
    const EventCatalogue here = toy(with_perfmon(6, 1));
    EXPECT_EQ(here.counters, 6u);
    EXPECT_EQ(here.missing, std::vector<std::string>{"CYCLES"});
    EXPECT_EQ(here.events[0].counter_mask(), 0x3fu);
    EXPECT_EQ(fault(here, "CYCLES:6000"), "event 'CYCLES': this processor lacks it (by CPUID leaf 0xA)");
    EXPECT_TRUE(toy(with_perfmon(6, 2)).missing.empty());
}

TEST(EventCatalogue, the_kernels_events_follow_those_of_the_files) {
    const test::TempDir dir;
    dir.write("cpu/type", "4\n");
    dir.write("cpu/events/CYCLES", "config=0x1\n");
    dir.write("cpu/events/slots", "config=0x2\n");
    dir.write("msr/type", "9\n");
    dir.write("msr/events/tsc", "config=0x3\n");
    const EventCatalogue catalogue = toy({}, dir.path());
    EXPECT_EQ(catalogue.names().size(), 10u + software_events().size());
    EXPECT_EQ(catalogue.names().back(), "TIMER") << "which every machine has, and no catalogue of another";
    EXPECT_FALSE(toy().knows("TIMER"));
    EXPECT_EQ(catalogue.names()[7], "slots");
    EXPECT_EQ(catalogue.events[9].minimum_count, 10000u) << "the kernel takes samples of it no more often";
    EXPECT_EQ(catalogue.names()[9], "cpu-clock");
    const ResolvedEvent tsc = resolve_event(catalogue, parse_event_spec("msr@tsc:1000"));
    EXPECT_EQ(encode_event(catalogue, tsc), (EventEncoding{9, 3, 0, 0, 0}));
    EXPECT_EQ(tsc.event->counter_mask(), std::nullopt);
}

TEST(EventCatalogue, a_type_without_files_has_no_events) {
    CpuModel model;
    model.name = "i386/absent";
    EXPECT_TRUE(load_catalogue(model, {small_dir(), {}, false, ""}).events.empty());
}

TEST(EventCatalogue, includes_cannot_lead_out_of_the_directory) {
    const test::TempDir dir;
    dir.write("secret/events", "event:0x1 counters:0 um:zero minimum:1 name:E : E\n");
    for (const char* const type : {"../secret", "/secret", "a/../../secret", "."}) {
        dir.write("base/x/events", "include:" + std::string(type) + "\n");
        CpuModel model;
        model.name = "x";
        EXPECT_TRUE(test::contains(test::fault(ErrorKind::input,
                                               [&] {
                                                   load_catalogue(model, {dir / "base", {}, false, ""});
                                               }),
                                   "there are no event files of"));
    }
}

TEST(EventCatalogue, unknown_events_are_reported_with_similar_names_and_types_that_have_them) {
    EXPECT_EQ(fault(toy(), "CYCLE:6000"),
              "event 'CYCLE': not an event of Toy processor; did you mean CYCLES?");
    const auto other =
        load_catalogue(*load_cpu_models(small_dir()).find("i386/toy2"), {small_dir(), {}, false, ""});
    EXPECT_EQ(fault(other, "FLOATS:6000"),
              "event 'FLOATS': not an event of Toy processor 2; CPU types that have it: i386/toy");
}

TEST(EventCatalogue, faults_in_the_files_of_other_types_are_reported) {
    const test::TempDir dir;
    dir.write("cpu_models",
              "cpu:timer number:4 counters:1 : Timer\ncpu:a counters:1 : A\ncpu:b counters:1 : B\n");
    dir.write("b/events", "nonsense\n");
    const auto catalogue =
        load_catalogue(*load_cpu_models(dir.path()).find("a"), {dir.path(), {}, false, ""});
    const std::string said = fault(catalogue, "CYCLES");
    EXPECT_TRUE(
        said.starts_with("event 'CYCLES': not an event of A; ophelp lists what there is; not looked "
                         "through: " +
                         (dir / "b/events:1: ")))
        << said;
}

TEST(EventCatalogue, event_files_that_cannot_be_read_are_an_error) {
    const test::TempDir dir;
    dir.write("a/events/is_a_directory", "");
    CpuModel model;
    model.name = "a";
    EXPECT_TRUE(test::contains(test::fault(ErrorKind::system,
                                           [&] {
                                               load_catalogue(model, {dir.path(), {}, false, ""});
                                           }),
                               "a/events: "));
}

TEST(EventCatalogue, counts_are_held_to_their_bounds) {
    EXPECT_EQ(fault(toy(), "CYCLES:6000"), "");
    EXPECT_NE(fault(toy(), "CYCLES:5999"), "");
    EXPECT_EQ(fault(toy(), "CYCLES:90000", {15, false}), "");
    EXPECT_TRUE(test::contains(fault(toy(), "CYCLES:89999", {15, false}),
                               "count 89999 is below the minimum of 90000 for call graphs"));
    const test::TempDir devices;
    EXPECT_EQ(fault(toy({}, devices.path()), "context-switches:1", {15, false}), "") << "each of them";
    EXPECT_EQ(fault(toy(), "CYCLES:1", {1, true}), "");
    EXPECT_EQ(fault(toy(), "CYCLES:4294967296"),
              "event 'CYCLES': count 4294967296 is above the maximum of 4294967295");
}

TEST(EventCatalogue, the_first_event_of_a_name_that_fits_is_taken) {
    const EventCatalogue catalogue = toy();
    const auto minimum = [&](const char* spec) {
        return resolve_event(catalogue, parse_event_spec(spec)).event->minimum_count;
    };
    EXPECT_EQ(minimum("CACHE_READS:800:1"), 500u);
    EXPECT_EQ(minimum("CACHE_READS:800:0x41"), 800u);
    EXPECT_TRUE(test::contains(fault(catalogue, "CACHE_READS:799:0x41"), "below the minimum of 800"));
}

TEST(EventCatalogue, a_unit_mask_is_refused_with_those_of_all_events_of_the_name) {
    const std::string all = "it takes a union of 0x01, 0x02, 0x08; others of that name take 0x41";
    EXPECT_EQ(fault(toy(), "CACHE_READS:800:0x40"),
              "event 'CACHE_READS': unit mask 0x40 is not valid; " + all);
    EXPECT_EQ(fault(toy(), "CACHE_READS:800:hits"),
              "event 'CACHE_READS': no unit mask is named 'hits'; " + all);
    EXPECT_FALSE(test::contains(fault(toy(), "CACHE_READS:1:0x40"), "others")) << "the count comes first";
}

TEST(EventCatalogue, power_events_may_lack_their_group) {
    const test::TempDir dir;
    dir.write("ppc64/power5/events",
              "event:0x1 counters:0 um:zero minimum:1 name:PM_A_GRP12 : A\n"
              "event:0x2 counters:0 um:zero minimum:1 name:PM_GRP_CMPL : B\n"
              "event:0x3 counters:0 um:zero minimum:1 name:PM_GRP_7GRP : C\n");
    dir.write("ppc64/power5/unit_masks", "name:zero type:mandatory default:0x0\n\t0x0 None\n");
    CpuModel model;
    model.name = "ppc64/power5";
    model.counters = 1;
    const EventCatalogue catalogue = load_catalogue(model, {dir.path(), {}, false, ""});
    EXPECT_EQ(resolve_event(catalogue, parse_event_spec("PM_A:10")).event->name, "PM_A_GRP12");
    EXPECT_NE(fault(catalogue, "PM:10"), "") << "what follows _GRP is no number";
    EXPECT_NE(fault(catalogue, "PM_A_GRP:10"), "");
    EXPECT_EQ(fault(catalogue, "PM_GRP_CMPL:10"), "");
}

TEST(EventText, finds_event_and_unit_mask_by_the_numbers_in_sample_files) {
    const EventCatalogue catalogue = toy();
    EXPECT_EQ(describe_event(catalogue, "CYCLES", 0)->unit_mask, "No unit mask");
    EXPECT_EQ(describe_event(catalogue, "CACHE_READS", 1)->unit_mask, "Hits of the first level");
    EXPECT_EQ(describe_event(catalogue, "CACHE_READS", 0x41)->description,
              "Reads from the cache, counted otherwise");
    EXPECT_EQ(describe_event(catalogue, "CACHE_READS", 3)->unit_mask, "multiple flags");
    EXPECT_EQ(describe_event(catalogue, "DIVISIONS", 0x01040100)->unit_mask, "Divisions begun");
    EXPECT_EQ(describe_event(catalogue, "NONE", 0), std::nullopt);
}

TEST(EventText, the_named_one_of_equal_unit_masks_is_described) {
    EventCatalogue catalogue;
    CatalogueEvent& event = catalogue.events.emplace_back();
    event.name = "E";
    event.unit_masks = std::make_shared<const UnitMaskSet>(UnitMaskSet{
        "masks", UnitMaskKind::exclusive, 0, "", false, {{1, 0, "near", "Near"}, {1, 0, "far", "Far"}}});
    EXPECT_EQ(describe_event(catalogue, "E", 1, "far")->unit_mask, "Far");
    EXPECT_EQ(describe_event(catalogue, "E", 1, "absent")->unit_mask, "Near");
    EXPECT_EQ(describe_event(catalogue, "E", 1)->unit_mask, "Near");
}

TEST(EventEncoding, intel_select_registers_hold_event_and_unit_mask) {
    EXPECT_EQ(OneEvent("i386/core_2", "event:0xc0 counters:0", "0x41").config(), 0x41c0u);
    EXPECT_EQ(OneEvent("i386/core_2", "event:0xc0 counters:0").encoding().type, perf_type_raw);
    EXPECT_NE(OneEvent("i386/core_2", "event:0x1c0 counters:0").fault(), "");
    EXPECT_NE(OneEvent("i386/core_2", "event:0xc0 counters:0", "0x100").fault(), "");
}

TEST(EventEncoding, amd_events_have_four_further_bits) {
    EXPECT_EQ(OneEvent("x86-64/family10", "event:0x4e1 counters:0", "0xf7").config(), 0x40000f7e1u);
    EXPECT_NE(OneEvent("x86-64/family10", "event:0x10e1 counters:0").fault(), "");
}

TEST(EventEncoding, other_processors_take_the_code_as_it_is) {
    EXPECT_EQ(OneEvent("arm/armv8-pmuv3", "event:0x11 counters:0").config(), 0x11u);
    EXPECT_EQ(OneEvent("ppc64/power8", "event:0x1001e counters:0").config(), 0x1001eu);
    EXPECT_EQ(OneEvent("ppc64/power8", "event:0x200201e6 counters:1", "0x67").config(), 0x67200201e6u)
        << "what does not fit into a code of 32 bits is its unit mask";
    EXPECT_NE(OneEvent("arm/armv8-pmuv3", "event:0x11 counters:0", "0x5").fault(), "");
    EXPECT_EQ(OneEvent("s390/z13", "event:0x00 counters:0").encoding().type, 0u);
    EXPECT_EQ(OneEvent("s390/z13", "event:0x01 counters:0").encoding().type, perf_type_raw);
    EXPECT_EQ(OneEvent("s390/z13", "event:0x01 counters:0").config(), 1u);
}

TEST(EventEncoding, intel_codes_may_have_the_bits_of_a_flag) {
    EXPECT_EQ(OneEvent("i386/core_2", "event:0x18000a0 counters:0").config(), 0x18000a0u);
}

TEST(EventEncoding, mips_has_another_bit_for_odd_counters_in_the_kernel) {
    EXPECT_EQ(OneEvent("mips/24K", "event:0x2 counters:0").config(), 0x2u);
    EXPECT_EQ(OneEvent("mips/24K", "event:0x402 counters:1").config(), 0x82u);
}

TEST(EventEncoding, power_events_of_a_group_are_those_without_it) {
    const test::TempDir dir;
    dir.write("ppc64/power7/events",
              "event:0x10 counters:0 um:zero minimum:1 name:PM_A_GRP1 : A\n"
              "event:0x13 counters:3 um:zero minimum:1 name:PM_B_GRP1 : B\n"
              "event:0x1 counters:0 um:zero minimum:1 name:CYCLES : C\n"
              "event:0x200f0 counters:1 um:zero minimum:1 name:PM_A : A\n");
    dir.write("ppc64/power7/unit_masks", "name:zero type:mandatory default:0x0\n\t0x0 None\n");
    CpuModel model;
    model.name = "ppc64/power7";
    model.counters = 6;
    const EventCatalogue catalogue = load_catalogue(model, {dir.path(), {}, false, ""});
    const auto encoding = [&](const std::string& spec) {
        return encode_event(catalogue, resolve_event(catalogue, parse_event_spec(spec)));
    };
    EXPECT_EQ(encoding("PM_A_GRP1"), (EventEncoding{perf_type_raw, 0x200f0, 0, 0, 0}));
    EXPECT_EQ(encoding("PM_A"), (EventEncoding{perf_type_raw, 0x200f0, 0, 0, 0}));
    EXPECT_EQ(encoding("CYCLES"), (EventEncoding{perf_type_hardware, 0, 0, 0, 0}));
    EXPECT_EQ(
        test::fault(ErrorKind::usage, [&] { encoding("PM_B_GRP1"); }),
        "event 'PM_B_GRP1': no kernel of today counts it: neither the event files nor libpfm have a code of "
        "PM_B");
}

TEST(EventEncoding, an_event_that_no_current_kernel_counts_is_refused) {
    CpuModel model;
    EventDescription event;
    event.code = 2;
    event.name = "BCACHE_MISS";
    model.name = "alpha/ev67";
    EXPECT_NE(why_uncounted(model, event), "");
    event.name = "INSTRUCTIONS";
    EXPECT_EQ(why_uncounted(model, event), "");
    model.not_counted = "there is no such processor";
    EXPECT_EQ(why_uncounted(model, event), "there is no such processor");
    EXPECT_NE(OneEvent("arm/armv7-scorpion", "event:0x4c counters:1").fault(), "");
    EXPECT_EQ(OneEvent("arm/armv7-scorpion", "event:0xff counters:0").config(), 0xffu);
    EXPECT_NE(OneEvent("ppc/7450", "event:0x17 counters:1").fault(), "");
    EXPECT_EQ(OneEvent("ppc/7450", "event:0x1 counters:0,1").config(), 1u);
}

TEST(EventEncoding, facilities_are_pmus_of_the_kernel) {
    const OneEvent event("x86-64/zen3", "event:0xf100 ext:ibs_op", "0x1");
    EXPECT_EQ(event.fault(), "event 'E': the kernel has no PMU ibs_op on this machine");
    event.dir().write("devices/ibs_op/type", "11\n");
    EXPECT_EQ(event.encoding(), (EventEncoding{11, 1 << 19, 0, 0, 0, Sampler::ibs_op}));
    const OneEvent fetch("x86-64/zen3", "event:0xf001 ext:ibs_fetch");
    fetch.dir().write("devices/ibs_fetch/type", "10\n");
    EXPECT_EQ(fetch.encoding(), (EventEncoding{10, 0, 0, 0, 0, Sampler::ibs_fetch}));
}

TEST(EventEncoding, precise_masks_are_as_precise_as_the_machine) {
    const OneEvent event("i386/core_2", "event:0xc0 counters:0", "0x1", " extra:pebs fine");
    EXPECT_EQ(event.encoding().precise, 0u) << "the kernel lists no precision";
    for (const auto& [greatest, precise] : {std::pair{"0", 0u}, {"1", 1u}, {"2", 2u}, {"3", 2u}, {"x", 0u}}) {
        event.dir().write("devices/cpu/caps/max_precise", std::string(greatest) + "\n");
        EXPECT_EQ(event.encoding().precise, precise) << greatest;
        EXPECT_EQ(event.encoding().config, 0x1c0u) << "nothing of it is in the register";
    }
    const OneEvent other("i386/core_2", "event:0xc0 counters:0", "0x1", " extra: coarse");
    other.dir().write("devices/cpu/caps/max_precise", "3\n");
    EXPECT_EQ(other.encoding().precise, 0u);
}

TEST(EventEncoding, on_hybrid_machines_the_large_cores_decide_the_precision) {
    const OneEvent event("i386/core_2", "event:0xc0 counters:0", "0x1", " extra:pebs fine");
    event.dir().write("devices/cpu_core/caps/max_precise", "3\n");
    EXPECT_EQ(event.encoding().precise, 2u);
}

TEST(EventEncoding, no_log_of_memory_accesses_is_kept) {
    const OneEvent event("x86-64/zen3", "event:0xf100 ext:ibs_op", "0x3");
    event.dir().write("devices/ibs_op/type", "11\n");
    EXPECT_EQ(event.fault(),
              "event 'E': no log of memory accesses or branch targets is kept; use unit mask 0x1");
}

TEST(EventEncoding, only_facilities_that_are_known_are_asked_for) {
    EXPECT_EQ(OneEvent("x86-64/zen3", "event:0xf100 ext:ibs_what").fault(),
              "event 'E': nothing is known of ibs_what");
}

TEST(EventEncoding, an_event_that_only_the_driver_counts_is_refused) {
    EXPECT_NE(OneEvent("rtc", "event:0x0 counters:0").fault(), "");
    EXPECT_NE(OneEvent("i386/p4", "event:0x1 counters:0").fault(), "");
}

// The data that is installed.
TEST(EventData, every_type_has_sound_files_and_a_default_event_that_resolves) {
    const char* const source = std::getenv("srcdir");
    const std::string dir = std::string(source ? source : ".") + "/events";
    size_t with_events = 0;
    const CpuModels models = load_cpu_models(dir);
    for (const CpuModel& model : models.rows()) {
        const EventCatalogue catalogue = load_catalogue(model, {dir, {}, false, ""});
        if (catalogue.events.empty()) continue;
        ++with_events;
        if (!model.default_event) continue;
        EXPECT_NO_THROW(resolve_event(catalogue, *model.default_event)) << model.name;
    }
    EXPECT_GT(with_events, 120u);
}

TEST(EventData, every_events_default_is_something_the_kernel_can_be_asked_for) {
    const char* const source = std::getenv("srcdir");
    const std::string dir = std::string(source ? source : ".") + "/events";
    const CpuModels models = load_cpu_models(dir);
    size_t counted = 0;
    for (const CpuModel& model : models.rows()) {
        if (model.name == "rtc" || model.name.starts_with("i386/p4")) continue;
        const EventCatalogue catalogue = load_catalogue(model, {dir, {}, false, ""});
        for (const CatalogueEvent& event : catalogue.events) {
            if (!event.extended.empty() || !why_uncounted(model, event).empty()) continue;
            if (without_group(event.name)) continue;  // by the name without the group, where libpfm has it
            ++counted;
            EventSpec spec;
            spec.name = event.name;
            const ResolvedEvent resolved{&event, spec,
                                         std::get<UnitMaskChoice>(choose_unit_mask(*event.unit_masks, spec))};
            EXPECT_NO_THROW(encode_event(catalogue, resolved)) << model.name << " " << event.name;
        }
    }
    EXPECT_GT(counted, 7000u);
}

TEST(PfmEvents, are_listed_and_encoded_for_any_processor) {
    if (!has_pfm()) GTEST_SKIP() << "built without libpfm4";
    const auto events = pfm_events("skl");
    if (events.empty()) GTEST_SKIP() << "libpfm4 has no x86 events here";
    const auto event = std::ranges::find(events, "MEM_LOAD_RETIRED", &EventDescription::name);
    ASSERT_NE(event, events.end());
    EXPECT_FALSE(event->unit_masks->has_default);
    EXPECT_EQ(pfm_encoding("skl", "MEM_LOAD_RETIRED", "L1_HIT").config, 0x1d1u);
    EXPECT_TRUE(
        test::contains(test::fault(ErrorKind::usage, [] { pfm_encoding("skl", "MEM_LOAD_RETIRED", ""); }),
                       "libpfm rejects it"));
    EXPECT_TRUE(pfm_events("no such PMU").empty());
}

/// Skylake by its client's and a server's PMU, and the PMU of each of its events of a name.
class Skylake {
public:
    explicit Skylake(bool (*has_pmu)(const std::string&) = nullptr) {
        CpuModel model;
        model.name = "i386/of_libpfm";
        model.pmus = {"skl", "skx"};
        CatalogueSources sources{"/nonexistent", {}, true, ""};
        if (has_pmu) {
            sources.machine = with_perfmon(4, 0);
            sources.has_pmu = has_pmu;
        }
        catalogue = load_catalogue(model, sources);
    }
    std::vector<std::string> pmus_of(const std::string& name) const {
        std::vector<std::string> pmus;
        for (const CatalogueEvent& event : catalogue.events)
            if (event.name == name) pmus.push_back(event.pmu);
        return pmus;
    }
    EventEncoding encoding(const std::string& spec) const {
        return encode_event(catalogue, resolve_event(catalogue, parse_event_spec(spec)));
    }

    EventCatalogue catalogue;
};

using Names = std::vector<std::string>;

TEST(PfmEvents, come_from_the_pmus_that_the_machine_has) {
    if (pfm_events("skx").empty()) GTEST_SKIP() << "libpfm4 is not there, or has no x86 events here";
    const Skylake client([](const std::string& pmu) { return pmu == "skl"; });
    const Skylake server([](const std::string& pmu) { return pmu == "skx"; });
    EXPECT_EQ(client.pmus_of("OFFCORE_RESPONSE_0"), Names{"skl"});
    EXPECT_EQ(server.pmus_of("OFFCORE_RESPONSE_0"), Names{"skx"});
    const std::string any = "OFFCORE_RESPONSE_0:100000:ANY_REQUEST";
    EXPECT_EQ(client.encoding(any), pfm_encoding("skl", "OFFCORE_RESPONSE_0", "ANY_REQUEST"));
    EXPECT_EQ(server.encoding(any), pfm_encoding("skx", "OFFCORE_RESPONSE_0", "ANY_REQUEST"));
    EXPECT_NE(server.encoding(any), client.encoding(any));
}

TEST(PfmEvents, come_from_all_pmus_if_none_is_known_on_the_machine) {
    if (pfm_events("skx").empty()) GTEST_SKIP() << "libpfm4 is not there, or has no x86 events here";
    const Skylake unknown([](const std::string&) { return false; });
    for (const Skylake& skylake : {Skylake(), unknown}) {
        EXPECT_EQ(skylake.pmus_of("OFFCORE_RESPONSE_0"), (Names{"skl", "skx"}));
        EXPECT_EQ(skylake.pmus_of("INST_RETIRED"), Names{"skl"}) << "they do not differ in it";
    }
}

TEST(PfmEvents, other_names_of_an_event_have_its_unit_masks) {
    const auto events = pfm_events("skl");
    if (events.empty()) GTEST_SKIP() << "libpfm4 is not there, or has no x86 events here";
    const auto alias = std::ranges::find(events, "CPU_CLK_UNHALTED", &EventDescription::name);
    ASSERT_NE(alias, events.end());
    EXPECT_EQ(alias->unit_masks->default_name, "THREAD_P");
    EXPECT_EQ(pfm_encoding("skl", "CPU_CLK_UNHALTED", "REF_XCLK").config, 0x13cu);
}

}  // namespace op
