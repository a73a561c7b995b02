// SPDX-License-Identifier: GPL-2.0-or-later
// Versions. A library's is in the name of its file, where links lead (libelf-0.188.so).
#include "utils/shared/version.h"

#include <fcntl.h>
#include <gnu/libc-version.h>
#include <link.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <memory>

#include "libop/base/fd.h"
#include "libop/base/kernel_file.h"
#include "libop/base/machine_root.h"
#include "libop/base/text.h"

namespace op::tool {
namespace {

constexpr const char* stream_version_file = "/dev/oprofile/stream_version";
#ifdef __clang__
constexpr const char* compiler = "clang++ " __clang_version__;
#else
constexpr const char* compiler = "g++ " __VERSION__;
#endif

std::string resolved(const char* path) {
    const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path, nullptr), &std::free);
    return std::string(base_name(real ? real.get() : path));
}

/// The program itself, which comes first, and the vdso have no name, or no path.
int add_library(dl_phdr_info* info, size_t, void* data) {
    const std::string_view path = info->dlpi_name ? info->dlpi_name : "";
    if (path.find('/') != path.npos)
        static_cast<std::vector<std::string>*>(data)->push_back(resolved(info->dlpi_name));
    return 0;
}

std::string or_else(const std::string& text, const char* otherwise) {
    return text.empty() ? otherwise : printable(text);
}

std::string driver_text(const MachineVersions& versions) {
    switch (versions.driver) {
        case DriverState::readable:
            return "loaded, stream version " + or_else(versions.stream_version, "not known");
        case DriverState::not_readable:
            return std::string("loaded, but this user may not read ") + stream_version_file;
        case DriverState::another:
            return "another driver of the name oprofile is loaded; to use this one, unload that";
        case DriverState::not_mounted:
            return std::string("loaded, but there is no ") + stream_version_file + "; run opcontrol --init";
        case DriverState::not_loaded:
            break;
    }
    return "not loaded";
}

}  // namespace

DriverState driver_state(int open_error, const std::string& module) {
    if (open_error == 0) return DriverState::readable;
    if (open_error == EACCES) return DriverState::not_readable;
    const auto is_there = [](const std::string& path) { return ::access(path.c_str(), F_OK) == 0; };
    if (!is_there(module)) return DriverState::not_loaded;
    return is_there(module + "/parameters/model") ? DriverState::not_mounted : DriverState::another;
}

std::string version_text(std::string_view name) {
    return std::string(name) + ": oprofile-ng " OP_VERSION "\n";
}

bool wants_version_details(std::span<const char* const> arguments) {
    bool has_version = false, has_verbose = false;
    for (const std::string_view argument : arguments) {
        if (!argument.starts_with('-') || argument == "--") break;
        has_version |= argument == "--version" || argument == "-v";
        has_verbose |= argument == "--verbose" || argument == "-V" || argument.starts_with("--verbose=");
    }
    return has_version && has_verbose;
}

MachineVersions running_versions() {
    MachineVersions versions;
    utsname system{};
    if (::uname(&system) == 0)
        versions.kernel =
            std::string(system.sysname) + " " + system.release + " " + system.machine + " " + system.version;
    versions.paranoid = read_kernel_line(machine_path("/proc/sys/kernel/perf_event_paranoid"));
    versions.kptr_restrict = read_kernel_line(machine_path("/proc/sys/kernel/kptr_restrict"));
    const int error = Fd(::open(stream_version_file, O_RDONLY | O_CLOEXEC)) ? 0 : errno;
    versions.driver = driver_state(error, "/sys/module/oprofile");
    if (versions.driver == DriverState::readable)
        versions.stream_version = read_kernel_line(stream_version_file);
    ::dl_iterate_phdr(add_library, &versions.libraries);
    std::ranges::sort(versions.libraries);
    return versions;
}

std::string version_details(std::string_view name, const MachineVersions& versions) {
    std::string text = version_text(name);
    text += std::string("compiler: ") + compiler + ", glibc " + std::string(::gnu_get_libc_version()) + "\n";
    text += "kernel: " + or_else(versions.kernel, "not known") + "\n";
    text += "kernel.perf_event_paranoid: " + or_else(versions.paranoid, "not there") + "\n";
    text += "kernel.kptr_restrict: " + or_else(versions.kptr_restrict, "not there") + "\n";
    text += "driver: " + driver_text(versions) + "\n";
    return text + "libraries: " + printable(joined(versions.libraries)) + "\n";
}

}  // namespace op::tool
