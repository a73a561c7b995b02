// SPDX-License-Identifier: GPL-2.0-or-later
// Compression of buffers. The one door to zlib.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace op {

/// `bytes` as one gzip member.
std::string gzip(std::string_view bytes);
/// Compresses text piece by piece, so that only the result is in memory.
class GzipWriter {
public:
    /// `level` as zlib has it, 1 (fast) to 9 (small). The user waits for the profiler to end while it writes
    /// the kallsyms snapshot: level 4 takes 40 % of the time of level 6 for 5 % more bytes.
    explicit GzipWriter(int level = 4);
    ~GzipWriter();
    void add(std::string_view bytes);
    /// The gzip member of everything that was added.
    std::string finish() &&;

private:
    void run(int flush);

    struct Stream;
    std::unique_ptr<Stream> stream_;
    std::string out_;
};

/// The inverse; reads concatenated members, also zlib's streams (RFC 1950). Throws an input error naming
/// `label` on damaged data or if the result would exceed `limit` bytes.
std::string gunzip(std::string_view bytes, std::string_view label, size_t limit = 256 << 20);

}  // namespace op
