// SPDX-License-Identifier: GPL-2.0-or-later
// Exporters: a profile as a file that another program reads. One function per format; the table is in
// exporters.cpp. Reports, which are chosen rows, go through writers (libpp/report/writer.h).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libop/session/session_info.h"
#include "libpp/object/demangle.h"
#include "libpp/profile/profile.h"

namespace op::pp {

/// Facts that an export may contain besides the profile.
struct ExportContext {
    const SessionInfo* info = nullptr;  ///< of the sessions, joined; null if none has a manifest
    Demangle demangle = Demangle::normal;
    std::vector<std::string> remarks = {};  ///< on how events were counted; one a line
};

/// The file of one format: all samples of the profile, each once, including those in no symbol. Names come
/// from foreign files; a text format has no control characters in them.
using ExportProfile = std::string(const Profile& profile, const ExportContext& context);

/// A format.
struct Exporter {
    std::string_view name;
    bool is_text = false;          ///< else not for a terminal
    bool has_threads = false;      ///< has a place for process, thread and CPU of samples within one file
    bool has_inlines = false;      ///< has a place for inlined functions, and always has them
    bool has_remarks = false;      ///< has a place for those of the context
    bool has_only_stacks = false;  ///< call stacks, each function a frame; inlined ones if that is requested
    std::string_view file_prefix = "", file_suffix = "";  ///< around an application's name in a directory
    ExportProfile* write = nullptr;
};

/// All formats.
std::span<const Exporter> exporters();
/// The format of that name, or null.
const Exporter* find_exporter(std::string_view name);

/// The shortest names that distinguish the columns' events: EVENT, EVENT:COUNT or EVENT:COUNT:0xMASK.
/// Columns of the same event have the same name.
std::vector<std::string> event_names(std::span<const ProfileClass> columns);
/// Throws a usage error, which lists the events, if a profile for that format has several columns.
void require_one_event(const Profile& profile, std::string_view format);

/// The time of so many samples of so many nanoseconds each, in milliseconds to the nanosecond: "2.75".
std::string milliseconds_text(uint64_t samples, uint64_t nanoseconds);

}  // namespace op::pp
