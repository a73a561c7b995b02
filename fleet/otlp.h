// SPDX-License-Identifier: GPL-2.0-or-later
// Profiles as OpenTelemetry's protocol has them, version v1development, which may change: the message
// ExportProfilesServiceRequest of opentelemetry-proto. One application a message; functions that were inlined
// count as those that they were inlined into.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "libop/session/session_info.h"
#include "libpp/profile/profile.h"

namespace op::fleet {

/// What a message has besides the profile.
struct OtlpContext {
    const SessionInfo* info = nullptr;  ///< null = the session has no manifest
    std::string application, host;      ///< the path of the program
    std::string identity;  ///< of the part: what makes profile ids the same when it is sent again
};

/// The bytes of the request, not compressed: one Profile for each event of the part's samples. Entry 0 of
/// each table of its dictionary is the zero value.
std::string encode_otlp(const pp::Profile& part, const OtlpContext& context);

/// What the body of a successful answer rejects, in words; empty = nothing, also for a body that is no
/// answer.
std::string otlp_rejection(std::string_view body);

}  // namespace op::fleet
