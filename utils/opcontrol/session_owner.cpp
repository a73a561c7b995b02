// SPDX-License-Identifier: GPL-2.0-or-later
// Effective user and groups for a while.
#include "utils/opcontrol/session_owner.h"

#include <grp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "libop/base/error.h"
#include "libop/base/text.h"

namespace op::tool {

ActAsOwner::ActAsOwner(const std::string& session_dir) {
    const std::string samples = session_dir + "/samples";
    struct stat st {};
    if (::geteuid() != 0 || ::lstat(samples.c_str(), &st) != 0 || st.st_uid == 0) return;
    Before before{::getegid(), std::vector<gid_t>(static_cast<size_t>(::getgroups(0, nullptr)))};
    if (::getgroups(static_cast<int>(before.groups.size()), before.groups.data()) < 0)
        throw_system("cannot read the groups of this process");
    const std::string failure = "cannot act as the owner of " + printable(samples);
    if (::setgroups(1, &st.st_gid) != 0) throw_system(failure);
    before_ = std::move(before);
    if (::setegid(st.st_gid) == 0 && ::seteuid(st.st_uid) == 0) return;
    const int error = errno;
    go_back();
    throw_system(failure, error);
}

ActAsOwner::~ActAsOwner() {
    go_back();
}

void ActAsOwner::go_back() const noexcept {
    if (!before_) return;
    const bool is_back = ::seteuid(0) == 0 && ::setegid(before_->group) == 0 &&
                         ::setgroups(before_->groups.size(), before_->groups.data()) == 0;
    if (!is_back) std::abort();  // the rest of the program must not run as somebody else
}

}  // namespace op::tool
