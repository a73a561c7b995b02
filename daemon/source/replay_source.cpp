// SPDX-License-Identifier: GPL-2.0-or-later
// Replay of recorded streams.
#include "daemon/source/replay_source.h"

namespace op::collect {

// A long stream must not fill the memory: what was read is given back in pieces of this size.
constexpr size_t release_step = size_t{8} << 20;
// Small enough to stay in the first-level cache between decoding and collecting.
constexpr size_t batch_limit = 256;

ReplaySource::ReplaySource(const std::string& path, Diagnostics& notes)
    : ReplaySource(MappedFile(path), path, notes) {}

ReplaySource::ReplaySource(MappedFile file, const std::string& label, Diagnostics& notes)
    : file_(std::move(file)), reader_(file_.bytes(), label), notes_(notes) {
    batch_.reserve(batch_limit + 1);
}

std::span<const Record> ReplaySource::drain() {
    if (reader_.position() - released_ >= release_step) {
        released_ = reader_.position();
        file_.release_first(released_);
    }
    reader_.read(batch_, batch_limit);
    if (reader_.damage()) notes_.warn(*reader_.damage() + "; what came before is used");
    return batch_;
}

}  // namespace op::collect
