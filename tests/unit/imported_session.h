// SPDX-License-Identifier: GPL-2.0-or-later
// What the session of an imported recording has.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "daemon/collect/collector.h"
#include "daemon/import/importers.h"
#include "daemon/run/recording.h"
#include "libop/base/text.h"
#include "libop/session/session.h"
#include "tests/unit/temp_dir.h"

namespace op::test {

/// A recording opened and collected, with threads apart.
class ImportedSession {
public:
    using Open = collect::OpenedRecording (*)(collect::ImportedFile, const collect::ImportOptions&,
                                              Diagnostics&);

    /// Throws as `open` does.
    ImportedSession(Open open, const std::string& path, const collect::ImportOptions& options = {})
        : session_(dir_.path(), false, notes_) {
        session_.begin(false);
        constexpr uint64_t written = 1'700'000'000'000'000'000;
        const auto opened = open({MappedFile(path), "trace", written}, options, notes_);
        collect::CollectorOptions collected{.separation = {.library = true, .kernel = true, .thread = true}};
        collected.stacks = opened.has_stacks;
        collect::Collector collector(session_, opened.source->describe(), collected, notes_);
        collect::drain_into(*opened.source, [&](auto records) { collector.process(records); });
        info_ = collector.flush_and_account();
    }

    const SessionInfo& info() const { return info_; }
    const std::vector<std::string>& warnings() const { return notes_.warnings(); }
    /// Lines of EVENT.COUNT PROCESS IMAGE OFFSET SAMPLES, sorted.
    std::string lines() {
        const SessionReader reader(session_.current_path());
        std::vector<std::string> lines;
        for (const std::string& path : reader.list()) {
            const auto name = parse_sample_path(path);
            if (!name || name->callee) continue;
            const std::string begin = name->event + "." + std::to_string(name->count) + " " +
                                      std::to_string(name->tgid.value_or(0)) + " " + name->image.name + " 0x";
            for (const SampleEntry& entry : reader.read(path, notes_).entries)
                lines.push_back(begin + hex(entry.key) + " " + std::to_string(entry.count) + "\n");
        }
        std::ranges::sort(lines);
        return joined(lines, "");
    }

private:
    TempDir dir_;
    Diagnostics notes_;
    SessionWriter session_;
    SessionInfo info_;
};

}  // namespace op::test
