// SPDX-License-Identifier: GPL-2.0-or-later
// What a collector keeps apart and what it keeps at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "daemon/collect/image_limits.h"
#include "daemon/source/kernel_map.h"
#include "libop/control/separation.h"

namespace op::collect {

struct CollectorOptions {
    /// What has sample files of its own: tgid and tid, or cpu, are in their names; so is the application of
    /// an image, or of one of the kernel and its modules.
    Separation separation = {.library = true, .kernel = true};
    bool images_are_local =
        false;                  ///< images are files of this machine: mtimes and build-ids are read from them
    bool keeps_builds = false;  ///< see Collector::keep_builds()
    bool stacks = false;        ///< every sample has a call stack, if only of its own address
    size_t most_callers = SIZE_MAX;             ///< of a sample; those further out are left out
    bool arcs = true;                           ///< calls are kept as pairs, too, in call-graph files
    size_t open_files = 400;                    ///< sample files open at a time
    std::vector<std::string> only_images = {};  ///< absolute paths of applications to keep; empty = all
    const KernelRange* exec_code = nullptr;     ///< see StackWalker; must outlive the collector
    ImageLimits limits = {};                    ///< others in tests only
};

}  // namespace op::collect
