// SPDX-License-Identifier: GPL-2.0-or-later
// Replay of recorded streams.
#include "daemon/replay_source.h"

namespace op::collect {

// Small enough to stay in the first-level cache between decoding and collecting.
constexpr size_t batch_limit = 256;

ReplaySource::ReplaySource(const std::string& path, Diagnostics& notes)
    : file_(path), reader_(file_.bytes(), path), notes_(notes) {
    batch_.reserve(batch_limit + 1);
}

std::span<const Record> ReplaySource::drain() {
    reader_.read(batch_, batch_limit);
    if (reader_.damage()) notes_.warn(*reader_.damage() + "; what came before is used");
    return batch_;
}

}  // namespace op::collect
