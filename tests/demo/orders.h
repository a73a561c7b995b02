// SPDX-License-Identifier: GPL-2.0-or-later
// The program that `./quickstart demo` profiles: a shop that sorts and prices the orders of a day, again and
// again. What it does is the same on each run, and so are the shares of its functions, nearly.
#pragma once

#include <cstddef>
#include <cstdint>

struct Order {
    uint32_t item, amount;
};

/// Sorts by item, then amount, by insertion: most of the program's time. The second release moves orders far
/// at first (Shell's method).
void sort_orders(Order* orders, size_t count);

/// The sum of what `count` orders cost, in cents.
uint64_t price_orders(const Order* orders, size_t count);
