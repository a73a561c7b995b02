// SPDX-License-Identifier: GPL-2.0-or-later
// The page's HTML, style and script: page.html, page.css and the files of script/ beside this one, which
// the build turns into constants (embed.sh).
#pragma once

#include <string_view>

namespace op::pp {

/// A template: "{{name}}" is replaced by what write_page.cpp has for that name.
extern const std::string_view page_html;
extern const std::string_view page_style;
extern const std::string_view page_script;
/// Their hashes as a content security policy names them, "sha256-...".
extern const std::string_view page_style_hash;
extern const std::string_view page_script_hash;

}  // namespace op::pp
