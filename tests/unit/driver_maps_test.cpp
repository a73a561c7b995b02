// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/collect/driver_maps.h"

#include <gtest/gtest.h>

#include <cstring>

#include "tests/unit/collecting.h"
#include "tests/unit/stored_stacks.h"

namespace op::collect {
namespace {

constexpr uint32_t app = 1, lib = 2;

class CollectingDriverStacks : public Collecting {
protected:
    CollectingDriverStacks() {
        collector();
        feed({ImageCookie{app, false, 0, {0}, 0, 0x801, 1, "/bin/app"},
              ImageCookie{lib, false, 0, {0}, 0, 0x801, 2, "/lib/libc.so"}});
    }
    void map(uint32_t number, std::vector<PlacedMapping> mappings, uint32_t slot = 0) {
        feed({PlacedMaps{number, slot, 7, mappings}});
    }
    /// Of frames by frame pointers: the sampled function's caller and that one's.
    UserStack stack_to(uint64_t caller, uint64_t outermost) {
        words_ = {sp + 16, caller, 0, outermost};
        UserStack stack;
        stack.registers.pc = RuntimeAddress{0x400010};
        stack.registers.by_number[stack_pointer] = sp;
        stack.registers.by_number[frame_pointer] = sp;
        stack.has_registers = stack.is_whole = true;
        stack.bytes = std::as_bytes(std::span(words_));
        stack.requested = stack.bytes.size();
        return stack;
    }
    PlacedSample sample(uint32_t maps, const UserStack& stack) {
        PlacedSample taken{7, 7, 0, app, 0, CpuMode::user, 0, {0x10, app}, {}};
        taken.maps = maps;
        taken.user_stack = &stack;
        return taken;
    }
    test::StackTexts stacks() {
        account_ = collector_->flush_and_account();
        return test::stacks_in(session_.directory(), {"TIMER", 1000000, 0, {}, {}, {}}, notes_);
    }

