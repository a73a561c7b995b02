// SPDX-License-Identifier: GPL-2.0-or-later
// Strings kept once and named by a small number.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

namespace op {

/// Names an interned string; 0 = none (the empty string).
enum class StringId : uint32_t { none = 0 };

/// Each distinct string once. Views stay valid as long as the table. Not thread-safe.
class StringTable {
public:
    StringTable() { intern(""); }
    StringTable(const StringTable&) = delete;
    StringTable& operator=(const StringTable&) = delete;

    /// The id of `text`, added if new. The empty string is StringId::none.
    StringId intern(std::string_view text) {
        if (auto it = ids_.find(text); it != ids_.end()) return it->second;
        const auto id = static_cast<StringId>(texts_.size());
        ids_.emplace(texts_.emplace_back(text), id);
        return id;
    }
    /// The id of `text`; none if it was never added.
    StringId find(std::string_view text) const {
        const auto it = ids_.find(text);
        return it == ids_.end() ? StringId::none : it->second;
    }
    std::string_view text(StringId id) const { return texts_.at(static_cast<uint32_t>(id)); }
    size_t size() const noexcept { return texts_.size(); }

private:
    std::deque<std::string> texts_;
    std::unordered_map<std::string_view, StringId> ids_;
};

}  // namespace op
