// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/perf/ring_sizes.h"

#include <gtest/gtest.h>

#include <bit>

#include "daemon/source/stack_copies.h"

namespace op::collect {
namespace {

constexpr size_t kib = 1024, mib = size_t{1} << 20;

TEST(RingSizes, rings_are_smaller_on_machines_with_many_cpus) {
    EXPECT_EQ(fitting_ring(512 * kib, 2, 0), 512 * kib);
    EXPECT_EQ(fitting_ring(512 * kib, 64, 0), 128 * kib);
    EXPECT_EQ(fitting_ring(512 * kib, 4096, 0), 64 * kib);
    EXPECT_EQ(fitting_ring(8 * mib, 2, usual_stack), 8 * mib);
    EXPECT_EQ(fitting_ring(8 * mib, 64, usual_stack), 1 * mib);
}

// Else all stacks were copied by halves, with a note that blamed the locked-memory limit.
TEST(RingSizes, rings_of_the_largest_machines_have_room_for_whole_copies) {
    for (const size_t cpus : {128, 129, 256, 1024}) {
        for (const uint32_t bytes : {usual_stack, largest_stack}) {
            const size_t ring = fitting_ring(std::bit_ceil(512 * size_t{bytes}), cpus, bytes);
            EXPECT_GE(ring, 32 * bytes) << cpus;
            EXPECT_EQ(fit_stacks(ring, bytes, 0).usual, bytes) << cpus;
        }
        EXPECT_EQ(fitting_ring(8 * mib, cpus, usual_stack), 512 * kib);
    }
}

TEST(RingSizes, copies_are_smaller_where_fewer_than_32_would_fit) {
    EXPECT_EQ(fit_stacks(512 * kib, usual_stack, largest_stack).usual, usual_stack);
    EXPECT_EQ(fit_stacks(512 * kib, usual_stack, largest_stack).larger, largest_stack);
    EXPECT_EQ(fit_stacks(256 * kib, usual_stack, largest_stack).usual, 8192u);
    EXPECT_EQ(fit_stacks(256 * kib, usual_stack, largest_stack).larger, 0u);
    EXPECT_EQ(fit_stacks(4 * kib, usual_stack, largest_stack).usual, smallest_stack);
}

TEST(RingSizes, larger_copies_come_first_where_there_is_room_for_32) {
    EXPECT_FALSE(fit_stacks(1 * mib, usual_stack, largest_stack).begins_larger);
    EXPECT_TRUE(fit_stacks(2 * mib, usual_stack, largest_stack).begins_larger);
    EXPECT_FALSE(fit_stacks(2 * mib, usual_stack, 0).begins_larger);
}

TEST(RingSizes, the_reader_is_woken_by_bytes_only_with_stacks) {
    EXPECT_EQ(fit_stacks(1 * mib, usual_stack, 0).wakeup_bytes, 256 * kib);
    EXPECT_EQ(fit_stacks(1 * mib, 0, 0).wakeup_bytes, 0u);
}

}  // namespace
}  // namespace op::collect
