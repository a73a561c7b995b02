// SPDX-License-Identifier: GPL-2.0-or-later
// An XML element as text.
#include "libop/base/xml_tag.h"

#include "libop/base/markup.h"
#include "libop/base/text.h"

namespace op {

XmlTag& XmlTag::attribute(std::string_view name, std::string_view value) {
    text_ += has_attributes_ ? " " : "  ";
    has_attributes_ = true;
    text_ += name;
    text_ += "=\"" + markup_text(printable(value)) + "\"";
    return *this;
}

XmlTag& XmlTag::attribute(std::string_view name, uint64_t value) {
    return attribute(name, std::to_string(value));
}

XmlTag& XmlTag::flag(std::string_view name, bool value) {
    return value ? attribute(name, "true") : *this;
}

XmlTag& XmlTag::list(std::string_view name, const std::vector<std::string>& values) {
    return values.empty() ? *this : attribute(name, joined(values, ","));
}

std::string XmlTag::empty() const {
    return text_ + "/>\n";
}

std::string XmlTag::around(std::string_view content) const {
    std::string text = text_ + ">\n";
    text += content;
    return text + "</" + name_ + ">\n";
}

}  // namespace op
