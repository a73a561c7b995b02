// SPDX-License-Identifier: GPL-2.0-or-later
// What is done with the orders of a day: sorting them slowly, and looking each price up from the start of the
// list.
#include "tests/demo/orders.h"

struct Price {
    uint32_t item, cents;
};

constexpr Price price_list[] = {{17, 499}, {42, 1250}, {3, 95},   {64, 2000}, {8, 310},  {91, 75},
                                {25, 899}, {77, 640},  {50, 120}, {12, 1999}, {33, 450}, {86, 35},
                                {5, 1100}, {69, 260},  {21, 780}, {58, 1475}, {99, 60},  {1, 845},
                                {47, 330}, {14, 525},  {72, 999}, {38, 1680}, {80, 215}, {29, 405}};

/// Distances of the orders that are compared, in one pass over the orders each.
#if SHOP_RELEASE == 2
constexpr size_t gaps[] = {57, 23, 10, 4, 1};
#else
constexpr size_t gaps[] = {1};
#endif

static uint32_t find_price(uint32_t item) {
    for (const Price& price : price_list)
        if (price.item == item) return price.cents;
    return 500;  // what is on no list
}

static bool before(const Order& a, const Order& b) {
    return a.item != b.item ? a.item < b.item : a.amount < b.amount;
}

void sort_orders(Order* orders, size_t count) {
    for (const size_t gap : gaps)
        for (size_t i = gap; i < count; ++i) {
            const Order order = orders[i];
            size_t to = i;
            for (; to >= gap && before(order, orders[to - gap]); to -= gap)
                orders[to] = orders[to - gap];
            orders[to] = order;
        }
}

uint64_t price_orders(const Order* orders, size_t count) {
    uint64_t sum = 0;
    for (size_t i = 0; i < count; ++i)
        sum += uint64_t{orders[i].amount} * find_price(orders[i].item);
    return sum;
}
