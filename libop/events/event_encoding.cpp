// SPDX-License-Identifier: GPL-2.0-or-later
// From events to what perf_event_open takes. Sources: for x86 the event select registers (Intel SDM 3B,
// "Performance Monitoring"; AMD APM 2, "Performance Monitoring Counters"), for the others the kernel's
// drivers, whose config is the event number.
#include "libop/events/event_encoding.h"

#include <algorithm>

#include "libop/base/error.h"
#include "libop/base/text.h"
#include "libop/events/event_catalogue.h"
#include "libop/events/event_numbers.h"
#include "libop/events/event_table.h"
#include "libop/events/kernel_events.h"
#include "libop/events/pfm_events.h"
#include "libop/events/uncounted.h"

namespace op {

namespace {

constexpr uint64_t hardware_cycles = 0, software_cpu_clock = 0;
/// precise_ip for events that can be sampled precisely: the instruction of the event itself.
constexpr unsigned requested_zero_skid = 2;

/// Event in bits 0-7 and, on AMD, 32-35; unit mask in 8-15; edge, any, invert and counter mask above, where
/// some codes have them, too.
EventEncoding encode_x86(const EventCatalogue& catalogue, const CatalogueEvent& event,
                         const UnitMaskChoice& mask) {
    const bool is_amd = event_numbers(catalogue.model.name) == EventNumbers::amd;
    const uint64_t greatest_code = is_amd ? 0xfff : 0xff;
    if ((event.code & ~extra_bits::real) > greatest_code || mask.value > 0xff)
        throw_usage("event '" + event.name + "': code 0x" + hex(event.code) + " and unit mask 0x" +
                    hex(mask.value) + " have more bits than an event select register has for them");
    EventEncoding encoding;
    encoding.config = (event.code & 0xff) | uint64_t{mask.value} << 8 | uint64_t{event.code & 0xf00} << 24;
    encoding.config |= (event.code | mask.extra) & extra_bits::real;
    if (mask.extra & extra_bits::pebs)
        encoding.precise = std::min(requested_zero_skid, greatest_precise_level(catalogue.devices));
    return encoding;
}

std::optional<Sampler> sampler_of(std::string_view facility) {
    if (facility == "ibs_fetch") return Sampler::ibs_fetch;
    if (facility == "ibs_op") return Sampler::ibs_op;
    return std::nullopt;
}

/// Facilities besides the counters are PMUs of their own in the kernel, by the same name.
EventEncoding encode_extended(const EventCatalogue& catalogue, const ResolvedEvent& resolved) {
    constexpr uint64_t ibs_op_counts_ops = uint64_t{1} << 19;  // IbsOpCntCtl of IBS_OP_CTL
    constexpr uint32_t wants_ops = 1, wants_logs = 2 | 4;      // of unit masks "ibs_op"
    const CatalogueEvent& event = *resolved.event;
    const auto sampler = sampler_of(event.extended);
    if (!sampler) throw_usage("event '" + event.name + "': nothing is known of " + printable(event.extended));
    const uint32_t mask = *sampler == Sampler::ibs_op ? resolved.unit_mask.value : 0;
    if (mask & wants_logs)
        throw_usage("event '" + event.name +
                    "': no log of memory accesses or branch targets is kept; use unit mask 0x" +
                    hex(mask & ~wants_logs));
    const auto type = kernel_pmu_type(catalogue.devices, event.extended);
    if (!type)
        throw_usage("event '" + event.name + "': the kernel has no PMU " + printable(event.extended) +
                    " on this machine");
    EventEncoding encoding;
    encoding.type = *type;
    if (mask & wants_ops) encoding.config = ibs_op_counts_ops;
    encoding.sampler = *sampler;
    return encoding;
}

[[noreturn]] void fail_uncounted(const CatalogueEvent& event, const std::string& reason) {
    throw_usage("event '" + event.name + "': no kernel of today counts it: " + reason);
}

/// POWER before POWER8: codes are a group and a counter of the driver of old. The kernel has a code for the
/// event by itself, which the files or libpfm know.
EventEncoding encode_grouped(const EventCatalogue& catalogue, const CatalogueEvent& event,
                             std::string_view name) {
    const auto original = std::ranges::find(catalogue.events, name, &CatalogueEvent::name);
    if (original == catalogue.events.end())
        fail_uncounted(event, "neither the event files nor libpfm have a code of " + std::string(name));
    return encode_event(catalogue, {&*original, {}, {}});
}

/// On MIPS the files and the kernel add a bit to what odd counters count, each another one.
uint64_t mips_code(uint32_t code) {
    constexpr uint32_t odd_counter = 0x400, kernels_odd_counter = 0x80;
    return (code & odd_counter) == 0 ? code : (code & ~odd_counter) | kernels_odd_counter;
}

EventEncoding encode_power(const EventCatalogue& catalogue, const ResolvedEvent& resolved) {
    const CatalogueEvent& event = *resolved.event;
    if (const auto name = without_group(event.name)) return encode_grouped(catalogue, event, *name);
    if (event.name == "CYCLES") return {perf_type_hardware, hardware_cycles, 0, 0, 0};
    return {perf_type_raw, event.code | uint64_t{resolved.unit_mask.value} << 32, 0, 0, 0};
}

/// The code, on processors whose events have no unit masks.
EventEncoding encode_code(const ResolvedEvent& resolved, uint64_t code) {
    if (resolved.unit_mask.value != 0)
        throw_usage("event '" + resolved.event->name + "': the kernel takes no unit masks on this processor");
    return {perf_type_raw, code, 0, 0, 0};
}

EventEncoding encode_file_event(const EventCatalogue& catalogue, const ResolvedEvent& resolved) {
    const CatalogueEvent& event = *resolved.event;
    if (const std::string reason = why_uncounted(catalogue.model, event); !reason.empty())
        fail_uncounted(event, reason);
    if (!event.extended.empty()) return encode_extended(catalogue, resolved);
    switch (event_numbers(catalogue.model.name)) {
        case EventNumbers::rtc:
            throw_usage("event '" + event.name + "': the clock of the RTC is counted by the driver only");
        case EventNumbers::pentium4:
            throw_usage("event '" + event.name + "': on a Pentium 4 the kernel takes only libpfm's events");
        case EventNumbers::x86:
        case EventNumbers::amd:
            return encode_x86(catalogue, event, resolved.unit_mask);
        case EventNumbers::power:
            return encode_power(catalogue, resolved);
        case EventNumbers::s390:
            // The hardware samples cycles only, counter 0; the counters of the other events can only be read.
            if (event.code == 0) return {perf_type_hardware, hardware_cycles, 0, 0, 0};
            break;
        case EventNumbers::mips:
            return encode_code(resolved, mips_code(event.code));
        case EventNumbers::code:
            break;
    }
    return encode_code(resolved, event.code);
}

}  // namespace

EventEncoding builtin_encoding(std::string_view name) noexcept {
    if (name == timer_event) return {perf_type_software, software_cpu_clock, 0, 0, 0};
    return {perf_type_hardware, hardware_cycles, 0, 0, 0};
}

EventEncoding encode_event(const EventCatalogue& catalogue, const ResolvedEvent& resolved) {
    const CatalogueEvent& event = *resolved.event;
    switch (event.origin) {
        case EventOrigin::file:
            return encode_file_event(catalogue, resolved);
        case EventOrigin::libpfm:
            return pfm_encoding(event.pmu, event.name, resolved.unit_mask.name);
        case EventOrigin::kernel:
            return event.encoding.value();
        case EventOrigin::clock:
            return builtin_encoding(event.name);
    }
    throw Error(ErrorKind::internal, "an event of no origin");
}

}  // namespace op
