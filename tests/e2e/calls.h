// SPDX-License-Identifier: GPL-2.0-or-later
// What calls.cpp inlines.
#pragma once

template <class T>
inline __attribute__((always_inline)) void add_square(volatile T& to, T n) {
    to = to + n * n;
}
