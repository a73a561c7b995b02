// SPDX-License-Identifier: GPL-2.0-or-later
// Where jitdumps and perf maps of the processes of another profiler's recording may be. No process is looked
// at.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "libop/base/diagnostics.h"
#include "libop/base/fd.h"
#include "libop/jit/recorded_dumps.h"

namespace op::collect {

/// What an import knows of where names are.
struct ImportedPlaces {
    bool is_same_host = false;   ///< what the recording names may lie at its path here
    std::string beside = {};     ///< the recording's directory
    std::string directory = {};  ///< with jit-PID.dump and perf-PID.map, named by the user; empty = not named
    int64_t began = 0;           ///< the recording, ns since the epoch
    bool has_dump_times = false;  ///< its samples have times of the clock that jitdumps have
};

struct FoundFile {
    Fd file;
    std::string path;
};

/// Not thread-safe.
class ImportedFiles {
public:
    explicit ImportedFiles(ImportedPlaces places) : places_(std::move(places)) {}

    const ImportedPlaces& places() const noexcept { return places_; }
    /// A process has mapped this jitdump. Files in the directories are known by their names only: if several
    /// files had a name, none is taken for it.
    void note(const RecordedDump& dump);
    /// In the directory, beside the recording and, if it is the very file, at its recorded path; no file if
    /// it is not found.
    FoundFile find(const RecordedDump& dump) const;
    /// Of a process whose recording names none: in the directory only.
    FoundFile find_dump(uint32_t tgid) const;
    /// The process's map in the directory. One that is older than the recording is noted and not used.
    FoundFile find_map(uint32_t tgid, Diagnostics& notes) const;

private:
    Fd open_recorded(const RecordedDump& dump) const;
    FoundFile find_in(const std::string& directory, const std::string& name) const;

    ImportedPlaces places_;
    std::map<std::string, std::optional<RecordedDump>> by_name_;  ///< none = several files had the name
};

}  // namespace op::collect
