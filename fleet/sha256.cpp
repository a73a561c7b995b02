// SPDX-License-Identifier: GPL-2.0-or-later
// SHA-256 by libmd.
#include "fleet/sha256.h"

#include <sha2.h>

#include <tuple>

#include "libop/base/fd.h"

namespace op::fleet {

Sha256 sha256(std::span<const std::byte> bytes) {
    SHA2_CTX context;
    SHA256Init(&context);
    SHA256Update(&context, reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
    Sha256 digest;
    static_assert(std::tuple_size_v<Sha256> == SHA256_DIGEST_LENGTH);
    SHA256Final(digest.data(), &context);
    return digest;
}

uint64_t id64(std::string_view name) {
    const Sha256 digest = sha256(as_bytes(name));
    uint64_t id = 0;
    for (size_t i = 0; i < 8; ++i)
        id |= uint64_t{digest[i]} << 8 * i;
    return id;
}

}  // namespace op::fleet
