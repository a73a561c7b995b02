// SPDX-License-Identifier: GPL-2.0-or-later
#include "libop/session/dropped_sessions.h"

#include <algorithm>

#include "libop/session/ledger.h"

namespace op {

void DroppedSessions::add(const DroppedSession& dropped) {
    const bool is_named = !dropped.session.empty();
    if (is_named && std::ranges::find(rows_, dropped.session, &DroppedSession::session) != rows_.end())
        return;
    if (is_named && rows_.size() < most_rows) return rows_.push_back(dropped);
    auto rest = std::ranges::find(rows_, std::string(), &DroppedSession::session);
    if (rest == rows_.end()) rest = rows_.insert(rows_.end(), DroppedSession{});
    rest->samples = add_saturating(rest->samples, dropped.samples);
}

void DroppedSessions::merge(const DroppedSessions& other) {
    for (const DroppedSession& row : other.rows_)
        add(row);
}

uint64_t DroppedSessions::samples() const noexcept {
    uint64_t sum = 0;
    for (const DroppedSession& row : rows_)
        sum = add_saturating(sum, row.samples);
    return sum;
}

}  // namespace op
