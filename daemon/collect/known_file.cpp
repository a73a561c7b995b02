// SPDX-License-Identifier: GPL-2.0-or-later
// Comparing what is known of two files.
#include "daemon/collect/known_file.h"

#include <algorithm>

namespace op::collect {
namespace {

/// What an image takes in the manifest besides its texts, bytes.
constexpr uint64_t manifest_row = 300;

/// The greatest length of a text in the manifest, bytes.
uint64_t manifest_length(std::string_view text) {
    constexpr uint64_t escaped = 6;  // of a control character in JSON
    const auto is_plain = [](unsigned char c) {
        return c >= 0x20 && c < 0x7f && c != '%' && c != '"' && c != '\\';
    };
    const auto plain = static_cast<uint64_t>(std::ranges::count_if(text, is_plain));
    return plain + escaped * (text.size() - plain);
}

/// True if both are of one content. Of a long file the checksum is of both ends: what lies between is the
/// same if nobody has written to it since.
bool has_same_content(const RecordedImage& one, const RecordedImage& other) {
    const bool is_unwritten = one.mtime != 0 && one.mtime == other.mtime && one.size == other.size;
    return one.has_same_content(other) ||
           (is_unwritten && one.checksum != 0 && one.checksum == other.checksum);
}

}  // namespace

uint64_t manifest_cost(std::initializer_list<std::string_view> texts) {
    uint64_t cost = manifest_row;
    for (const std::string_view text : texts)
        cost += manifest_length(text);
    return cost;
}

bool KnownFile::is_blank() const {
    return facts.build_id.empty() && !facts.id.is_known() && recorded.mtime == 0;
}

bool KnownFile::is_same(const KnownFile& other) const {
    if (!facts.build_id.empty() && !other.facts.build_id.empty())
        return facts.build_id == other.facts.build_id;
    if (is_found && other.is_found)
        return id == other.id && (changed == other.changed || has_same_content(recorded, other.recorded));
    if (facts.id.is_known() && other.facts.id.is_known())
        return facts.id.may_be(other.facts.id) && !is_newer(other) && !other.is_newer(*this);
    if (recorded.elsewhere || other.recorded.elsewhere)
        return !is_earlier && !other.is_earlier && is_blank() && other.is_blank();
    if (recorded.mtime != 0 && other.recorded.mtime != 0) return !recorded.is_other_build(other.recorded);
    return is_blank() || other.is_blank();
}

bool KnownFile::is_newer(const KnownFile& other) const {
    return is_found && other.facts.mapped != 0 && changed > other.facts.mapped;
}

uint64_t KnownFile::cost() const {
    return manifest_cost({facts.path, facts.path, recorded.root, facts.build_id});
}

}  // namespace op::collect
