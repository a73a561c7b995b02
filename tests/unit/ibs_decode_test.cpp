// SPDX-License-Identifier: GPL-2.0-or-later
// Samples are made by hand of bits as AMD's manuals number them: MSRC001_1030 and MSRC001_1035 to 1037. There
// was no processor with IBS to compare with.
#include "daemon/source/ibs_decode.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <string>

#include "libop/events/event_catalogue.h"

namespace op::collect {
namespace {

constexpr uint64_t bits() {
    return 0;
}
template <class... Rest>
constexpr uint64_t bits(unsigned first, Rest... rest) {
    return uint64_t{1} << first | bits(rest...);
}
/// A field of 16 bits.
constexpr uint64_t cycles(uint64_t n, unsigned from) {
    return n << from;
}

constexpr IbsRegisters fetch(uint64_t control) {
    return {control, 0, 0, 0};
}
constexpr IbsRegisters op(uint64_t data) {
    return {0, data, 0, 0};
}
constexpr IbsRegisters access(uint64_t data3) {
    return {0, 0, 0, data3};
}
/// A load that missed the data cache for 200 cycles, with the northbridge's report on it.
constexpr IbsRegisters from(uint64_t data2, uint64_t data3 = bits(0, 7, 17)) {
    return {0, 0, data2, data3 | cycles(200, 32)};
}

/// The events of a sample, as hexadecimal codes with the weights that are not 1: "f000 f00e=7".
std::string events_of(const IbsRegisters& sample, uint32_t first, uint32_t last) {
    std::string text;
    for (uint32_t code = first; code <= last; ++code) {
        const auto sampler = code < 0xf100 ? Sampler::ibs_fetch : Sampler::ibs_op;
        const IbsEvent* event = find_ibs_event(sampler, code);
        const uint32_t weight = event ? event->weight(sample) : 0;
        if (weight == 0) continue;
        char word[16];
        std::snprintf(word, sizeof word, "%s%x", text.empty() ? "" : " ", code);
        text += word;
        if (weight != 1) text += "=" + std::to_string(weight);
    }
    return text;
}
std::string fetch_events(uint64_t control) {
    return events_of(fetch(control), 0xf000, 0xf0ff);
}
std::string op_events(uint64_t data) {
    return events_of(op(data), 0xf101, 0xf1ff);
}
std::string access_events(uint64_t data3) {
    return events_of(access(data3), 0xf200, 0xf2ff);
}
std::string northbridge_events(const IbsRegisters& sample) {
    return events_of(sample, 0xf240, 0xf2ff);
}

/// The kernel's bytes: capabilities, registers.
std::vector<std::byte> raw(std::initializer_list<uint64_t> registers) {
    std::vector<std::byte> bytes(4 + 8 * registers.size(), std::byte{0xff});
    std::memcpy(bytes.data() + 4, registers.begin(), 8 * registers.size());
    return bytes;
}

}  // namespace

TEST(IbsFetch, one_that_left_no_trace_was_killed) {
    EXPECT_EQ(fetch_events(0), "f000 f001");
    EXPECT_EQ(fetch_events(bits(48, 49, 57) | cycles(9, 32) | 0x1234), "f000 f001")
        << "enabled, valid, random";
}

TEST(IbsFetch, one_that_was_tried_and_not_completed_was_aborted) {
    EXPECT_EQ(fetch_events(bits(51)), "f000 f002 f004 f008");
    EXPECT_EQ(fetch_events(bits(50)), "f000 f002 f003 f009");
}

TEST(IbsFetch, the_tlbs_hit_or_miss) {
    EXPECT_EQ(fetch_events(bits(50, 52)), "f000 f002 f003 f005 f009 f00a");
    EXPECT_EQ(fetch_events(bits(50, 52, 55)), "f000 f002 f003 f006 f009 f00a");
    EXPECT_EQ(fetch_events(bits(50, 52, 55, 56)), "f000 f002 f003 f007 f009 f00a");
    EXPECT_EQ(fetch_events(bits(55, 56)), "f000 f002 f004 f007") << "given up while the tables were walked";
}

TEST(IbsFetch, the_page_is_known_once_it_is_translated) {
    EXPECT_EQ(fetch_events(bits(50, 52, 53)), "f000 f002 f003 f005 f009 f00b");
    EXPECT_EQ(fetch_events(bits(50, 52, 54)), "f000 f002 f003 f005 f009") << "1 GiB has no event";
    EXPECT_EQ(fetch_events(bits(50, 53)), "f000 f002 f003 f009");
}

TEST(IbsFetch, the_cache_hits_or_misses) {
    EXPECT_EQ(fetch_events(bits(50, 51, 52)), "f000 f002 f003 f005 f008 f00a");
}

TEST(IbsFetch, the_latency_counts_its_cycles) {
    EXPECT_EQ(fetch_events(bits(50) | cycles(0xffff, 32)), "f000 f002 f003 f009 f00e=65535");
    EXPECT_EQ(fetch_events(cycles(12, 32)), "f000 f001") << "killed";
}

TEST(IbsOp, has_cycles_between_tag_completion_and_retirement) {
    EXPECT_EQ(op_events(cycles(7, 0) | cycles(300, 16)), "f101=300 f102=7");
    EXPECT_EQ(op_events(0), "");
    EXPECT_EQ(events_of(op(0), 0xf100, 0xf100), "f100") << "every sample is one of all";
}

TEST(IbsOp, branches_are_counted_by_outcome) {
    EXPECT_EQ(op_events(bits(37)), "f103");
    EXPECT_EQ(op_events(bits(37, 36)), "f103 f104");
    EXPECT_EQ(op_events(bits(37, 35)), "f103 f105");
    EXPECT_EQ(op_events(bits(37, 36, 35)), "f103 f104 f105 f106");
    EXPECT_EQ(op_events(bits(37, 35, 34)), "f103 f105 f107");
    EXPECT_EQ(op_events(bits(37, 36, 35, 34)), "f103 f104 f105 f106 f107 f108");
    EXPECT_EQ(op_events(bits(36, 35, 34)), "") << "only what retired";
    EXPECT_EQ(op_events(bits(32)), "f109");
}

TEST(IbsOp, loads_and_stores_are_counted) {
    EXPECT_EQ(access_events(0), "");
    EXPECT_EQ(access_events(bits(0)), "f200 f201 f207");
    EXPECT_EQ(access_events(bits(1)), "f200 f202 f207");
    EXPECT_EQ(access_events(bits(0, 1)), "f200 f201 f202 f207");
    EXPECT_EQ(access_events(bits(2, 3, 7, 8, 15, 17)), "") << "neither a load nor a store";
}

TEST(IbsOp, the_data_tlbs_hit_or_miss_by_size_of_page) {
    EXPECT_EQ(access_events(bits(0, 17)), "f200 f201 f203 f207 f211");
    EXPECT_EQ(access_events(bits(0, 17, 4)), "f200 f201 f203 f207 f212");
    EXPECT_EQ(access_events(bits(0, 17, 5)), "f200 f201 f203 f207 f213");
    EXPECT_EQ(access_events(bits(0, 17, 2)), "f200 f201 f204 f207 f215");
    EXPECT_EQ(access_events(bits(0, 17, 2, 6)), "f200 f201 f204 f207 f216");
    EXPECT_EQ(access_events(bits(0, 17, 2, 19)), "f200 f201 f204 f207 f217");
    EXPECT_EQ(access_events(bits(0, 17, 2, 3)), "f200 f201 f205 f207");
}

TEST(IbsOp, the_data_cache_misses_and_loads_wait) {
    EXPECT_EQ(access_events(bits(0, 7) | cycles(321, 32)), "f200 f201 f206 f219=321");
    EXPECT_EQ(access_events(bits(1, 7) | cycles(321, 32)), "f200 f202 f206") << "nobody waits for a store";
    EXPECT_EQ(access_events(bits(0) | cycles(321, 32)), "f200 f201 f207");
}

TEST(IbsOp, accesses_are_counted_by_kind) {
    for (const auto& [n, code] : {std::pair{8u, "f208"},
                                  {9u, "f209"},
                                  {10u, "f20a"},
                                  {11u, "f20b"},
                                  {12u, "f20c"},
                                  {14u, "f20d"},
                                  {13u, "f20e"},
                                  {15u, "f20f"},
                                  {16u, "f210"}})
        EXPECT_EQ(access_events(bits(0, n)), std::string("f200 f201 f207 ") + code);
}

TEST(IbsNorthbridge, local_sources_are_distinguished) {
    EXPECT_EQ(northbridge_events(from(1)), "f240 f242 f24b=200");
    EXPECT_EQ(northbridge_events(from(2)), "f240 f243 f249 f24b=200");
    EXPECT_EQ(northbridge_events(from(2 | bits(5))), "f240 f243 f24a f24b=200");
    EXPECT_EQ(northbridge_events(from(3)), "f240 f245 f24b=200");
    EXPECT_EQ(northbridge_events(from(7)), "f240 f247 f24b=200");
}

TEST(IbsNorthbridge, remote_sources_are_distinguished) {
    EXPECT_EQ(northbridge_events(from(2 | bits(4))), "f241 f244 f249 f24c=200");
    EXPECT_EQ(northbridge_events(from(2 | bits(4, 5))), "f241 f244 f24a f24c=200");
    EXPECT_EQ(northbridge_events(from(3 | bits(4))), "f241 f246 f24c=200");
    EXPECT_EQ(northbridge_events(from(7 | bits(4))), "f241 f248 f24c=200");
}

TEST(IbsNorthbridge, only_load_misses_with_a_known_source_count) {
    EXPECT_EQ(northbridge_events(from(0)), "");
    EXPECT_EQ(northbridge_events(from(bits(4, 5))), "") << "no source";
    EXPECT_EQ(northbridge_events(from(3, bits(1, 7))), "") << "a store";
    EXPECT_EQ(northbridge_events(from(3, bits(0))), "") << "a hit";
}

TEST(IbsSample, registers_are_where_the_kernel_puts_them) {
    const auto fetched = parse_ibs_sample(Sampler::ibs_fetch, raw({11, 12, 13}));
    ASSERT_TRUE(fetched);
    EXPECT_EQ(fetched->fetch, 11u);
    const auto done = parse_ibs_sample(Sampler::ibs_op, raw({1, 2, 35, 36, 37, 38, 39}));
    ASSERT_TRUE(done);
    EXPECT_EQ(done->data, 35u);
    EXPECT_EQ(done->data2, 36u);
    EXPECT_EQ(done->data3, 37u);
    EXPECT_EQ(done->fetch, 0u);
}

TEST(IbsSample, further_registers_change_nothing) {
    EXPECT_TRUE(parse_ibs_sample(Sampler::ibs_fetch, raw({11, 12, 13, 14})));
    EXPECT_TRUE(parse_ibs_sample(Sampler::ibs_op, raw({1, 2, 35, 36, 37, 38, 39, 40, 41})));
}

TEST(IbsSample, of_any_length_is_read_or_refused) {
    const auto op_bytes = raw({1, 2, 35, 36, 37});
    for (size_t n = 0; n <= op_bytes.size(); ++n) {
        const std::span part(op_bytes.data(), n);
        EXPECT_EQ(parse_ibs_sample(Sampler::ibs_op, part).has_value(), n == op_bytes.size()) << n;
        EXPECT_EQ(parse_ibs_sample(Sampler::ibs_fetch, part).has_value(), n >= 12) << n;
    }
}

TEST(IbsEvents, codes_of_the_other_sampler_are_not_known) {
    EXPECT_TRUE(find_ibs_event(Sampler::ibs_fetch, 0xf001));
    EXPECT_FALSE(find_ibs_event(Sampler::ibs_op, 0xf001));
    EXPECT_FALSE(find_ibs_event(Sampler::ibs_fetch, 0xf240));
    EXPECT_FALSE(find_ibs_event(Sampler::counter, 0xf100));
    EXPECT_FALSE(find_ibs_event(Sampler::ibs_op, 0xf20000));
}

// The data that is installed.
TEST(IbsEvents, all_that_the_event_files_list_are_derived) {
    const char* const source = std::getenv("srcdir");
    const std::string dir = std::string(source ? source : ".") + "/events";
    const CpuModels models = load_cpu_models(dir);
    std::set<uint32_t> codes;
    for (const CpuModel& model : models.rows())
        for (const CatalogueEvent& event : load_catalogue(model, {dir, {}, false, ""}).events) {
            if (event.extended.empty()) continue;
            const auto sampler = event.extended == "ibs_op" ? Sampler::ibs_op : Sampler::ibs_fetch;
            EXPECT_TRUE(find_ibs_event(sampler, event.code)) << model.name << " " << event.name;
            codes.insert(event.code);
        }
    EXPECT_EQ(codes.size(), 60u);
}

}  // namespace op::collect
