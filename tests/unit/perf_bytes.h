// SPDX-License-Identifier: GPL-2.0-or-later
// Perf records laid out by hand after perf_event_open(2).
#pragma once

#include <linux/perf_event.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace op::test {

/// A record under construction, 8-byte aligned.
class PerfBytes {
public:
    PerfBytes(uint32_t type, uint16_t misc) { head_ = {type, misc, 0}; }
    PerfBytes& u32(uint32_t v) { return raw(&v, sizeof v); }
    PerfBytes& u64(uint64_t v) { return raw(&v, sizeof v); }
    PerfBytes& text(std::string s) {
        s.resize((s.size() + 8) / 8 * 8);
        return raw(s.data(), s.size());
    }
    /// pid, tid; time; cpu, reserved
    PerfBytes& trailer(uint64_t time, uint32_t cpu) { return u32(7).u32(8).u64(time).u32(cpu).u32(0); }
    /// The whole record. Valid until the next call.
    const perf_event_header& header() {
        words_.assign((sizeof head_ + body_.size() + 7) / 8, 0);
        head_.size = sizeof head_ + body_.size();
        std::memcpy(words_.data(), &head_, sizeof head_);
        std::memcpy(words_.data() + 1, body_.data(), body_.size());
        return *reinterpret_cast<const perf_event_header*>(words_.data());
    }

private:
    PerfBytes& raw(const void* data, size_t size) {
        body_.append(static_cast<const char*>(data), size);
        return *this;
    }
    perf_event_header head_;
    std::string body_;
    std::vector<uint64_t> words_;
};

}  // namespace op::test
