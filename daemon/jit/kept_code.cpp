// SPDX-License-Identifier: GPL-2.0-or-later
// Files beside the sample files.
#include "daemon/jit/kept_code.h"

#include <utility>

#include "libop/base/counted.h"
#include "libop/jit/jo_file.h"

namespace op::collect {
namespace {

std::string_view reason(MapState state) {
    switch (state) {
        case MapState::stale:
            return "is of another process that had its number";
        case MapState::others:
            return "belongs to another user";
        case MapState::no_file:
            return "is no regular file";
        default:
            return "cannot be read";
    }
}

std::string label_of(const SessionWriter& session, const std::string& path) {
    return session.current_path() + "/" + path;
}

}  // namespace

void note_map(const MapAnswer& answer, const std::string& what, Diagnostics& notes) {
    if (answer.state == MapState::absent) return;
    if (answer.state != MapState::read)
        return notes.warn(what + " is not used: it " + std::string(reason(answer.state)));
    if (answer.counts.bad > 0)
        notes.warn(std::to_string(answer.counts.bad) + " of " + counted(answer.counts.lines, "line") +
                   " of " + what + (answer.counts.bad == 1 ? " is" : " are") + " not understood");
    if (answer.is_cut) notes.warn(what + " is too long or damaged: some functions have no name");
    if (answer.ambiguous > 0)
        notes.warn(what + " has different functions at " + std::to_string(answer.ambiguous) +
                   (answer.ambiguous == 1 ? " address, which has " : " addresses, which have ") +
                   (answer.is_dump ? "no name" : "the name of the last one"));
}

std::optional<CodeMap> kept_code(const SessionWriter& session, const ImageName& application, uint32_t tgid) {
    const std::string path = jo_path(application, tgid);
    auto file = read_jo(session.directory(), label_of(session, path), path);
    return file ? std::optional(std::move(file->code)) : std::nullopt;
}

void keep_code(const SessionWriter& session, const ImageName& application, uint32_t tgid,
               const std::optional<CodeMap>& earlier, std::vector<CodeSymbol> symbols, Diagnostics& notes) {
    CodeMap code{std::move(symbols), {}};
    if (earlier) code = joined_code(*earlier, std::move(code));
    if (code.symbols.empty() && code.contested.empty()) return;
    const std::string path = jo_path(application, tgid), label = label_of(session, path);
    if (const std::string lost = fit_for_jo(code); !lost.empty())
        notes.warn(label + " has no room for " + lost);
    write_jo(session.directory(), label, path, make_jo(code), session.policy());
}

}  // namespace op::collect
