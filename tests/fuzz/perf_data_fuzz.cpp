// SPDX-License-Identifier: GPL-2.0-or-later
// Fuzz target: any bytes are a perf.data file or an input error, and end; the views of every record can be
// read; the process table takes whatever the records state.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "daemon/collect/process_table.h"
#include "daemon/import/perf_data_source.h"
#include "libop/base/error.h"
#include "libop/stream/stream.h"
#include "tests/fuzz/work_dir.h"

namespace {

using namespace op;

struct Apply {
    collect::ProcessTable& table;

    void operator()(const Mapping& mapping) const { table.apply(mapping); }
    void operator()(const Name& name) const { table.apply(name); }
    void operator()(const Fork& fork) const { table.apply(fork); }
    void operator()(const Exit& exit) const { table.apply(exit); }
    void operator()(const Sample& sample) const {
        if (sample.kernel_frames > sample.chain.size()) std::abort();
        if (sample.user_stack && sample.user_stack->bytes.size() > sample.user_stack->requested) std::abort();
    }
    template <class R>
    void operator()(const R&) const {}
};

void import(const std::string& path) {
    Diagnostics notes;
    collect::PerfDataSource source({MappedFile(path), "input"}, notes);
    collect::ProcessTable table;
    RecordEncoder encoder;  // reads all that the views point to
    std::string bytes;
    for (auto records = source.drain(); !records.empty(); records = source.drain())
        for (const Record& record : records) {
            std::visit(Apply{table}, record);
            encoder.encode(record, bytes);
            bytes.clear();
        }
    source.is_running_kernel(1);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    static const fuzz::WorkDir dir;
    const std::string path = dir / "perf.data";
    {
        const Fd file = open_file(path, O_WRONLY | O_CREAT | O_TRUNC);
        write_fd(file.get(), {reinterpret_cast<const char*>(data), size}, path);
    }
    try {
        import(path);
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::input) std::abort();
    }
    return 0;
}
