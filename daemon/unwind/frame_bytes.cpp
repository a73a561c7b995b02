// SPDX-License-Identifier: GPL-2.0-or-later
// Reading parts of a file.
#include "daemon/unwind/frame_bytes.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "libop/base/error.h"

namespace op::collect {

size_t read_at(const Fd& file, uint64_t offset, std::span<std::byte> bytes) {
    size_t done = 0;
    while (done < bytes.size()) {
        const ssize_t n =
            ::pread(file.get(), bytes.data() + done, bytes.size() - done, static_cast<off_t>(offset + done));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) throw_system("cannot read call frame information");
        if (n == 0) break;
        done += static_cast<size_t>(n);
    }
    return done;
}

/// Reads from the start of a block on, because searches come back to what lies before.
void FrameBytes::fill(uint64_t at, uint64_t most) {
    constexpr uint64_t block = 4096;
    const uint64_t start = at / block * block;
    const uint64_t wanted = std::min(std::max(at - start + most, 2 * block), size_ - start);
    held_ = {};
    window_.resize(wanted);
    held_ = std::span(window_).first(read_at(*file_, offset_ + start, window_));
    start_ = start;
}

}  // namespace op::collect
