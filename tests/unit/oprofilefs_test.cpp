// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/driver/oprofilefs.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/unit/fake_oprofilefs.h"
#include "tests/unit/faults.h"

namespace op::collect {

using test::contains;
using test::fault;

TEST(Oprofilefs, is_present_where_the_driver_put_its_files) {
    const test::FakeOprofilefs fake;
    EXPECT_TRUE(fake.files().present());
    EXPECT_FALSE(Oprofilefs(fake.dir() / "nothing").present());
    EXPECT_FALSE(Oprofilefs(fake.dir() / "0").present());
}

TEST(Oprofilefs, reads_numbers_and_texts_without_the_newline) {
    const test::FakeOprofilefs fake;
    EXPECT_EQ(fake.files().number("0/min_count"), 100000u);
    EXPECT_EQ(fake.files().text("cpu_type"), "timer");
    EXPECT_EQ(fake.files().text("enable"), "0");
    EXPECT_EQ(fake.files().find_number("1/min_count"), std::nullopt);
    EXPECT_EQ(fake.files().find_number("9/count"), std::nullopt);
    EXPECT_EQ(fake.files().find_number("0/count"), 0u);
}

TEST(Oprofilefs, written_values_are_read_back) {
    const test::FakeOprofilefs fake;
    fake.files().set("0/count", 123456789);
    fake.files().set("0/count", UINT64_MAX);
    EXPECT_EQ(fake.files().number("0/count"), UINT64_MAX);
    fake.files().set("0/count", 5);
    EXPECT_EQ(read_file(fake.dir() / "0/count"), "5\n");
}

TEST(Oprofilefs, a_file_without_a_number_is_reported) {
    const test::FakeOprofilefs fake;
    const auto said = fault(ErrorKind::input, [&] { fake.files().number("cpu_type"); });
    EXPECT_TRUE(contains(said, fake.dir() / "cpu_type holds no number but \"timer\"")) << said;
}

TEST(Oprofilefs, counters_are_the_numbered_directories_in_order) {
    const test::FakeOprofilefs fake;
    fake.dir().write("10/enabled", "0\n");
    fake.dir().write("2/enabled", "0\n");
    fake.dir().write("03/enabled", "0\n");
    fake.dir().write("7/other", "0\n");
    fake.dir().write("stats/enabled", "0\n");
    EXPECT_EQ(fake.files().counters(), (std::vector{0, 1, 2, 10}));
    EXPECT_TRUE(Oprofilefs(fake.dir() / "nothing").counters().empty());
}

TEST(Oprofilefs, timers_are_those_of_the_cpus_in_order) {
    const test::FakeOprofilefs fake;
    EXPECT_TRUE(fake.files().timers().empty());
    for (const char* file :
         {"cpu10/enabled", "cpu2/enabled", "cpu03/enabled", "cpu7/other", "cpu/enabled", "3/enabled"})
        fake.dir().write(std::string("timer/") + file, "1\n");
    EXPECT_EQ(fake.files().timers(), (std::vector<uint64_t>{2, 10}));
}

TEST(Oprofilefs, a_missing_driver_and_a_missing_file_have_their_remedies) {
    const test::FakeOprofilefs fake;
    const auto driver = fault(ErrorKind::system, [&] { Oprofilefs(fake.dir() / "x").set("enable", 1); });
    EXPECT_TRUE(contains(driver, "cannot write 1 to " + fake.dir() / "x/enable")) << driver;
    EXPECT_TRUE(contains(driver, "opcontrol --init")) << driver;
    const auto file = fault(ErrorKind::system, [&] { fake.files().number("9/count"); });
    EXPECT_TRUE(contains(file, "the driver has no such file")) << file;
}

TEST(Oprofilefs, follows_no_link) {
    const test::FakeOprofilefs fake;
    ASSERT_EQ(::symlink("enable", (fake.dir() / "link").c_str()), 0);
    fault(ErrorKind::system, [&] { fake.files().set("link", 1); });
    EXPECT_EQ(fake.files().number("enable"), 0u);
}

TEST(Oprofilefs, the_buffer_does_not_wait) {
    const test::FakeOprofilefs fake;
    const Fd buffer = fake.files().open_buffer();
    const Fd writer = fake.writer();
    char byte = 0;
    EXPECT_EQ(::read(buffer.get(), &byte, 1), -1);
    EXPECT_EQ(errno, EAGAIN);
}

TEST(Oprofilefs, refusals_name_the_remedy) {
    const test::FakeOprofilefs fake;
    const Oprofilefs files = fake.files();
    EXPECT_TRUE(contains(files.remedy("buffer", EBUSY), "another program has it open"));
    EXPECT_TRUE(contains(files.remedy("buffer", EBUSY), "nmi_watchdog"));
    EXPECT_TRUE(contains(files.remedy("buffer", EPERM), "CAP_PERFMON or root"));
    EXPECT_TRUE(contains(files.remedy("enable", EBUSY), "nmi_watchdog"));
    EXPECT_TRUE(contains(files.remedy("enable", EINVAL), "no counter is enabled"));
    EXPECT_TRUE(contains(files.remedy("buffer_size", EBUSY), "opcontrol --shutdown"));
    EXPECT_TRUE(contains(files.remedy("0/count", EINVAL), "the least count is 100000"));
    EXPECT_TRUE(contains(files.remedy("0/event", EACCES), "root"));
    EXPECT_TRUE(contains(files.remedy("enable", EIO), "did not take its event"));
    EXPECT_EQ(files.remedy("0/event", EIO), "");
}

}  // namespace op::collect
