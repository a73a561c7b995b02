// SPDX-License-Identifier: GPL-2.0-or-later
// From events to what perf_event_open takes. Sources: for x86 the event select registers (Intel SDM 3B,
// "Performance Monitoring"; AMD APM 2, "Performance Monitoring Counters"), for the others the kernel's
// drivers, whose config is the event number.
#include "libop/event_encoding.h"

#include "libop/error.h"
#include "libop/event_catalogue.h"
#include "libop/event_table.h"
#include "libop/kernel_events.h"
#include "libop/pfm_events.h"
#include "libop/text.h"

namespace op {

namespace {

constexpr uint64_t hardware_cycles = 0, software_cpu_clock = 0;
/// precise_ip for events that can be sampled precisely: the instruction of the event itself.
constexpr unsigned requested_zero_skid = 2;

bool is_amd(const CpuModel& model) {
    return model.name.starts_with("x86-64/") || model.name == "i386/athlon";
}

/// Event in bits 0-7 and, on AMD, 32-35; unit mask in 8-15; edge, any, invert and counter mask above.
EventEncoding encode_x86(const CpuModel& model, const CatalogueEvent& event, const UnitMaskChoice& mask) {
    const uint64_t greatest_code = is_amd(model) ? 0xfff : 0xff;
    if (event.code > greatest_code || mask.value > 0xff)
        throw_usage("event '" + event.name + "': code 0x" + hex(event.code) + " and unit mask 0x" +
                    hex(mask.value) + " have more bits than an event select register has for them");
    EventEncoding encoding;
    encoding.config = (event.code & 0xff) | uint64_t{mask.value} << 8 | uint64_t{event.code & 0xf00} << 24;
    encoding.config |= mask.extra & extra_bits::real;
    if (mask.extra & extra_bits::pebs) encoding.precise = requested_zero_skid;
    return encoding;
}

/// Facilities besides the counters are PMUs of their own in the kernel, by the same name.
EventEncoding encode_extended(const EventCatalogue& catalogue, const ResolvedEvent& resolved) {
    constexpr uint32_t fetch_all = 0x000, op_all = 0x100;      // of 0xf000 and 0xf100
    constexpr uint64_t ibs_op_counts_ops = uint64_t{1} << 19;  // IbsOpCntCtl of IBS_OP_CTL
    const CatalogueEvent& event = *resolved.event;
    if ((event.code & 0xfff) != fetch_all && (event.code & 0xfff) != op_all)
        throw_usage("event '" + event.name + "': which samples of " + printable(event.extended) +
                    " are such events is not told yet; the event ..._ALL, of all samples, can be counted");
    const auto type = kernel_pmu_type(catalogue.devices, event.extended);
    if (!type)
        throw_usage("event '" + event.name + "': the kernel has no PMU " + printable(event.extended) +
                    " on this machine");
    EventEncoding encoding;
    encoding.type = *type;
    if (event.extended == "ibs_op" && (resolved.unit_mask.value & 1) != 0)
        encoding.config = ibs_op_counts_ops;
    return encoding;
}

EventEncoding encode_file_event(const EventCatalogue& catalogue, const ResolvedEvent& resolved) {
    const std::string& type = catalogue.model.name;
    const CatalogueEvent& event = *resolved.event;
    if (!event.extended.empty()) return encode_extended(catalogue, resolved);
    if (type == "rtc")
        throw_usage("event '" + event.name + "': the clock of the RTC is counted by the driver only");
    if (type.starts_with("i386/p4"))
        throw_usage("event '" + event.name + "': of a Pentium 4 the kernel takes libpfm's events only");
    if (type.starts_with("i386/") || is_amd(catalogue.model))
        return encode_x86(catalogue.model, event, resolved.unit_mask);
    // What is sampled there are cycles, counter 0; the counters behind the other events can only be read.
    if (type.starts_with("s390/") && event.code == 0) return {perf_type_hardware, hardware_cycles, 0, 0, 0};
    if (resolved.unit_mask.value != 0 && !type.starts_with("ppc64/"))
        throw_usage("event '" + event.name + "': the kernel takes no unit masks on this processor");
    return {perf_type_raw, event.code, 0, 0, 0};
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
