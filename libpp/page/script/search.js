// SPDX-License-Identifier: GPL-2.0-or-later
// Search by a regular expression: the samples of stacks with a match, each sample once.

function search() {
  const box = byId("search"), words = byId("matches");
  matched = null;
  words.textContent = "";
  box.removeAttribute("aria-invalid");
  if (!state.q) return;
  let expr;
  try {
    expr = new RegExp(state.q, "i");
  } catch (error) {
    box.setAttribute("aria-invalid", "true");
    words.textContent = `not a regular expression: ${error.message.replace(/^.*\/: /, "").slice(0, 80)}`;
    return;
  }
  matched = new Uint8Array(facts.names.length + 1);
  let names = 0;
  facts.names.forEach((name, i) => { if (expr.test(name)) { matched[i + 1] = 1; ++names; } });
  words.textContent = names ? `${amount(sumOfMatches())} in ${count(names)} ${names === 1 ? "name" : "names"}` : "no match";
}

// Of each side, over the stacks as they are with the chips; what is below a match is not counted again.
function sumOfMatches() {
  const {frame, end, size, total} = stacked, sums = total.map(() => 0);
  for (let i = 1; i < size;) {
    if (!matched[frame[i]]) { ++i; continue; }
    for (let side = 0; side < sums.length; ++side) sums[side] += total[side][i];
    i = end[i];
  }
  return sums;
}

// Selects the next match, or the one before; zooms out or in where it would not be seen.
function nextMatch(step) {
  if (!matched) return;
  for (let i = 1; i <= tree.size; ++i) {
    const node = ((selected + step * i) % tree.size + tree.size) % tree.size;
    if (!node || !isHit(node)) continue;
    const shown = state.zoom && !(node >= state.zoom && node < tree.end[state.zoom]) ? 0 : state.zoom;
    const isSeen = tree.wide[node] / (tree.wide[shown] || 1) * graph.clientWidth >= 3;
    if (!isSeen || shown !== state.zoom) go({zoom: isSeen ? shown : tree.parent[node]}, true);
    select(node);
    keepInSight(node);
    return;
  }
}
