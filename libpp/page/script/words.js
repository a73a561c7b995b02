// SPDX-License-Identifier: GPL-2.0-or-later
// Numbers and boxes in words. Names are foreign text: they reach the page as textContent and canvas text only.

const grouped = new Intl.NumberFormat("en");
const count = n => grouped.format(n);
const samples = n => count(n) + (n === 1 ? " sample" : " samples");
const percent = share => (100 * share).toFixed(2) + " %";
const partOf = (n, whole) => percent(whole ? n / whole : 0);
const signed = points => (points > 0 ? "+" : points < 0 ? "\u2212" : "") + Math.abs(100 * points).toFixed(2);

// "± 1.23": half the width of the interval of a share, in percentage points.
function plusMinus(n, side = 0) {
  const [low, high] = shareInterval(taken(n, side), taken(state.whole[side], side));
  return "± " + (50 * (high - low)).toFixed(2);
}

// A count with its share and interval, or of a difference what changed.
function amount(counts) {
  if (!isDifference()) return `${samples(counts[0])}, ${partOf(counts[0], state.whole[0])} ${plusMinus(counts[0])}`;
  const [before, after] = sharesOf(counts);
  const [low, high] = changeInterval(counts), ratio = before && after ? `, × ${(after / before).toFixed(2)}` : "";
  return `before ${percent(before)} (${samples(counts[0])}), after ${percent(after)} (${samples(counts[1])}): ` +
    `${signed(after - before)} points [${signed(low)}, ${signed(high)}]${ratio}`;
}
const amountOf = counts => !isDifference() && counts[0] === state.whole[0] ? samples(counts[0]) : amount(counts);
const countsOf = (lists, at) => lists.map(list => list[at]);

function boxName(node) {
  if (tree.frame[node]) return nameOf(tree.frame[node]);
  if (node === 0) return tree.callers < tree.size ? nameOf(state.pick) : "all";
  return `[${count(tree.smaller.get(node) || 1)} smaller]`;
}

// A box: its name, its place and its numbers.
function described(node) {
  const frame = tree.frame[node], lines = [boxName(node)], total = countsOf(tree.total, node), self = countsOf(tree.self, node);
  if (frame && imageOf(frame)) lines.push(isWhole(frame) || isLine(frame) ? imageOf(frame) : `in ${imageOf(frame)}`);
  lines.push(amountOf(total));
  if (state.zoom && state.zoom < tree.size && !isDifference())
    lines.push(`${partOf(total[0], tree.total[0][state.zoom])} of what is shown`);
  if (self.some(n => n > 0) && self.some((n, at) => n !== total[at]) && frame) lines.push(`in itself ${isDifference() ? amount(self) : samples(self[0])}`);
  if (isDifference() && node) lines.push(nodeMarks[node] ? "more than chance" : "may be chance");
  return lines;
}

// Elements

function element(name, text, attributes = {}) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}
function button(text, act, title) {
  const made = element("button", text, title ? {title, type: "button"} : {type: "button"});
  made.addEventListener("click", act);
  return made;
}
// A name may have 16 KB.
const clipped = (text, most = 2000) => text.length > most ? text.slice(0, most) + "…" : text;
