// SPDX-License-Identifier: GPL-2.0-or-later
// What a report command does outside its sandbox, and closing the sandbox.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libop/base/diagnostics.h"
#include "libpp/symbols/symbolizer.h"
#include "utils/report_options.h"
#include "utils/shared/helper.h"
#include "utils/shared/output.h"
#include "utils/shared/sandbox.h"
#include "utils/shared/tool.h"

namespace op::tool {

/// What a report command will read and write.
struct OutsidePlan {
    std::vector<std::vector<std::string>> profiles = {};  ///< the words of each profile specification
    std::string output_file = {};                         ///< as for write_output()
    std::string output_dir = {};                          ///< empty = none
    bool keeps_times = false;                             ///< copies files to that directory with their times
    std::optional<ShowOptions> show = {};                 ///< for results that people read
    bool runs_programs = false;                           ///< starts programs, in the sandbox too
    std::vector<int> descriptors = {};                    ///< of helpers of the command's own
    bool flushes_daemon = false;                          ///< has a daemon write its samples again and again
};

/// What stays outside: fetching files by build-id, writing the one file that the result goes to, the pager.
/// Where these may be needed, helper processes do them (utils/shared/helper.h), one of them the fetching.
class Outside {
public:
    /// Asks a daemon that records into the sessions to write its samples (best effort, at most two seconds
    /// each), makes the output directory, starts the helpers, and goes into the sandbox (see enter_sandbox())
    /// unless the options forbid it. A note names each directory given by an option that the sandbox keeps
    /// from being read. No foreign file may be read before. Throws a usage error if the specifications are
    /// wrong, else what TreeWriter throws.
    Outside(const CommonOptions& options, const OutsidePlan& plan, Tool& tool);
    Outside(const Outside&) = delete;
    Outside& operator=(const Outside&) = delete;
    /// Removes directories that were made and are still empty.
    ~Outside();

    /// The source of files that are missing on this machine; null = none. Valid as long as this object.
    pp::BuildIdSource* by_build_id() const noexcept { return fetcher_.get(); }
    /// Asks a daemon that records into the sessions, as the constructor did, if the plan has it. Best effort:
    /// one that did not answer within two seconds is left alone for the next calls.
    void flush_daemon();
    /// write_output() to the output file.
    void write(std::string_view bytes);
    /// show_output() to the output file, stdout or the pager.
    void show(std::string_view text);

private:
    std::string answer(std::string_view request);
    void ask_to_flush();
    void make_directory(const std::string& path);
    void start_helpers(Diagnostics& notes, SandboxNeeds& needs);
    bool is_output_outside() const;

    const CommonOptions& options_;
    std::vector<std::vector<std::string>> flushed_;  ///< the profiles whose daemon is asked again
    unsigned unasked_ = 0;                           ///< calls of flush_daemon() that do not ask
    std::string output_file_;
    std::optional<ShowOptions> show_;
    std::vector<std::string> made_dirs_;  ///< innermost first
    std::unique_ptr<pp::BuildIdSource> fetcher_;
    std::optional<Helper> helper_;  ///< writes the result
};

}  // namespace op::tool
