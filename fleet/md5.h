// SPDX-License-Identifier: GPL-2.0-or-later
// MD5 (RFC 1321), with which dpkg notes the content of files. For comparing with what dpkg noted only: it
// keeps no secret and proves nothing against somebody who makes files for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "libop/base/fd.h"

namespace op::fleet {

/// The digest of an open file from its beginning, as lower-case hex; its offset stays as it is. None if it
/// cannot be read or has more than `most_bytes`.
std::optional<std::string> md5_of_fd(const Fd& file, uint64_t most_bytes);

}  // namespace op::fleet
