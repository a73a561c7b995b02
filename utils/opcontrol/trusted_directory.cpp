// SPDX-License-Identifier: GPL-2.0-or-later
// Owner and mode of directories and files.
#include "utils/opcontrol/trusted_directory.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "libop/base/access_policy.h"
#include "libop/base/directory.h"
#include "libop/base/error.h"
#include "libop/base/text.h"

namespace op::tool {

void require_trusted(const Fd& fd, const std::string& label) {
    struct stat st {};
    if (::fstat(fd.get(), &st) != 0) throw_system("cannot stat " + printable(label));
    check_trusted(st, label);
}

Fd open_trusted_directory(const std::string& parent, const std::string& name, bool make) {
    const std::string label = parent + "/" + name;
    const Fd above(::open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!above && errno == ENOENT && !make) return {};
    if (!above) throw_system("cannot open " + printable(parent));
    require_trusted(above, parent);
    if (make && ::mkdirat(above.get(), name.c_str(), 0755) != 0 && errno != EEXIST)
        throw_system("cannot make directory " + printable(label));
    struct stat st {};
    if (!make && ::fstatat(above.get(), name.c_str(), &st, AT_SYMLINK_NOFOLLOW) != 0 && errno == ENOENT)
        return {};
    Fd dir = open_directory_at(above, name, label, false);
    require_trusted(dir, label);
    return dir;
}

}  // namespace op::tool
