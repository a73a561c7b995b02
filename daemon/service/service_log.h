// SPDX-License-Identifier: GPL-2.0-or-later
// The daemon's log: samples/oprofiled.log in the session directory, a line a happening, with its time.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "libop/base/diagnostics.h"
#include "libop/base/fd.h"
#include "libop/session/session.h"

namespace op::collect {

/// Appends lines. Nothing here throws but the constructor: a log that cannot be written must not stop the
/// work.
class ServiceLog {
public:
    /// Gets every line too, without its time; may be empty.
    using Echo = std::function<void(const std::string& line)>;

    /// `session` must outlive the log. Throws if the file cannot be opened (see SessionWriter::open_log).
    ServiceLog(const SessionWriter& session, Echo echo);

    /// Writes a line, printable and with its time.
    void say(std::string_view text) noexcept;
    /// Writes a line about work that failed, unless the last thing said of that work was the same.
    void trouble(const std::string& work, std::string_view reason) noexcept;
    /// The work succeeded: logs that if it had failed before.
    void recovered(const std::string& work) noexcept;
    /// Writes the warnings gathered so far.
    void say_all(Diagnostics& notes) noexcept;
    /// Writes several lines as they are, e.g. an account.
    void write(std::string_view block) noexcept;
    /// Reopens the file, for example after a rotation.
    void reopen() noexcept;

private:
    const SessionWriter& session_;
    Echo echo_;
    Fd file_;
    std::map<std::string, std::string> troubles_;  ///< by work, the last reason
};

}  // namespace op::collect
