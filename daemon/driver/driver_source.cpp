// SPDX-License-Identifier: GPL-2.0-or-later
// Reading the driver's buffer.
#include "daemon/driver/driver_source.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "kernel/uapi/op_stream.h"
#include "libop/base/error.h"

namespace op::collect {
namespace {

constexpr size_t buffer_bytes = size_t{256} << 10;
// Small enough to stay in the first-level cache between decoding and collecting.
constexpr size_t batch_limit = 256;
constexpr uint16_t no_event = UINT16_MAX;

void check_version(const Oprofilefs& files) {
    const uint64_t version = files.number("stream_version");
    if (version != OP_STREAM_VERSION)
        throw_input(files.root() + ": the driver's stream is of version " + std::to_string(version) +
                    ", this program reads version " + std::to_string(OP_STREAM_VERSION) +
                    "; install driver and programs of the same release");
}

/// Samples in code made at run time need their times (doc/adr/0022-names-of-run-time-code.md). Earlier
/// drivers have none.
void ask_for_times(const Oprofilefs& files) {
    if (files.find_number("sample_times") == 0) files.set("sample_times", 1);
}

/// The event of each counter, the first of a sampler; empty if they have the same numbers.
std::vector<uint16_t> events_by_counter(const std::vector<int>& counters) {
    std::vector<uint16_t> events;
    bool same = true;
    for (size_t event = 0; event < counters.size(); ++event) {
        const auto counter = static_cast<uint16_t>(counters[event]);
        if (counter >= events.size()) events.resize(counter + 1, no_event);
        if (events[counter] == no_event) events[counter] = static_cast<uint16_t>(event);
        same = same && counter == event;
    }
    return same ? std::vector<uint16_t>() : events;
}

}  // namespace

DriverSource::DriverSource(Oprofilefs files, SessionInfo described, Diagnostics& notes, DriverOptions options)
    : files_(std::move(files)),
      described_(std::move(described)),
      notes_(notes),
      kernel_(std::move(options.kernel)),
      event_of_(events_by_counter(options.counters)),
      samplings_(std::move(options.samplings)),
      bytes_(buffer_bytes / sizeof(uint64_t)) {
    check_version(files_);
    ask_for_times(files_);
    buffer_ = files_.open_buffer();
    enable_ = files_.open_to_write("enable");
    batch_.reserve(batch_limit + 1);
}

void DriverSource::start() {
    files_.set(enable_, "enable", 1);
    // After enabling: the driver reports modules that are loaded from now on, and they are applied after
    // this.
    initial_.clear();
    if (std::ranges::any_of(described_.events, &RecordedEvent::kernel))
        add_kernel_records(kernel_, initial_, notes_);
    initial_due_ = true;
}

void DriverSource::stop() {
    files_.set(enable_, "enable", 0);
}

std::span<const Record> DriverSource::drain() {
    if (std::exchange(initial_due_, false) && !initial_.records().empty()) return initial_.records();
    batch_.clear();
    while (batch_.empty() && (!unread_.empty() || fill())) {
        unread_ = unread_.subspan(decoder_.decode(unread_, batch_, batch_limit));
        if (decoder_.damage()) {
            notes_.warn("the driver sent a damaged record (" + *decoder_.damage() +
                        "); some samples are lost");
            unread_ = {};
            decoder_ = {};
        }
        if (!event_of_.empty()) name_events();
        if (!samplings_.empty()) derive_events();
    }
    return batch_;
}

/// Reads; false if there is nothing.
bool DriverSource::fill() {
    ssize_t n = 0;
    do
        n = ::read(buffer_.get(), bytes_.data(), buffer_bytes);
    while (n < 0 && errno == EINTR);
    if (n < 0 && errno != EAGAIN) throw_system("cannot read " + files_.root() + "/buffer");
    unread_ = std::as_bytes(std::span(bytes_)).first(std::max<ssize_t>(n, 0));
    return n > 0;
}

/// The driver's records contain counters, the session's events.
void DriverSource::name_events() {
    const auto translate = [this](uint16_t& event) {
        event = event < event_of_.size() ? event_of_[event] : no_event;
    };
    for (Record& record : batch_) {
        if (auto* sample = std::get_if<PlacedSample>(&record)) translate(sample->event);
        if (auto* raw = std::get_if<RawSample>(&record)) translate(raw->placed.event);
        if (auto* throttle = std::get_if<Throttle>(&record)) translate(throttle->event);
        if (auto* time = std::get_if<EventTime>(&record)) translate(time->event);
    }
}

const Sampling* DriverSource::sampling_of(uint16_t event) const noexcept {
    const auto sampling = std::ranges::find(samplings_, event, &Sampling::opened);
    return sampling == samplings_.end() ? nullptr : &*sampling;
}

/// Replaces what came of samplers by what is derived from it: maybe nothing.
void DriverSource::derive_events() {
    derived_.clear();
    for (const Record& record : batch_) {
        const auto* const raw = std::get_if<RawSample>(&record);
        const auto* const throttle = std::get_if<Throttle>(&record);
        const Sampling* const sampling = raw        ? sampling_of(raw->placed.event)
                                         : throttle ? sampling_of(throttle->event)
                                                    : nullptr;
        if (!sampling)
            derived_.push_back(record);
        else if (raw)
            derive_samples(*sampling, raw->raw, raw->placed, derived_);
        else
            derive_throttles(*sampling, *throttle, derived_);
    }
    batch_.swap(derived_);
}

}  // namespace op::collect