    static constexpr uint64_t sp = 0x7ffe0000;
#if defined(__aarch64__)
    static constexpr size_t stack_pointer = 31, frame_pointer = 29;
#else
    static constexpr size_t stack_pointer = 7, frame_pointer = 6;
#endif
    const std::vector<PlacedMapping> both_{{{0x400000}, 0x1000, 0, app}, {{0x7f0000}, 0x1000, 0x5000, lib}};
    std::array<uint64_t, 4> words_{};
};

}  // namespace

TEST_F(CollectingDriverStacks, return_addresses_belong_to_the_mappings_that_the_stack_names) {
    map(1, both_);
    const UserStack stack = stack_to(0x7f0020, 0x400030);
    feed({sample(1, stack)});
    EXPECT_EQ(stacks(), (test::StackTexts{{"/bin/app;/bin/app+30;/lib/libc.so+5020;/bin/app+10!", 1}}));
    EXPECT_EQ(account_.stacks.complete, 1u);
}

TEST_F(CollectingDriverStacks, what_is_mapped_later_changes_no_stack_of_before) {
    map(1, both_);
    map(2, {{{0x400000}, 0x1000, 0, app}, {{0x7f0000}, 0x1000, 0x9000, app}});
    const UserStack stack = stack_to(0x7f0020, 0x400030);
    feed({sample(1, stack), sample(2, stack)});
    EXPECT_EQ(stacks(), (test::StackTexts{{"/bin/app;/bin/app+30;/bin/app+9020;/bin/app+10!", 1},
                                          {"/bin/app;/bin/app+30;/lib/libc.so+5020;/bin/app+10!", 1}}));
}

TEST_F(CollectingDriverStacks, a_cookie_that_becomes_another_images_names_that_one_from_then_on) {
    map(1, both_);
    const UserStack stack = stack_to(0x7f0020, 0x400030);
    feed({sample(1, stack), ImageCookie{lib, false, 0, {0}, 0, 0x801, 3, "/lib/libm.so"}});
    map(2, both_);
    feed({sample(2, stack)});
    EXPECT_EQ(stacks(), (test::StackTexts{{"/bin/app;/bin/app+30;/lib/libc.so+5020;/bin/app+10!", 1},
                                          {"/bin/app;/bin/app+30;/lib/libm.so+5020;/bin/app+10!", 1}}));
}

TEST_F(CollectingDriverStacks, an_address_in_no_mapping_ends_the_stack_with_that_reason) {
    map(1, {{{0x400000}, 0x1000, 0, app}, {{0x7f0000}, 0x1000, 0x5000, 0}});
    const UserStack stack = stack_to(0x7f0020, 0x400030);
    feed({sample(1, stack), sample(8, stack)});
    EXPECT_EQ(stacks(), (test::StackTexts{{"/bin/app;[no_mapping];/bin/app+10!", 1},
                                          {"/bin/app;[not_copied];/bin/app+10!", 1}}));
}

TEST_F(CollectingDriverStacks, a_call_at_the_end_of_a_mapping_belongs_to_that_mapping) {
    map(1, {{{0x400000}, 0x1000, 0, app}, {{0x401000}, 0x1000, 0x5000, lib}});
    const UserStack stack = stack_to(0x402000, 0x401000);
    feed({sample(1, stack)});
    EXPECT_EQ(stacks(), (test::StackTexts{{"/bin/app;/bin/app+1000;/lib/libc.so+6000;/bin/app+10!", 1}}));
}

TEST_F(CollectingDriverStacks, the_application_is_that_of_the_samples_program_as_it_is_known_by_then) {
    PlacedSample of_app{7, 7, 0, app, 0, CpuMode::user, 0, {0x10, lib}, {}}, of_late = of_app;
    of_app.stack_end = of_late.stack_end = StackEnd::root;
    of_late.app = 99;
    const auto program = [](const char* path) { return ImageCookie{99, false, 0, {0}, 0, 0x801, 9, path}; };
    feed({of_app, of_late, of_app, of_late, program("/bin/late"), of_late, of_late});
    feed({program("/bin/later"), of_late, of_app});
    EXPECT_EQ(stacks(), (test::StackTexts{{"/bin/app;/lib/libc.so+10!", 3},
                                          {"/bin/late;/lib/libc.so+10!", 2},
                                          {"/bin/later;/lib/libc.so+10!", 1},
                                          {"/lib/libc.so;/lib/libc.so+10!", 2}}));
}

TEST_F(CollectingDriverStacks, the_users_frames_call_the_kernels) {
    map(1, both_);
    const UserStack stack = stack_to(0x7f0020, 0x400030);
    const Place callers[] = {{kernel_start + 0x40, 0}};
    PlacedSample taken = sample(1, stack);
    taken.mode = CpuMode::kernel;
    taken.place = {kernel_start + 0x30, 0};
    taken.chain = callers;
    taken.kernel_frames = 1;
    feed({taken});
    EXPECT_EQ(stacks(),
              (test::StackTexts{{"/bin/app;/bin/app+30;/lib/libc.so+5020;/bin/app+11;/proc/kallsyms+40;"
                                 "/proc/kallsyms+30!",
                                 1}}));
}

TEST_F(CollectingDriverStacks, a_sample_without_its_stack_has_the_drivers_reason) {
    PlacedSample taken{7, 7, 0, app, 0, CpuMode::user, 0, {0x10, app}, {}};
    taken.stack_end = StackEnd::not_copied;
    feed({taken});
    EXPECT_EQ(stacks(), (test::StackTexts{{"/bin/app;[not_copied];/bin/app+10!", 1}}));
}

TEST(DriverMaps, keeps_the_last_of_a_slot_and_those_replaced_lately) {
    StringTable names;
    const KnownImages images(names, false);
    DriverMaps maps;
    maps.take({1, 6, 7, {}}, images);
    for (uint32_t number = 2; number <= 9000; ++number)
        maps.take({number, 5, 7, {}}, images);
    EXPECT_EQ(maps.find(2), nullptr);
    EXPECT_EQ(maps.find(9000 - 8193), nullptr);
    for (const uint32_t number : {1, 9000 - 8192, 9000}) {
        ASSERT_NE(maps.find(number), nullptr);
        EXPECT_EQ(maps.find(number)->number(), number);
    }
}

TEST(ProcessMaps, leaves_out_what_overlaps) {
    const auto part = [](uint64_t start, uint64_t end) {
        return ProcessMaps::Part{
            {RuntimeAddress{start}, RuntimeAddress{end}, 0, std::make_shared<MappedImage>()}, 1};
    };
    const ProcessMaps maps(1, 7, {part(0x1000, 0x3000), part(0x2000, 0x4000), part(0x3000, 0x5000)});
    EXPECT_EQ(maps.find(RuntimeAddress{0xfff}), nullptr);
    EXPECT_EQ(maps.find(RuntimeAddress{0x2fff})->region.start.value(), 0x1000u);
    EXPECT_EQ(maps.find(RuntimeAddress{0x3000})->region.start.value(), 0x3000u);
    EXPECT_EQ(maps.find(RuntimeAddress{0x5000}), nullptr);
}

}  // namespace op::collect
