// SPDX-License-Identifier: GPL-2.0-or-later
#include "utils/shared/version.h"

#include <gtest/gtest.h>

#include <cerrno>

#include "tests/unit/temp_dir.h"

namespace op::tool {
namespace {

bool wants(std::vector<const char*> arguments) {
    return wants_version_details(arguments);
}

/// The text from the first line on that begins with `key`, to that line's end.
std::string line(const std::string& text, const std::string& key) {
    const size_t at = text.find("\n" + key + ": ");
    return at == text.npos ? "" : text.substr(at + 1, text.find('\n', at + 1) - at - 1);
}

}  // namespace

TEST(Version, details_are_for_version_and_verbose_in_either_order) {
    EXPECT_TRUE(wants({"--version", "--verbose"}));
    EXPECT_TRUE(wants({"--verbose", "--version"}));
    EXPECT_TRUE(wants({"-V", "-v"}));
    EXPECT_TRUE(wants({"--verbose=all", "-v"}));
    EXPECT_FALSE(wants({"--version"}));
    EXPECT_FALSE(wants({"--verbose", "all"}));
}

TEST(Version, options_of_a_profiled_command_are_its_own) {
    EXPECT_FALSE(wants({"--verbose=all", "gcc", "--version"}));
    EXPECT_FALSE(wants({"--", "--verbose", "--version"}));
}

TEST(Version, details_begin_with_the_line_that_scripts_read) {
    EXPECT_TRUE(version_details("operf", {}).starts_with(version_text("operf")));
}

TEST(Version, details_have_kernel_settings_driver_and_libraries) {
    const MachineVersions versions{"Linux 6.1.0 x86_64",  "2", "1",
                                   DriverState::readable, "3", {"libelf-0.188.so", "libz.so.1.2.13"}};
    const std::string text = version_details("operf", versions);
    EXPECT_EQ(line(text, "kernel"), "kernel: Linux 6.1.0 x86_64");
    EXPECT_EQ(line(text, "kernel.perf_event_paranoid"), "kernel.perf_event_paranoid: 2");
    EXPECT_EQ(line(text, "kernel.kptr_restrict"), "kernel.kptr_restrict: 1");
    EXPECT_EQ(line(text, "driver"), "driver: loaded, stream version 3");
    EXPECT_EQ(line(text, "libraries"), "libraries: libelf-0.188.so, libz.so.1.2.13");
}

TEST(Version, details_state_what_is_not_there) {
    const std::string text = version_details("operf", {});
    EXPECT_EQ(line(text, "kernel.perf_event_paranoid"), "kernel.perf_event_paranoid: not there");
    EXPECT_EQ(line(text, "driver"), "driver: not loaded");
}

TEST(Version, details_distinguish_a_driver_that_is_not_loaded_from_one_that_cannot_be_read) {
    const auto driver = [](DriverState state) {
        MachineVersions versions;
        versions.driver = state;
        return line(version_details("operf", versions), "driver");
    };
    EXPECT_EQ(driver(DriverState::not_readable),
              "driver: loaded, but this user may not read /dev/oprofile/stream_version");
    EXPECT_EQ(driver(DriverState::not_mounted),
              "driver: loaded, but there is no /dev/oprofile/stream_version; run opcontrol --init");
    EXPECT_EQ(driver(DriverState::another),
              "driver: another driver of the name oprofile is loaded; to use this one, unload that");
    EXPECT_EQ(driver(DriverState::readable), "driver: loaded, stream version not known");
}

TEST(Version, the_drivers_state_is_that_of_its_file_and_module) {
    const test::TempDir dir;
    const std::string module = dir / "module";
    EXPECT_EQ(driver_state(ENOENT, module), DriverState::not_loaded);
    dir.write("module/refcnt", "0\n");
    EXPECT_EQ(driver_state(ENOENT, module), DriverState::another) << "the kernel's own before Linux 5.12";
    dir.write("module/parameters/model", "\n");
    EXPECT_EQ(driver_state(ENOENT, module), DriverState::not_mounted);
    EXPECT_EQ(driver_state(EACCES, module), DriverState::not_readable);
    EXPECT_EQ(driver_state(0, module), DriverState::readable);
}

TEST(Version, details_name_the_compiler) {
    const std::string compiler = line(version_details("operf", {}), "compiler");
    EXPECT_TRUE(compiler.starts_with("compiler: g++ ") || compiler.starts_with("compiler: clang++ "))
        << compiler;
}

TEST(Version, the_running_machine_has_a_kernel) {
    EXPECT_TRUE(running_versions().kernel.starts_with("Linux "));
}

}  // namespace op::tool
