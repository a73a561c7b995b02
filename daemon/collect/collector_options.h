// SPDX-License-Identifier: GPL-2.0-or-later
// What a collector keeps apart and what it keeps at all.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace op::collect {

struct CollectorOptions {
    bool separate_thread = false;  ///< tgid and tid in file names
    bool separate_cpu = false;     ///< cpu in file names
    bool images_are_local =
        false;                ///< images are files of this machine: mtimes and build-ids are read from them
    size_t open_files = 400;  ///< sample files open at a time
    bool separate_library = true;               ///< each application has its own sample file of an image
    bool separate_kernel = true;                ///< the same for images of the kernel and its modules
    std::vector<std::string> only_images = {};  ///< absolute paths of applications to keep; empty = all
};

}  // namespace op::collect
