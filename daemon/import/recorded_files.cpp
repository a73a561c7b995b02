// SPDX-License-Identifier: GPL-2.0-or-later
// Looking files up by their paths. No process is looked at.
#include "daemon/import/recorded_files.h"

#include "libop/base/fd.h"
#include "libop/base/text.h"

namespace op::collect {

std::string bytes_of_hex(std::string_view text) {
    std::string bytes;
    for (size_t i = 0; i + 1 < text.size(); i += 2)
        bytes += static_cast<char>(parse_number(text.substr(i, 2), 16).value_or(0));
    return bytes;
}

std::span<const std::byte> RecordedFiles::build_id(const Mapping& mapping) {
    if (recorded_ == 0 || !mapping.path.starts_with('/') || !mapping.file.is_known()) return {};
    MappedFileFacts facts{.path = std::string(mapping.path), .id = mapping.file};
    facts.mapped = static_cast<int64_t>(recorded_);
    const std::string key = facts.path + '\0' + std::to_string(mapping.file.inode);
    const auto known = known_.find(key);
    if (known != known_.end()) return as_bytes(known->second);
    if (known_.size() >= most) return {};
    const auto file = find_image_file(facts, search_);
    return as_bytes(known_.emplace(key, file ? bytes_of_hex(file->build_id) : "").first->second);
}

}  // namespace op::collect
