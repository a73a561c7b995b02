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

constexpr size_t chunk = unpack_room;
constexpr uint64_t memory_limit = 256 << 20;  // bytes
constexpr int window_limit = 28;              // log2 of bytes: the same for zstd
constexpr int stream_window_limit = 27;       // of the highest level that needs no option

/// Collects the result: grows piece by piece, and throws when the result is longer than allowed.
class Output {
public:
    /// Behind `before`, which the limit does not count.
    Output(std::string_view label, size_t limit, std::string before = {})
        : label_(label), limit_(limit), before_(before.size()), used_(before_), text_(std::move(before)) {}

    /// Room at the end; to be followed by took().
    char* room() {
        text_.resize(used_ + chunk);
        return text_.data() + used_;
    }
    void took(size_t bytes) {
        used_ += bytes;
        if (used_ - before_ > limit_)
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
    size_t limit_, before_, used_;
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
    return append_unzstd({}, bytes, label, limit);
}

std::string append_unzstd(std::string text, std::string_view bytes, std::string_view label, size_t limit) {
    const std::unique_ptr<ZSTD_DCtx, size_t (*)(ZSTD_DCtx*)> context(ZSTD_createDCtx(), ZSTD_freeDCtx);
    if (!context) throw std::bad_alloc();
    ZSTD_DCtx_setParameter(context.get(), ZSTD_d_windowLogMax, window_limit);
    ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
    Output out(label, limit, std::move(text));
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

struct ZstdStream::Context {
    std::unique_ptr<ZSTD_DCtx, size_t (*)(ZSTD_DCtx*)> stream{ZSTD_createDCtx(), ZSTD_freeDCtx};
    std::vector<std::byte> buffer;
};

ZstdStream::ZstdStream() : context_(std::make_unique<Context>()) {
    if (!context_->stream) throw std::bad_alloc();
    ZSTD_DCtx_setParameter(context_->stream.get(), ZSTD_d_windowLogMax, stream_window_limit);
    context_->buffer.resize(chunk);
}

ZstdStream::~ZstdStream() = default;
ZstdStream::ZstdStream(ZstdStream&&) noexcept = default;
ZstdStream& ZstdStream::operator=(ZstdStream&&) noexcept = default;

void ZstdStream::unpack(std::span<const std::byte> piece, std::vector<std::byte>& out, size_t limit) {
    const size_t begin = out.size();
    std::vector<std::byte>& buffer = context_->buffer;
    ZSTD_inBuffer in{piece.data(), piece.size(), 0};
    for (size_t given = buffer.size(); in.pos < in.size || given == buffer.size();) {
        ZSTD_outBuffer part{buffer.data(), buffer.size(), 0};
        const size_t before = in.pos;
        const size_t hint = ZSTD_decompressStream(context_->stream.get(), &part, &in);
        if (ZSTD_isError(hint)) throw_input("damaged zstd data");
        given = part.pos;
        if (given == 0 && in.pos == before) break;
        out.insert(out.end(), buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(given));
        if (out.size() - begin > limit)
            throw_input("zstd data expands to more than " + std::to_string(limit) + " bytes");
    }
}

}  // namespace op
