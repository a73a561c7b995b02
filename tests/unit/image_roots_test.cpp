// SPDX-License-Identifier: GPL-2.0-or-later
#include "libpp/profile/image_roots.h"

#include <gtest/gtest.h>

namespace op::pp {

TEST(RootRemarks, name_each_root_once_with_the_images_that_are_shown) {
    SessionInfo info;
    info.images["/bin/a"] = {.elsewhere = true, .root = "/srv/chroot"};
    info.images["/bin/b@12"] = {.elsewhere = true, .path = "/bin/b", .root = "/srv/chroot"};
    info.images["/bin/c"] = {.elsewhere = true, .root = "mount namespace 7"};
    info.images["/bin/d"] = {.elsewhere = true, .root = "another"};
    std::vector<ImageFiles> images;
    for (const char* name : {"/bin/a", "/bin/b@12", "/bin/c", "/bin/host"})
        images.push_back({{ImageName::Kind::file, name}, {}});
    EXPECT_EQ(root_remarks(images, info),
              (std::vector<std::string>{"files of another root, /srv/chroot: /bin/a,/bin/b@12",
                                        "files of another root, mount namespace 7: /bin/c"}));
    EXPECT_TRUE(root_remarks({}, info).empty());
}

}  // namespace op::pp
