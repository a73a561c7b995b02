// SPDX-License-Identifier: GPL-2.0-or-later
// Appending to the daemon's log.
#include "daemon/service/service_log.h"

#include <ctime>
#include <exception>

#include "libop/base/clock.h"
#include "libop/base/error.h"
#include "libop/base/text.h"

namespace op::collect {
namespace {

std::string time_text() {
    const time_t now = epoch_seconds();
    std::tm parts{};
    char text[32];
    ::gmtime_r(&now, &parts);
    return {text, std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC ", &parts)};
}

}  // namespace

ServiceLog::ServiceLog(const SessionWriter& session, Echo echo)
    : session_(session), echo_(std::move(echo)), file_(session.open_log(daemon_log)) {}

void ServiceLog::write(std::string_view block) noexcept {
    try {
        write_fd(file_.get(), block, daemon_log);
    } catch (const std::exception&) {
        // A full disk: it cannot be reported anywhere.
    }
}

void ServiceLog::say(std::string_view text) noexcept {
    try {
        const std::string line = printable(text) + "\n";
        write(time_text() + line);
        if (echo_) echo_(line);
    } catch (const std::exception&) {
        // Out of memory for a line of the log: the work goes on.
    }
}

void ServiceLog::trouble(const std::string& work, std::string_view reason) noexcept {
    std::string& last = troubles_[work];
    if (last == reason) return;
    last = reason;
    say("error: " + work + ": " + last);
}

void ServiceLog::recovered(const std::string& work) noexcept {
    if (troubles_.erase(work) > 0) say(work + ": works again");
}

void ServiceLog::say_all(Diagnostics& notes) noexcept {
    for (const std::string& note : notes.take())
        say("warning: " + note);
}

void ServiceLog::reopen() noexcept {
    try {
        file_ = session_.open_log(daemon_log);
    } catch (const Error& e) {
        say(std::string("the log could not be reopened: ") + e.what());
    }
}

}  // namespace op::collect
