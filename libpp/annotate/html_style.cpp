// SPDX-License-Identifier: GPL-2.0-or-later
// The style of annotated sources in a browser.
#include "libpp/annotate/html_style.h"

namespace op::pp {

namespace {

constexpr const char* style = R"(
:root { color-scheme: light dark; --page: #fff; --ink: #1c1e21; --faint: #70757c; --rule: #d9dce0; --head: #f4f5f7;
  --link: #0b57d0; --heat: 255 106 0; --mark: #ffe58a; }
@media (prefers-color-scheme: dark) {
  :root { --page: #16181b; --ink: #dfe1e4; --faint: #8d939b; --rule: #34383e; --head: #1f2226; --link: #8ab4f8;
    --heat: 255 98 20; --mark: #5c4a00; }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 9rem; }
body { margin: 0 auto; padding: 1rem 1.5rem 4rem; max-width: 110rem; background: var(--page); color: var(--ink);
  font: 15px/1.45 system-ui, sans-serif; }
a { color: var(--link); text-decoration: none; }
a:hover { text-decoration: underline; }
h1 { font-size: 1.4rem; margin: 0 0 .25rem; }
h2 { position: sticky; top: 0; z-index: 2; margin: 2.5rem 0 0; padding: .45rem 0; height: 2.5rem; font-size: 1rem;
  white-space: nowrap; overflow: hidden; text-overflow: ellipsis; background: var(--page); }
h2 small { font-weight: normal; color: var(--faint); margin-left: .75rem; }
pre.about { color: var(--faint); font-size: .8rem; white-space: pre-wrap; overflow-wrap: anywhere; margin: .5rem 0 1rem; }
label { cursor: pointer; }
main { margin-top: .75rem; }
table { border-collapse: collapse; font: 13px/1.5 ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace;
  font-variant-numeric: tabular-nums; }
table.source { width: 100%; }
th, td { padding: 0 .6rem; text-align: right; vertical-align: top; white-space: nowrap; }
thead th { background: var(--head); color: var(--faint); font-weight: 600; padding-top: .2rem; padding-bottom: .2rem;
  border-bottom: 1px solid var(--rule); }
table.source thead { position: sticky; top: 2.5rem; z-index: 1; }
td.place { text-align: left; }
th.text, td.text { text-align: left; white-space: pre-wrap; overflow-wrap: anywhere; tab-size: 8; width: 100%;
  unicode-bidi: isolate; }
table.index td { padding-top: .15rem; padding-bottom: .15rem; }
td.line a { color: var(--faint); }
td.line, table.source th.line { border-right: 1px solid var(--rule); }
tr:target { outline: 2px solid var(--link); outline-offset: -2px; }
tr:target td.line { background: var(--mark); }
tr.skip { display: none; }
tr.skip td, tr.gap td { color: var(--faint); background: var(--head); }
#near:checked ~ main tr.skip { display: table-row; }
#near:checked ~ main tbody.far { display: none; }
span.of { background: var(--page); border: 1px solid var(--rule); border-radius: .3rem; padding: 0 .35rem; margin-left: 1rem;
  font-size: .92em; white-space: normal; }
summary { color: var(--faint); cursor: pointer; }
p.none { color: var(--faint); }
)";

/// Steps of one colour; code has half as much of it as numbers, so that it stays easy to read.
std::string heat_style() {
    std::string text;
    for (int step = 1; step <= heat_steps; ++step) {
        const std::string name = "h" + std::to_string(step);
        const auto colour = [&](int percent) {
            return " { background: rgb(var(--heat) / " + std::to_string(percent) + "%); }\n";
        };
        text += "td." + name + colour(4 + 6 * step) + "tr." + name + " td.text" + colour(2 + 3 * step);
    }
    return text;
}

}  // namespace

std::string html_style() {
    return style + heat_style();
}

}  // namespace op::pp
