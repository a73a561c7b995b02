// SPDX-License-Identifier: GPL-2.0-or-later
// The files in which a process has left what it compiled: of OProfile's libopagent and of ours.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "libop/base/diagnostics.h"
#include "libop/base/fd.h"
#include "libop/jit/code_lives.h"
#include "libop/jit/jo_file.h"

namespace op::tool {

/// What a process compiled, and when, in seconds since 1970.
struct DumpedCode {
    std::string path;  ///< of the dump
    JoTarget target;
    std::vector<CodeLife> lives;
};

/// Where dumps are looked for. Links are not followed, and only regular files of whoever may write to the
/// directory are read.
class CodeDumps {
public:
    /// A longer dump is not read.
    static constexpr size_t longest_dump = size_t{512} << 20;

    /// `agent_dir`: where OProfile's own agent writes PID.dump. Ours writes below the directories of the
    /// user, and with `of_all_users` is looked for below those in /run/user. Missing directories are left
    /// out.
    CodeDumps(const std::string& agent_dir, bool of_all_users, Diagnostics& notes);

    /// The newest dump of that process, if it was written to at `since` or later; what is damaged is a
    /// warning.
    std::optional<DumpedCode> find(uint32_t tgid, time_t since) const;
    /// Removes the dumps of OProfile's agent that belong to this user, or with root's rights all. Returns
    /// their number.
    size_t remove_all() const;

private:
    struct Place {
        Fd dir;
        std::string path;
        bool is_of_agent = false;  ///< OProfile's
    };
    struct Found {
        Fd file;
        std::string path;
        time_t written = 0;
    };

    void add(const std::string& path, bool is_of_agent);
    void consider(std::optional<Found>& best, const Fd& dir, const std::string& name,
                  const std::string& dir_path) const;
    void find_below(std::optional<Found>& best, const Place& place, uint32_t tgid) const;
    static std::string bytes_of(const Found& found);
    DumpedCode read(const Found& found) const;

    std::vector<Place> places_;
    Diagnostics& notes_;
};

}  // namespace op::tool
