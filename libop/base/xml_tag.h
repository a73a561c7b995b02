// SPDX-License-Identifier: GPL-2.0-or-later
// An XML element as text. Does not check that a document is well-formed as a whole.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace op {

/// A tag, in the classic layout: each on a line of its own, two blanks before the first attribute.
class XmlTag {
public:
    explicit XmlTag(std::string_view name) : name_(name), text_("<" + name_) {}

    /// Adds an attribute; any bytes may be its value.
    XmlTag& attribute(std::string_view name, std::string_view value);
    XmlTag& attribute(std::string_view name, uint64_t value);
    /// Adds an attribute "true" if the value is.
    XmlTag& flag(std::string_view name, bool value);
    /// Adds the values with commas as an attribute, if there are any.
    XmlTag& list(std::string_view name, const std::vector<std::string>& values);

    /// The element without content.
    std::string empty() const;
    /// The element with `content`, which is empty or XML that ends in a newline.
    std::string around(std::string_view content) const;

private:
    std::string name_, text_;
    bool has_attributes_ = false;
};

}  // namespace op
