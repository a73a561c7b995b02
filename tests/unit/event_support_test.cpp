// SPDX-License-Identifier: GPL-2.0-or-later
#include "utils/event_support.h"

#include <gtest/gtest.h>

#include <memory>

#include "tests/unit/faults.h"
#include "tests/unit/temp_dir.h"

namespace op::tool {

namespace {

/// An event on counters 0 and 1 that can be sampled precisely by its second unit mask.
CatalogueEvent on_counters() {
    CatalogueEvent event;
    event.name = "COUNTED";
    event.counters = 3;
    const UnitMaskEntry any{0, 0, "", "Any"}, exact{1, extra_bits::pebs, "exact", "Exact"};
    event.unit_masks = std::make_shared<const UnitMaskSet>(
        UnitMaskSet{"m", UnitMaskKind::exclusive, 0, "", true, {any, exact}});
    return event;
}

CatalogueEvent without_counter(EventOrigin origin, const std::string& sampler = "") {
    CatalogueEvent event;
    event.name = "OTHER";
    event.origin = origin;
    event.extended = sampler;
    event.unit_masks = std::make_shared<const UnitMaskSet>(
        UnitMaskSet{"zero", UnitMaskKind::mandatory, 0, "", true, {{0, 0, "", "None"}}});
    return event;
}

ResolvedEvent asked(const CatalogueEvent& event, const std::string& spec) {
    const EventSpec parsed = parse_event_spec(spec);
    return {&event, parsed, std::get<UnitMaskChoice>(choose_unit_mask(*event.unit_masks, parsed))};
}

}  // namespace

TEST(EventSupports, every_unit_mask_of_a_listed_event_may_be_requested) {
    const CatalogueEvent counted = on_counters(), ibs = without_counter(EventOrigin::file, "ibs_op");
    const EventNeeds needs = needs_of_all({&counted, &ibs});
    EXPECT_TRUE(needs.counters);
    EXPECT_TRUE(needs.precision);
    EXPECT_EQ(needs.samplers, std::set<std::string>{"ibs_op"});
}

TEST(EventSupports, requested_events_need_only_what_they_use) {
    const CatalogueEvent counted = on_counters();
    for (const auto& [spec, precision] : {std::pair{"COUNTED:1", false}, {"COUNTED:1:exact", true}}) {
        const ResolvedEvent event = asked(counted, spec);
        EXPECT_TRUE(needs_of({&event, 1}).counters);
        EXPECT_EQ(needs_of({&event, 1}).precision, precision) << spec;
    }
}

TEST(EventSupports, the_kernels_events_and_the_clock_take_nothing) {
    const CatalogueEvent of_kernel = without_counter(EventOrigin::kernel),
                         clock = without_counter(EventOrigin::clock);
    const EventNeeds needs = needs_of_all({&of_kernel, &clock});
    EXPECT_FALSE(needs.counters || needs.precision || !needs.samplers.empty());
    Diagnostics notes;
    note_obstacles(needs, "/nonexistent", notes);
    EXPECT_TRUE(notes.warnings().empty());
}

TEST(EventSupports, uncounted_events_are_noted_once) {
    CpuModel model;
    model.name = "alpha/ev67";
    model.title = "Alpha EV67";
    CatalogueEvent counted = on_counters(), other = on_counters();
    counted.name = "CYCLES";
    counted.code = 1;
    const auto noted = [&](const EventList& events) {
        Diagnostics notes;
        note_uncounted(model, events, notes);
        return notes.warnings().empty() ? "" : notes.warnings().at(0);
    };
    EXPECT_EQ(noted({&counted}), "");
    EXPECT_EQ(noted({&counted, &other, &other}),
              "no kernel of today counts 2 of these events of Alpha EV67: perf has four events of EV67; they "
              "are known "
              "so that old sessions can be read");
    EXPECT_TRUE(test::contains(noted({&other}), "counts these events of"));
}

TEST(EventSupports, an_event_without_a_pmu_in_the_kernel_is_reported) {
    const EventNeeds needs{false, true, {"ibs_fetch", "ibs_op"}};
    const test::TempDir devices;
    devices.write("ibs_fetch/type", "10\n");
    Diagnostics notes;
    note_obstacles(needs, devices.path(), notes);
    ASSERT_EQ(notes.warnings().size(), 2u);
    EXPECT_TRUE(test::contains(notes.warnings()[0], "(ext: ibs_op) cannot be sampled here"));
    EXPECT_TRUE(test::contains(notes.warnings()[1], "no precise samples"));
    devices.write("ibs_op/type", "11\n");
    devices.write("cpu/caps/max_precise", "2\n");
    Diagnostics none;
    note_obstacles(needs, devices.path(), none);
    EXPECT_TRUE(none.warnings().empty());
}

}  // namespace op::tool
