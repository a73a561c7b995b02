// SPDX-License-Identifier: GPL-2.0-or-later
// What is mapped somewhere, one object per name. Names come and go with the processes that have them mapped,
// so that memory does not grow with the number of programs that ever ran.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "libop/base/intern.h"
#include "libop/session/session_info.h"

namespace op::collect {

/// An image and what its mappings contained about it.
struct MappedImage {
    std::string name;              ///< path, bare module name, or label of anonymous memory
    RecordedImage recorded;        ///< without mtime
    StringId id = StringId::none;  ///< the collector's number for it, once a sample is in it
};
using ImagePtr = std::shared_ptr<MappedImage>;

/// All images that are mapped. Not thread-safe.
class ImagePool {
public:
    /// The image of that name, created if it is new.
    ImagePtr get(std::string_view name) {
        if (const auto it = images_.find(name); it != images_.end()) return it->second;
        if (images_.size() >= sweep_at_) sweep();
        auto image = std::make_shared<MappedImage>(MappedImage{std::string(name), {}});
        images_.emplace(image->name, image);
        return image;
    }
    size_t size() const noexcept { return images_.size(); }

private:
    /// Removes images that nobody refers to any more; rare enough to cost little per name.
    void sweep() {
        std::erase_if(images_, [](const auto& entry) { return entry.second.use_count() == 1; });
        sweep_at_ = std::max(first_sweep, 2 * images_.size());
    }

    static constexpr size_t first_sweep = 1024;
    std::unordered_map<std::string_view, ImagePtr> images_;  ///< keys lie in the images
    size_t sweep_at_ = first_sweep;
};

}  // namespace op::collect
