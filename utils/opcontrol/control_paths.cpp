// SPDX-License-Identifier: GPL-2.0-or-later
// Where things are on this machine.
#include "utils/opcontrol/control_paths.h"

#include <pwd.h>
#include <sys/utsname.h>

#include <cerrno>

#include "libop/base/error.h"

namespace op::tool {

namespace {

std::string home_of_root() {
    errno = 0;
    const passwd* const root = ::getpwuid(0);
    if (!root && errno != 0) throw_system("cannot find root's home directory");
    return root && root->pw_dir && root->pw_dir[0] == '/' ? root->pw_dir : "/root";
}

std::string kernel_release() {
    utsname names{};
    if (::uname(&names) != 0) throw_system("cannot read the kernel's release");
    return names.release;
}

}  // namespace

ControlPaths control_paths(const std::string& root) {
    ControlPaths paths;
    paths.is_test_tree = !root.empty();
    paths.home = root.empty() ? home_of_root() : root + "/root";
    paths.modules = root + "/lib/modules/" + kernel_release();
    paths.driver = root + "/dev/oprofile";
    paths.proc_sys = root + "/proc/sys";
    paths.run = root + "/run/oprofiled";
    paths.control = paths.run + "/control";
    paths.default_session = root + "/var/lib/oprofile";
    return paths;
}

}  // namespace op::tool
