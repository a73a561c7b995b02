// SPDX-License-Identifier: GPL-2.0-or-later
// Sends a slice to the server and checks that it is there. Sending again changes nothing: counts are
// absolute, and the server keeps the greatest one of each key. A ledger makes a push short, not right.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "fleet/push_ledger.h"
#include "fleet/server.h"
#include "fleet/slice.h"

namespace op::fleet {

/// Rows of one request, and how long a busy server is waited for.
struct PushSettings {
    uint64_t batch_rows = 50'000;
    uint64_t wait_seconds = 300;  ///< in one wait after the other, for one batch
    /// Waits so many seconds after a reason; replaced in tests.
    std::function<void(uint64_t seconds, const std::string& reason)> wait;
};

/// The seconds before attempt number `attempt` (from 0) is repeated: twice as many each time, up to an hour,
/// of which the number `random` takes away less than half; at least what the server asked for.
uint64_t waiting_time(unsigned attempt, uint64_t random, std::optional<uint64_t> retry_after);

/// The second in `spread` at which a host begins, the same each time: the machines of a fleet, started at one
/// time, do not push at once. 0 if `spread` is.
uint64_t start_delay(std::string_view host, uint64_t spread);

/// Waits for a busy server as the settings allow. `server` is its name in reasons.
Server::Patience patience_of(const PushSettings& settings, const std::string& server);

struct Pushed {
    uint64_t rows = 0;         ///< sent
    uint64_t known = 0;        ///< left out: the server has them, by the ledger
    bool is_verified = false;  ///< the server's number of rows and sum of samples are the slice's
    uint64_t bytes = 0;        ///< of the bodies of all requests
};

/// Sends what the ledger does not have: what rows refer to first, the account last. Of a sealed slice it asks
/// for the server's sums then, and sends all of it if they are others. Throws an input error if the server
/// refuses, a system error if it stayed busy; the ledger has what was accepted.
Pushed push_slice(Server& server, const Slice& slice, const PushSettings& settings, PushLedger& ledger);

}  // namespace op::fleet
