// SPDX-License-Identifier: GPL-2.0-or-later
// gzip over zlib. Raw deflate is not its business.
#include "libop/base/gzip.h"

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <new>

#include "libop/base/error.h"

namespace op {

namespace {

constexpr int gzip_window = 15 + 16;  // the largest window, gzip framing (zlib.h)
constexpr int any_window = 15 + 32;   // the same, gzip's or zlib's framing
constexpr size_t chunk = 1 << 18;

/// Gives zlib as much of `rest` as its counter can hold; returns how much that was.
size_t feed(z_stream& stream, std::string_view rest) {
    const size_t n = std::min<size_t>(rest.size(), std::numeric_limits<uInt>::max());
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(rest.data()));
    stream.avail_in = static_cast<uInt>(n);
    return n;
}

/// Runs one step of zlib with up to `room` bytes appended to `out`.
template <class Step>
int step_into(std::string& out, const size_t room, z_stream& stream, Step step) {
    const size_t old = out.size();
    out.resize(old + room);
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + old);
    stream.avail_out = static_cast<uInt>(room);
    const int result = step(stream);
    out.resize(old + room - stream.avail_out);
    return result;
}

}  // namespace

struct GzipWriter::Stream {
    explicit Stream(int level) {
        if (deflateInit2(&z, level, Z_DEFLATED, gzip_window, 8, Z_DEFAULT_STRATEGY) != Z_OK)
            throw std::bad_alloc();
    }
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;
    ~Stream() { deflateEnd(&z); }

    z_stream z{};
};

GzipWriter::GzipWriter(int level) : stream_(std::make_unique<Stream>(level)) {}
GzipWriter::~GzipWriter() = default;

/// Until all input is taken and zlib has no more to give.
void GzipWriter::run(int flush) {
    int result = Z_OK;
    do
        result = step_into(out_, chunk, stream_->z, [flush](z_stream& z) { return deflate(&z, flush); });
    while (stream_->z.avail_in > 0 || (flush == Z_FINISH && result != Z_STREAM_END));
}

void GzipWriter::add(std::string_view bytes) {
    while (!bytes.empty()) {
        bytes.remove_prefix(feed(stream_->z, bytes));
        run(Z_NO_FLUSH);
    }
}

std::string GzipWriter::finish() && {
    run(Z_FINISH);
    return std::move(out_);
}

std::string gzip(std::string_view bytes) {
    GzipWriter writer;
    writer.add(bytes);
    return std::move(writer).finish();
}

std::string gunzip(std::string_view bytes, std::string_view label, size_t limit) {
    z_stream stream{};
    if (inflateInit2(&stream, any_window) != Z_OK) throw std::bad_alloc();
    const std::unique_ptr<z_stream, int (*)(z_stream*)> owner(&stream, inflateEnd);
    std::string out;
    for (int result = Z_OK; result != Z_STREAM_END || stream.avail_in > 0 || !bytes.empty();) {
        if (stream.avail_in == 0) bytes.remove_prefix(feed(stream, bytes));
        if (result == Z_STREAM_END) inflateReset(&stream);
        // One byte more than allowed, to detect a result that is too long.
        const size_t room = std::min(limit - out.size(), chunk - 1) + 1;
        result = step_into(out, room, stream, [](z_stream& s) { return inflate(&s, Z_NO_FLUSH); });
        if (out.size() > limit)
            throw_input(std::string(label) + ": expands to more than " + std::to_string(limit) + " bytes");
        const bool is_stuck = result == Z_BUF_ERROR && bytes.empty();
        if ((result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR) || is_stuck)
            throw_input(std::string(label) + ": damaged gzip data");
    }
    return out;
}

}  // namespace op
