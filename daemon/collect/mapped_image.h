// SPDX-License-Identifier: GPL-2.0-or-later
// What is mapped somewhere, one object per name and file. They come and go with the processes that have them
// mapped, so that memory does not grow with the number of programs that ever ran.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "libop/base/file_identity.h"
#include "libop/base/intern.h"
#include "libop/base/text.h"

namespace op::collect {

/// An image and what its mappings contained about it.
struct MappedImage {
    std::string name;              ///< path, bare module name, or label of anonymous memory
    FileIdentity file = {};        ///< of a mapped file, as mappings have it
    std::string build_id = {};     ///< lower-case hex; empty = unknown
    bool is_file = false;          ///< `name` is the path of a mapped file
    bool is_deleted = false;       ///< the path had the mark of deletion
    uint64_t mapped = 0;           ///< when it was mapped last, sample time; 0 = not known
    StringId id = StringId::none;  ///< the collector's number for it, once a sample is in it
    uint32_t id_run = 0;           ///< the run in which it got or was refused that number
    std::string key = {};          ///< the pool's
};
using ImagePtr = std::shared_ptr<MappedImage>;

/// All images that are mapped, one object per name and file. Not thread-safe.
class ImagePool {
public:
    /// The image of that name without a file, created if it is new.
    ImagePtr get(std::string_view name) {
        key_.assign(name);
        return get_by_key(name);
    }
    /// The same of a label that images of several builds have.
    ImagePtr get_build(std::string_view label, std::span<const std::byte> build_id) {
        if (build_id.empty()) return get(label);
        set_file_key(label, {}, build_id);
        ImagePtr image = get_by_key(label);
        image->build_id = hex(build_id);
        return image;
    }
    /// The image of a file. Files of one path are different images if what is known of them differs.
    ImagePtr get_file(std::string_view path, const FileIdentity& file, std::span<const std::byte> build_id) {
        set_file_key(path, file, build_id);
        ImagePtr image = get_by_key(path);
        if (image->is_file) return image;
        image->is_file = true;
        image->file = file;
        image->build_id = hex(build_id);
        return image;
    }
    /// The image that get_file() would return; null if it would create one.
    ImagePtr find_file(std::string_view path, const FileIdentity& file, std::span<const std::byte> build_id) {
        set_file_key(path, file, build_id);
        const auto it = images_.find(key_);
        return it == images_.end() ? nullptr : it->second;
    }
    /// Those who have the image keep it; get_file() creates another one.
    void forget(const MappedImage& image) {
        if (const auto it = images_.find(image.key); it != images_.end()) images_.erase(it);
    }
    size_t size() const noexcept { return images_.size(); }

private:
    void set_file_key(std::string_view path, const FileIdentity& file, std::span<const std::byte> build_id) {
        key_.assign(path).append(build_id.empty() ? std::string_view("\0i", 2) : std::string_view("\0b", 2));
        key_.append(reinterpret_cast<const char*>(build_id.data()), build_id.size());
        if (!build_id.empty()) return;
        key_.append(reinterpret_cast<const char*>(&file.device), sizeof file.device)
            .append(reinterpret_cast<const char*>(&file.inode), sizeof file.inode)
            .append(reinterpret_cast<const char*>(&file.generation), sizeof file.generation);
    }
    ImagePtr get_by_key(std::string_view name) {
        if (const auto it = images_.find(key_); it != images_.end()) return it->second;
        if (images_.size() >= sweep_at_) sweep();
        auto image = std::make_shared<MappedImage>();
        image->name = name;
        image->key = key_;
        images_.emplace(image->key, image);
        return image;
    }
    /// Removes images that nobody refers to any more; rare enough to cost little per name.
    void sweep() {
        std::erase_if(images_, [](const auto& entry) { return entry.second.use_count() == 1; });
        sweep_at_ = std::max(first_sweep, 2 * images_.size());
    }

    static constexpr size_t first_sweep = 1024;
    std::unordered_map<std::string_view, ImagePtr> images_;  ///< keys lie in the images
    size_t sweep_at_ = first_sweep;
    std::string key_;  ///< of the image looked for
};

}  // namespace op::collect
