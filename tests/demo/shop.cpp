// SPDX-License-Identifier: GPL-2.0-or-later
// The days of the shop, which the demo profiles: orders come in, made up by a generator of fixed start, and
// are worked off. `./quickstart fleet` compares it with a second release.
#include <cstdio>
#include <iterator>

#include "tests/demo/orders.h"

static void make_orders(Order* orders, size_t count, uint32_t& random) {
    for (size_t i = 0; i < count; ++i) {
        random = random * 1664525 + 1013904223;
        orders[i] = {random >> 16 & 127, 1 + (random >> 24 & 7)};
    }
}

static uint64_t work_a_day(Order* orders, size_t count, uint32_t& random) {
    make_orders(orders, count, random);
    sort_orders(orders, count);
    return price_orders(orders, count);
}

int main() {
    Order orders[600];
    uint32_t random = 1;
    uint64_t cents = 0;
    for (int day = 0; day < 8000; ++day)
        cents += work_a_day(orders, std::size(orders), random);
    std::printf("%llu cents\n", static_cast<unsigned long long>(cents));
}
