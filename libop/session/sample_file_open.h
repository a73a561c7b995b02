// SPDX-License-Identifier: GPL-2.0-or-later
// Opens sample files for writing, whatever state they are in.
#pragma once

#include <memory>
#include <string>

#include "libop/base/access_policy.h"
#include "libop/base/diagnostics.h"
#include "libop/base/fd.h"
#include "libop/session/sample_file.h"
#include "libop/session/sample_file_table.h"

namespace op {

/// The place of a sample file, and its name in messages.
struct SampleFilePlace {
    const Fd& dir;
    const std::string& name;
    std::string label;
    const AccessPolicy& policy;
};

/// Opens the file as the constructor of SampleFile does. Throws as that constructor.
std::unique_ptr<SampleTable> open_sample_table(const SampleFilePlace& at, const SampleHeader& header,
                                               Diagnostics& notes);

}  // namespace op
