// SPDX-License-Identifier: GPL-2.0-or-later
// The user to whom the daemon gave its session: root works on it as that user.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace op::tool {

/// Until it is destroyed, root acts as the user to whom SESSION_DIR/samples belongs, so that what is made
/// there is that user's, too, and what that user planted there leads to nothing of root's. Does nothing for
/// other users, or if root owns it.
class ActAsOwner {
public:
    /// Throws a system error; then nothing has changed.
    explicit ActAsOwner(const std::string& session_dir);
    ActAsOwner(const ActAsOwner&) = delete;
    ActAsOwner& operator=(const ActAsOwner&) = delete;
    ~ActAsOwner();

private:
    void go_back() const noexcept;

    struct Before {
        gid_t group;
        std::vector<gid_t> groups;
    };
    std::optional<Before> before_;  ///< none = still who it was
};

}  // namespace op::tool
