// SPDX-License-Identifier: GPL-2.0-or-later
// Functions of one process, as a session keeps them, and what is to be said about the map they come from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/jit/reader_messages.h"
#include "libop/base/diagnostics.h"
#include "libop/jit/code_symbols.h"
#include "libop/session/session.h"

namespace op::collect {

/// Notes why the map is not used, or what of it is not; nothing if it is absent or good. `what` is its name
/// for people.
void note_map(const MapAnswer& answer, const std::string& what, Diagnostics& notes);

/// What the session has of that process number already.
std::optional<CodeMap> kept_code(const SessionWriter& session, const ImageName& application, uint32_t tgid);
/// Keeps the functions, joined with `earlier`: addresses have no times here, so what another process of that
/// number had under another name has none. Throws a system error.
void keep_code(const SessionWriter& session, const ImageName& application, uint32_t tgid,
               const std::optional<CodeMap>& earlier, std::vector<CodeSymbol> symbols, Diagnostics& notes);

}  // namespace op::collect
