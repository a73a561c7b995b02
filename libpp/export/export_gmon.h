// SPDX-License-Identifier: GPL-2.0-or-later
// A profile as gmon.out, which gprof reads. Format: gmon_out.h of the GNU C library, version 1;
// doc/FORMATS.md.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "libop/base/diagnostics.h"
#include "libpp/profile/profile.h"

namespace op::pp {

/// The histogram and the arcs (or calls of stacks) of one image of a profile with one column. Addresses are
/// linked addresses of `address_bytes` (4 or 8) each, in host byte order. gprof adds up records of the same
/// kind, so counts too large for one record are spread over several. The file is cut at 256 MiB, with a
/// warning. Throws a usage error if the samples are spread too widely for a histogram.
std::string export_gmon(const Profile& profile, uint32_t image, unsigned address_bytes, Diagnostics& notes);

/// True if gprof reads a local symbol of this name (tried with gprof 2.40; it reads all global ones). The
/// name must not contain a '$'; after a '.' it may have only digits, up to the next '.', or "clone" or
/// "constprop" before one.
bool gprof_reads_local(std::string_view name);

}  // namespace op::pp
