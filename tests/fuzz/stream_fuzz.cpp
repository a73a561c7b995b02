// SPDX-License-Identifier: GPL-2.0-or-later
// Fuzz target: any bytes are a stream or an input error; every view lies within the bytes; the process table
// takes whatever the records say.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "daemon/process_table.h"
#include "libop/error.h"
#include "libop/stream.h"

namespace {

struct Check {
    std::span<const std::byte> bytes;
    op::collect::ProcessTable& table;

    void within(const void* start, size_t size) const {
        const auto* p = static_cast<const std::byte*>(start);
        if (size > 0 && (p < bytes.data() || p + size > bytes.data() + bytes.size())) std::abort();
    }
    void operator()(const op::Sample& s) const {
        within(s.chain.data(), s.chain.size_bytes());
        if (s.kernel_frames > s.chain.size()) std::abort();
        const auto* region = table.find_user(s.tgid, s.pc);
        if (region && (s.pc < region->start || s.pc >= region->end)) std::abort();
    }
    void operator()(const op::Mapping& m) const {
        within(m.path.data(), m.path.size());
        within(m.build_id.data(), m.build_id.size());
        table.apply(m);
    }
    void operator()(const op::Name& n) const {
        within(n.comm.data(), n.comm.size());
        table.apply(n);
    }
    void operator()(const op::Lost&) const {}
    void operator()(const op::Throttle&) const {}
    template <class R>
    void operator()(const R& record) const {
        table.apply(record);
    }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    std::vector<uint64_t> aligned((size + 7) / 8);
    if (size > 0) std::memcpy(aligned.data(), data, size);
    const auto bytes = std::as_bytes(std::span(aligned)).first(size);
    try {
        op::StreamReader reader(bytes, "input");
        op::collect::ProcessTable table;
        std::vector<op::Record> records;
        for (reader.read(records, 16); !records.empty(); reader.read(records, 16))
            for (const op::Record& record : records)
                std::visit(Check{bytes, table}, record);
    } catch (const op::Error& error) {
        if (error.kind() != op::ErrorKind::input) std::abort();
    }
    return 0;
}
