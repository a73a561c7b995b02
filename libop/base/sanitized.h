// SPDX-License-Identifier: GPL-2.0-or-later
// Whether this is a build with the address sanitizer (configure --enable-sanitizers).
#pragma once

namespace op {

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool is_sanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
inline constexpr bool is_sanitized = true;
#else
inline constexpr bool is_sanitized = false;
#endif
#else
inline constexpr bool is_sanitized = false;
#endif

}  // namespace op
