// SPDX-License-Identifier: GPL-2.0-or-later
// Names of code made at run time for a session imported from another profiler's recording: from the jitdumps
// that the recording names, and from the files of a directory that the user names. What runs under a process
// number, from exec or fork to the next one, is a life. The code of each life has generations of its own, so
// that no life's names are given to another's samples, also not to those that the session had before.
#pragma once

#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "daemon/jit/code_hits.h"
#include "daemon/jit/code_watch.h"
#include "daemon/jit/imported_files.h"
#include "daemon/jit/reader_messages.h"
#include "libop/base/diagnostics.h"
#include "libop/session/session.h"

namespace op::collect {

/// Not thread-safe.
class ImportedCode final : public CodeWatch {
public:
    /// Lives with code, of all processes and of one. The code of further ones has no names.
    static constexpr size_t most_lives = 16384, most_lives_of_one = 256;

    /// `session` (begun) and `notes` must outlive the object. `earlier`: the highest generation that the
    /// session has of each process, see code_generations().
    ImportedCode(ImportedPlaces places, const SessionWriter& session,
                 const std::map<uint32_t, unsigned>& earlier, Diagnostics& notes);

    void note(uint32_t tgid, std::string_view program) override;
    void note_mapping(uint32_t tgid, std::string_view path, const FileIdentity& file,
                      std::string_view program) override;
    void end(uint32_t tgid) override;
    /// Leaves nothing to wait, whatever the limit is.
    void place(std::chrono::milliseconds limit, bool is_last) noexcept override;
    void drop_held() override;
    /// Names what the session has. Its files must have been flushed. A dump that the recording names and that
    /// is not found is noted. Dumps that it does not name, and perf maps not older than it, are taken from
    /// the user's directory only, for processes with one life. Throws a system error.
    void write();

private:
    struct Life {
        uint32_t tgid;
        unsigned base;  ///< generation of its first code
        std::optional<RecordedDump> dump = {};
        std::unique_ptr<HeldSamples> held = {};
        unsigned last = 0;  ///< the highest generation of a sample, from `base` on
        bool has_samples = false;
        bool is_overwritten = false;  ///< the file of its jitdump has another life's
        bool is_timed = true;         ///< all its samples were placed by their times
    };

    HeldSamples* held_of(uint32_t tgid) override;
    Life* find_or_begin(uint32_t tgid);
    unsigned first_generation(uint32_t tgid) const;
    bool is_placed_by_time(const Life& life) const { return life.dump && files_.places().has_dump_times; }
    void place(Life& life);
    std::vector<uint8_t> generations_of(Life& life, std::span<const CodeMoment> moments);
    void forget_overwritten(const Life& life);
    void note_unused(uint32_t tgid);
    void write(uint32_t tgid, const CodeHits& hits);
    std::vector<CodeSymbol> names_of(const Life& life, std::span<const uint64_t> addresses, bool is_only);
    MapAnswer read(const Life& life, std::span<const uint64_t> addresses, bool is_only, std::string& path);
    void note_ambiguous();

    ImportedFiles files_;
    const SessionWriter& session_;
    Diagnostics& notes_;
    std::map<uint32_t, std::list<Life>> lives_;
    size_t number_of_lives_ = 0;
    std::map<uint32_t, Life*> current_;               ///< the last one of its process
    std::map<uint32_t, unsigned> first_generations_;  ///< of the next life; none = 0
    std::set<uint32_t> has_plain_;  ///< generation 0 has samples of other lives than the first
    bool has_noted_clock_ = false;
};

}  // namespace op::collect
