// SPDX-License-Identifier: GPL-2.0-or-later
// Fetches files by build-id in a process of its own, which keeps its rights when this one goes into the
// sandbox.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "libop/base/diagnostics.h"
#include "libpp/symbols/symbolizer.h"
#include "utils/shared/helper.h"

namespace op::tool {

/// A source whose work is done by a helper process. If that process ends, a note reports it, and the source
/// has no more files.
class FetchHelper final : public pp::BuildIdSource {
public:
    /// Starts the process, in which `source` then lives. `notes`, to which it adds, must outlive the object
    /// (see Helper). Throws a system error.
    FetchHelper(std::unique_ptr<pp::BuildIdSource> source, Diagnostics& notes);

    std::optional<std::string> executable(const std::string& build_id) override;
    std::optional<std::string> debug_file(const std::string& build_id) override;
    /// The end of the connection to the process.
    int descriptor() const noexcept { return helper_->descriptor(); }

private:
    std::optional<std::string> fetch(char what, const std::string& build_id);
    std::string answer(std::string_view request);

    std::unique_ptr<pp::BuildIdSource> source_;  ///< in the process only
    Diagnostics& notes_;
    std::optional<Helper> helper_;
    bool has_failed_ = false;
};

}  // namespace op::tool
