// SPDX-License-Identifier: GPL-2.0-or-later
// MD5 by libmd.
#include "fleet/md5.h"

#include <md5.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <span>
#include <vector>

#include "libop/base/text.h"

namespace op::fleet {
namespace {

constexpr size_t read_bytes = 64 * 1024;

/// The next bytes of a file, none at its end; nothing on failure.
std::optional<size_t> read_some(const Fd& file, std::span<uint8_t> buffer, uint64_t offset) {
    ssize_t got;
    do
        got = ::pread(file.get(), buffer.data(), buffer.size(), static_cast<off_t>(offset));
    while (got < 0 && errno == EINTR);
    return got < 0 ? std::nullopt : std::optional(static_cast<size_t>(got));
}

}  // namespace

std::optional<std::string> md5_of_fd(const Fd& file, uint64_t most_bytes) {
    MD5_CTX context;
    MD5Init(&context);
    std::vector<uint8_t> buffer(read_bytes);
    for (uint64_t length = 0;;) {
        const auto got = read_some(file, buffer, length);
        if (!got || *got > most_bytes - length) return std::nullopt;
        if (*got == 0) break;
        MD5Update(&context, buffer.data(), *got);
        length += *got;
    }
    std::array<uint8_t, MD5_DIGEST_LENGTH> digest;
    MD5Final(digest.data(), &context);
    return hex(std::as_bytes(std::span(digest)));
}

}  // namespace op::fleet
