// SPDX-License-Identifier: GPL-2.0-or-later
// Separate debug files: finds them and checks that they fit.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "libop/base/diagnostics.h"
#include "libop/base/fd.h"
#include "libop/base/object_file.h"

namespace op::pp {

/// The path of the debug file of that build-id (lower-case hex, more than two digits) below a root directory.
std::string debug_file_path(const std::string& build_id);

/// The reason why a file is not the debug file of that build-id; empty if it is.
std::string debug_file_fault(const std::string& path, const std::string& build_id);

/// The reason why an open file is not the debug file of a binary, by build-id, or by the checksum of its
/// debug link where one of both has no build-id; empty if it is. `path` is for messages.
std::string debug_file_fault(const Fd& file, const std::string& path, const ObjectFile& binary);

/// The debug file of a binary, if one is found below any of `roots` ("" = this machine's): by build-id in
/// /usr/lib/debug/.build-id, otherwise by its debug link and checksum in DIR/.debug, /usr/lib/debug/DIR and
/// DIR, where DIR is the binary's directory. A candidate with another build-id or checksum is skipped with a
/// note.
std::optional<std::string> find_debug_file(const std::string& binary, const ObjectFile& object,
                                           std::span<const std::string> roots, Diagnostics& notes);

}  // namespace op::pp
