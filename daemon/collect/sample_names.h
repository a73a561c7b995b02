// SPDX-License-Identifier: GPL-2.0-or-later
// Images and classes as the session's files name them.
#pragma once

#include "daemon/collect/image_ref.h"
#include "libop/base/intern.h"
#include "libop/session/sample_path.h"
#include "libop/session/session_info.h"

namespace op::collect {

/// What one event's samples are kept apart by.
struct ClassKey {
    static constexpr uint32_t all = UINT32_MAX;  ///< not separated

    uint16_t event = 0;  ///< index into the session's events
    uint32_t tgid = all, tid = all, cpu = all;

    bool operator==(const ClassKey&) const = default;
};

/// The name of an image that is neither refused nor none.
ImageName image_name(const ImageRef& image, const StringTable& names);
SampleClass class_name(const ClassKey& key, const SessionInfo& info);

}  // namespace op::collect
