// SPDX-License-Identifier: GPL-2.0-or-later
// The style and the script of a flame graph: flame_graph.css and flame_graph.js beside this file, which the
// build turns into constants (libpp/page/embed.sh). Neither has "]]>", which would end them in XML.
#pragma once

#include <string_view>

namespace op::pp {

extern const std::string_view flame_graph_style;
extern const std::string_view flame_graph_script;

}  // namespace op::pp
