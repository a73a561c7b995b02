// SPDX-License-Identifier: GPL-2.0-or-later
// What encoding and decoding of a stream share.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <string_view>

#include "kernel/uapi/op_stream.h"

namespace op {

/// Valid as long as the bytes.
inline std::string_view text_of(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// True if both are of one thread, program and name.
inline bool is_same_run(const op_record_context& a, const op_record_context& b) {
    return a.tgid == b.tgid && a.tid == b.tid && a.app == b.app &&
           std::memcmp(a.comm, b.comm, sizeof a.comm) == 0;
}

}  // namespace op
