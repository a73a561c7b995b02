// SPDX-License-Identifier: GPL-2.0-or-later
// xz over liblzma, zstd over libzstd: both piece by piece, so that a small file cannot claim all memory.
#include "libop/base/unpack.h"

#include <lzma.h>
#include <zstd.h>

#include <algorithm>
#include <memory>
#include <new>

#include "libop/base/error.h"

namespace op {

namespace {

constexpr size_t chunk = 1 << 18;
constexpr uint64_t memory_limit = 256 << 20;  // bytes
constexpr int window_limit = 28;              // log2 of bytes: the same for zstd

/// Collects the result: grows piece by piece, and throws when the result is longer than allowed.
class Output {
public:
    Output(std::string_view label, size_t limit) : label_(label), limit_(limit) {}

    /// Room at the end; to be followed by took().
    char* room() {
        text_.resize(used_ + chunk);
        return text_.data() + used_;
    }
    void took(size_t bytes) {
        used_ += bytes;
        if (used_ > limit_)
            throw_input(std::string(label_) + ": expands to more than " + std::to_string(limit_) + " bytes");
    }
    std::string finish() && {
        text_.resize(used_);
        return std::move(text_);
    }
    [[noreturn]] void fail(const char* kind) const {
        throw_input(std::string(label_) + ": damaged " + kind + " data");
    }

private:
    std::string_view label_;
    size_t limit_, used_ = 0;
    std::string text_;
};

}  // namespace

std::string unxz(std::string_view bytes, std::string_view label, size_t limit) {
    lzma_stream stream = LZMA_STREAM_INIT;
    const std::unique_ptr<lzma_stream, void (*)(lzma_stream*)> owner(&stream, lzma_end);
    if (lzma_stream_decoder(&stream, memory_limit, LZMA_CONCATENATED) != LZMA_OK) throw std::bad_alloc();
    stream.next_in = reinterpret_cast<const uint8_t*>(bytes.data());
    stream.avail_in = bytes.size();
    Output out(label, limit);
    for (lzma_ret result = LZMA_OK; result != LZMA_STREAM_END;) {
        stream.next_out = reinterpret_cast<uint8_t*>(out.room());
        stream.avail_out = chunk;
        result = lzma_code(&stream, LZMA_FINISH);
        if (result != LZMA_OK && result != LZMA_STREAM_END) out.fail("xz");
        out.took(chunk - stream.avail_out);
    }
    return std::move(out).finish();
}

std::string unzstd(std::string_view bytes, std::string_view label, size_t limit) {
    const std::unique_ptr<ZSTD_DCtx, size_t (*)(ZSTD_DCtx*)> context(ZSTD_createDCtx(), ZSTD_freeDCtx);
    if (!context) throw std::bad_alloc();
    ZSTD_DCtx_setParameter(context.get(), ZSTD_d_windowLogMax, window_limit);
    ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
    Output out(label, limit);
    // 0: a frame ended. A full piece of output may mean that there is more, input or none.
    for (size_t hint = 1, given = chunk; in.pos < in.size || (hint != 0 && given == chunk);) {
        ZSTD_outBuffer piece{out.room(), chunk, 0};
        hint = ZSTD_decompressStream(context.get(), &piece, &in);
        if (ZSTD_isError(hint)) out.fail("zstd");
        given = piece.pos;
        out.took(given);
        if (hint != 0 && given < chunk && in.pos == in.size) out.fail("zstd");
    }
    return std::move(out).finish();
}

}  // namespace op
