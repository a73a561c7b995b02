// SPDX-License-Identifier: GPL-2.0-or-later
// /proc/sys/kernel/nmi_watchdog, and a file in the run directory that records that it was on.
#include "utils/opcontrol/nmi_watchdog.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "libop/base/error.h"
#include "libop/base/fd.h"
#include "libop/base/text.h"
#include "utils/opcontrol/trusted_directory.h"

namespace op::tool {

namespace {

constexpr const char* memory_name = "nmi_watchdog_was_on";

std::string knob(const ControlPaths& paths) {
    return paths.proc_sys + "/kernel/nmi_watchdog";
}

bool is_on(const ControlPaths& paths) {
    const Fd file(::open(knob(paths).c_str(), O_RDONLY | O_CLOEXEC));
    if (!file) return false;  // a kernel without it
    std::string text = read_fd(file.get(), knob(paths));
    std::string_view rest = text;
    return parse_number(take_word(rest)).value_or(0) != 0;
}

void write_knob(const ControlPaths& paths, const char* value) {
    write_fd(open_file(knob(paths), O_WRONLY | O_TRUNC).get(), value, knob(paths));
}

Fd run_directory(const ControlPaths& paths, bool make) {
    const size_t slash = paths.run.rfind('/');
    return open_trusted_directory(paths.run.substr(0, slash), paths.run.substr(slash + 1), make);
}

}  // namespace

bool switch_off_nmi_watchdog(const ControlPaths& paths) {
    if (!is_on(paths)) return false;
    const Fd run = run_directory(paths, true);
    replace_file_at(run, memory_name, paths.run + "/" + memory_name, "1\n", 0600);
    write_knob(paths, "0\n");
    return true;
}

bool restore_nmi_watchdog(const ControlPaths& paths) {
    const Fd run = run_directory(paths, false);
    if (!run || ::faccessat(run.get(), memory_name, F_OK, AT_SYMLINK_NOFOLLOW) != 0) return false;
    write_knob(paths, "1\n");
    if (::unlinkat(run.get(), memory_name, 0) != 0)
        throw_system("cannot remove " + paths.run + "/" + memory_name);
    return true;
}

}  // namespace op::tool
