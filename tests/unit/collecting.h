// SPDX-License-Identifier: GPL-2.0-or-later
// A collector at work in a session of its own.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "daemon/collect/collector.h"
#include "tests/unit/temp_dir.h"

namespace op::collect {

inline constexpr uint64_t kernel_start = 0xffffffff81000000;
/// The end of the name of a file of the first event without separation.
inline constexpr const char* tail = "TIMER.1000000.0.all.all.all";

/// Besides what is kept apart unless another is chosen.
inline constexpr Separation by_thread{.library = true, .kernel = true, .thread = true};
inline constexpr Separation by_thread_and_cpu{.library = true, .kernel = true, .thread = true, .cpu = true};

/// A collector over a session of its own, with one process 7 running /bin/app.
class Collecting : public ::testing::Test {
protected:
    Collecting() : session_(dir_.path(), false, notes_) {
        session_.begin(false);
        info_.cpu_type = 4;
        info_.events = {{"TIMER", 0, 1000000}, {"OTHER", 1, 5000}};
    }

    Collector& collector(const CollectorOptions& options = {}, FillGaps fill = {}) {
        collector_ = std::make_unique<Collector>(session_, info_, options, notes_, std::move(fill));
        feed({Mapping{0, 0, {0}, UINT64_MAX, 0, true, no_vmlinux, {}},
              Mapping{0, 0, {kernel_start}, 0x100000, 0, true, "/proc/kallsyms", {}},
              Mapping{0, 0, {0xffffffffc0000000}, 0x4000, 0, true, "ext4", {}}, Name{0, 7, 7, true, "app"},
              Mapping{0, 7, {0x400000}, 0x10000, 0x1000, false, "/bin/app", {}},
              Mapping{0, 7, {0x7f0000}, 0x10000, 0, false, "/lib/libc.so", {}},
              Mapping{0, 7, {0x900000}, 0x1000, 0, false, "[heap]", {}}});
        return *collector_;
    }
    void feed(const std::vector<Record>& records) { collector_->process(records); }
    static Sample user(uint64_t pc, uint32_t tgid = 7, uint32_t cpu = 0) {
        return {1, tgid, tgid, cpu, 0, CpuMode::user, 0, {pc}, {}};
    }
    static Sample kernel(uint64_t pc, uint32_t tgid = 7) {
        return {1, tgid, tgid, 0, 0, CpuMode::kernel, 0, {pc}, {}};
    }

    /// All sample files as "path key=count ...", sorted.
    std::vector<std::string> files() {
        account_ = collector_->flush_and_account();
        const SessionReader reader(session_.current_path());
        std::vector<std::string> lines;
        for (const std::string& path : reader.list()) {
            auto content = reader.read(path, notes_);
            std::ranges::sort(content.entries, {}, &SampleEntry::key);
            std::string line = path;
            for (const auto& e : content.entries)
                line += " " + hex_of(e.key) + "=" + std::to_string(e.count);
            lines.push_back(line);
        }
        return lines;
    }
    static std::string hex_of(uint64_t v) {
        char text[20];
        std::snprintf(text, sizeof text, "%lx", static_cast<unsigned long>(v));
        return text;
    }

    test::TempDir dir_;
    Diagnostics notes_;
    SessionWriter session_;
    SessionInfo info_, account_;
    std::unique_ptr<Collector> collector_;
};

}  // namespace op::collect
