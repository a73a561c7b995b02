// SPDX-License-Identifier: GPL-2.0-or-later
// Commands that need root, with a pkexec that only notes what it is called with.
#include "gui/runner.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <QTest>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "tests/unit/temp_dir.h"

namespace op::gui {
namespace {

constexpr int patience = 60000;  ///< milliseconds; reached only by a failure

class RunnerTest : public ::testing::Test {
protected:
    RunnerTest() {
        path_before_ = std::getenv("PATH");
        make("opcontrol", "echo ran");
        ::setenv("PATH", (dir_ / "bin").c_str(), 1);
    }
    ~RunnerTest() override { ::setenv("PATH", path_before_.c_str(), 1); }

    void make(const std::string& name, const std::string& script) {
        ::chmod(dir_.write("bin/" + name, "#!/bin/sh\n" + script + "\n").c_str(), 0755);
    }
    /// Runs opcontrol --start as root; returns whether it succeeded.
    bool run() {
        bool has_ended = false, succeeded = false;
        Command command{"opcontrol", {"--start", "--event=A B"}, true};
        command.then = [&](bool has_succeeded, const QByteArray&) {
            has_ended = true;
            succeeded = has_succeeded;
        };
        Runner runner([this](const QString& text) { log_ += text.toStdString(); }, [] {});
        runner.run(std::move(command));
        EXPECT_TRUE(QTest::qWaitFor([&] { return has_ended && !runner.is_busy(); }, patience));
        return succeeded;
    }
    std::string words() const {
        std::ifstream file(dir_ / "words");
        return {std::istreambuf_iterator<char>(file), {}};
    }

    test::TempDir dir_;
    std::string path_before_, log_;
};

}  // namespace

TEST_F(RunnerTest, root_needs_no_pkexec) {
    if (::geteuid() != 0) GTEST_SKIP() << "not root";
    make("pkexec", "exit 1");
    EXPECT_TRUE(run());
    EXPECT_EQ(log_, "ran\n");
}

TEST_F(RunnerTest, only_what_a_signal_ended_is_reported_as_that) {
    make("killed", "kill -9 $$");
    bool has_ended = false;
    Runner runner([this](const QString& text) { log_ += text.toStdString(); }, [] {});
    runner.run({"killed", {}});
    Command missing{"missing", {}};
    missing.then = [&](bool has_succeeded, const QByteArray&) { has_ended = !has_succeeded; };
    runner.run(std::move(missing));
    EXPECT_TRUE(QTest::qWaitFor([&] { return has_ended; }, patience));
    const std::string killed = "killed was ended by a signal\n";
    EXPECT_EQ(log_.substr(0, killed.size()), killed);
    EXPECT_EQ(log_.find("signal", killed.size()), std::string::npos) << log_;
    EXPECT_NE(log_.find("missing cannot be started"), std::string::npos) << log_;
}

TEST_F(RunnerTest, others_run_through_pkexec) {
    if (::geteuid() == 0) GTEST_SKIP() << "root";
    make("pkexec", "for word; do echo \"$word\"; done >'" + (dir_ / "words") + "'\nexec \"$@\"");
    EXPECT_TRUE(run());
    EXPECT_EQ(words(), (dir_ / "bin/opcontrol") + "\n--start\n--event=A B\n");
    EXPECT_EQ(log_, "ran\n");
}

TEST_F(RunnerTest, a_refusal_of_pkexec_is_a_failure) {
    if (::geteuid() == 0) GTEST_SKIP() << "root";
    make("pkexec", "echo 'Request dismissed' >&2; exit 126");
    EXPECT_FALSE(run());
    EXPECT_EQ(log_, "Request dismissed\n");
}

TEST_F(RunnerTest, without_pkexec_the_log_has_what_to_do) {
    if (::geteuid() == 0) GTEST_SKIP() << "root";
    EXPECT_FALSE(run());
    EXPECT_EQ(log_, "opcontrol needs root: install pkexec, or run oprof_start as root\n");
}

}  // namespace op::gui
