// SPDX-License-Identifier: GPL-2.0-or-later
// The picture: a canvas of the size of its window. Only rows in sight, and boxes of half a pixel and more, are drawn;
// narrower ones of a row are one grey run.

const rowHeight = 20, least = 0.5, leastText = 24;
const graph = byId("graph"), canvas = byId("picture"), context = canvas.getContext("2d", {alpha: false});
const kindNames = ["application", "library", "kernel", "code made at run time", "callers unknown", "thread or CPU", "source line"];
// Hue, saturation and lightness: colours that stay apart for colour-blind eyes.
const kindColours = [[36, 92, 62], [203, 75, 68], [326, 46, 72], [163, 55, 56], [0, 0, 78], [60, 30, 70], [50, 60, 80]];
const wholeColour = [220, 10, 76], smallerColour = "hsl(0 0% 68%)", boxInk = "#111";
let frameColours = [], boxes = [], rows = [], selected = 0, nodeMarks = null, matched = null;

const darkness = matchMedia("(prefers-color-scheme: dark)");
let dark = darkness.matches;  // asking for it at each box would make the browser bring its styles up to date
const isDark = () => dark;

function colourOf(frame) {
  const name = nameOf(frame), kind = facts.kind[frame - 1];
  let hash = 0;
  for (let i = 0; i < name.length && i < 200; ++i) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193);
  const [hue, saturation, light] = kind & 8 ? wholeColour : kindColours[kind & 7];
  const shift = (hash >>> 8) % 13 - 6;
  return `hsl(${hue} ${saturation}% ${light + shift - (isDark() ? 6 : 0)}%)`;
}
function colourFrames() { frameColours = facts.names.map((_, i) => colourOf(i + 1)); }

// Orange for more, blue for less, the stronger the greater the change in percentage points; grey if it may be chance.
function changeColour(node) {
  if (state.grey && !nodeMarks[node]) return isDark() ? "hsl(0 0% 62%)" : "hsl(0 0% 84%)";
  const points = changeIn(countsOf(tree.total, node));
  const strength = Math.min(1, Math.abs(points) * 12);
  return `hsl(${points > 0 ? 30 : 207} ${55 + 40 * strength}% ${(isDark() ? 80 : 86) - 30 * strength}%)`;
}
const fillOf = node => node < 0 || !tree.frame[node] ? smallerColour :
  isDifference() ? changeColour(node) : frameColours[tree.frame[node] - 1];

// Rows from the top of the picture. A flame graph has its root at the bottom; callers of one function are above it.
const isFlame = () => tree.callers === tree.size && (state.view === "calls") !== state.flip;
const rowCount = () => seenDeepest + seenHighest + 1;
function rowOf(node) {
  const depth = tree.depth[node];
  if (tree.callers < tree.size) return (node >= tree.callers) !== state.flip ? middleRow() - depth : middleRow() + depth;
  return isFlame() ? seenDeepest - depth : depth;
}
const middleRow = () => state.flip ? seenDeepest : seenHighest;

// The boxes in rows `first` to `last`: {node, x, width, row}; node -1 is a grey run, `above` are those around what is shown.
function layOut(width, first, last) {
  const root = state.zoom < tree.size ? state.zoom : 0, scale = width / (tree.wide[root] || 1), found = [];
  for (let node = root; node;) { node = tree.parent[node]; found.push({node, x: 0, width, row: rowOf(node), depth: tree.depth[node], above: true}); }
  const stack = [root], places = [0];
  while (stack.length) {
    const node = stack.pop(), x = places.pop(), row = rowOf(node);
    if (row >= first && row <= last) found.push({node, x, width: tree.wide[node] * scale, row, depth: tree.depth[node]});
    if (root === 0 && node === 0 && tree.callers < tree.size) childBoxes(node, tree.callers, tree.size, x, scale, stack, places, found);
    const upwards = node + 1 < tree.end[node] && rowOf(node + 1) < row;
    if (upwards ? row > first : row < last)
      childBoxes(node, node + 1, node === 0 ? tree.callers : tree.end[node], x, scale, stack, places, found);
  }
  return found;
}
function childBoxes(node, child, end, x, scale, stack, places, found) {
  for (; child < end; child = tree.end[child]) {
    const wide = tree.wide[child] * scale;
    if (wide < least) {  // and so are those behind it, but for samples of smaller nodes
      let rest = 0;
      for (let i = child, seen = 0; i < end && seen < 5000; i = tree.end[i], ++seen) rest += tree.wide[i] * scale;
      if (rest >= least) found.push({node: -1, x, width: rest, row: rowOf(child), depth: 0});
      return;
    }
    stack.push(child);
    places.push(x);
    x += wide;
  }
}

function fitGraph() {
  measureDepths();
  const full = rowCount() * rowHeight + 2, most = Math.max(200, innerHeight * 0.56);
  graph.style.height = Math.min(full, most) + "px";
  byId("height").style.height = Math.max(0, full - 2 - graph.clientHeight) + "px";
}

function draw() {
  const ratio = devicePixelRatio || 1, width = graph.clientWidth, height = graph.clientHeight;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    canvas.style.height = height + "px";
  }
  const top = graph.scrollTop, style = getComputedStyle(document.body), ink = style.color;
  boxes = layOut(width, Math.floor(top / rowHeight), Math.ceil((top + height) / rowHeight));
  rows = [];
  for (const box of boxes) (rows[box.row] ||= []).push(box);
  for (const row of rows) if (row) row.sort((a, b) => a.x - b.x);
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.fillStyle = style.backgroundColor;
  context.fillRect(0, 0, width, height);
  context.font = "12px system-ui, sans-serif";
  context.textBaseline = "middle";
  for (const box of boxes) drawBox(box, box.row * rowHeight - top, ink);
}

const isHit = node => node >= 0 && tree.frame[node] > 0 && matched[tree.frame[node]] === 1;
function drawBox(box, y, ink) {
  const {node, x, width} = box, gap = width > 3 ? 1 : 0, frame = node < 0 ? 0 : tree.frame[node];
  const fades = box.above || matched !== null && !isHit(node);
  context.globalAlpha = fades ? isDark() ? 0.35 : 0.45 : 1;
  context.fillStyle = fillOf(node);
  context.fillRect(x, y, width - gap, rowHeight - 1);
  context.globalAlpha = 1;
  if (frame && kindOf(frame) === 4 && width > 6) hatch(x, y, width - gap);
  if (frame && frame === state.pick && width > 2) underline(x, y, width - gap, fades ? ink : boxInk, 2);
  if (matched && isHit(node) && width > 2) underline(x, y, width - gap, boxInk, 3);
  if (node >= 0 && width >= leastText) {
    context.fillStyle = fades ? ink : boxInk;
    context.fillText(fitted(boxName(node), width - 8), x + 4, y + rowHeight / 2 - 1);  // an underscore ends above the line of a match
  }
  if (node >= 0 && node === selected && (node || tree.callers < tree.size)) {
    context.strokeStyle = ink;
    context.lineWidth = 3;
    context.strokeRect(x + 1.5, y + 1, Math.max(1, width - gap - 3), rowHeight - 3);
  }
}
function underline(x, y, width, colour, height) {
  context.fillStyle = colour;
  context.fillRect(x, y + rowHeight - 1 - height, width, height);
}

// Callers that are not known are hatched: the stack goes on where nobody saw it.
function hatch(x, y, width) {
  context.save();
  context.beginPath();
  context.rect(x, y, width, rowHeight - 1);
  context.clip();
  context.strokeStyle = "rgb(255 255 255 / 60%)";
  context.lineWidth = 2;
  context.beginPath();
  const from = Math.max(x, -rowHeight), to = Math.min(x + width, graph.clientWidth);
  for (let at = from - rowHeight; at < to; at += 8) { context.moveTo(at, y + rowHeight); context.lineTo(at + rowHeight, y); }
  context.stroke();
  context.restore();
}

// As much of a text as there is room for; names are long, and measuring is slow.
function fitted(text, room) {
  if (text.length * 12 < room || text.length < 200 && context.measureText(text).width <= room) return text;
  let short = 0, long = Math.min(text.length, Math.floor(room / 2));
  while (short < long) {
    const middle = short + long + 1 >> 1;
    if (context.measureText(text.slice(0, middle) + "…").width <= room) short = middle; else long = middle - 1;
  }
  return short > 1 ? text.slice(0, short) + "…" : "";
}

// The depths, down and up, that have boxes in sight at the zoom there is: the picture has no rows without any.
let seenDeepest = 0, seenHighest = 0;
function measureDepths() {
  seenDeepest = seenHighest = 0;
  let deepest = tree.depth[state.zoom], highest = 0;
  for (const {node, depth} of layOut(graph.clientWidth, -Infinity, Infinity)) {
    if (node >= tree.callers) highest = Math.max(highest, depth); else deepest = Math.max(deepest, depth);
  }
  seenDeepest = deepest;
  seenHighest = highest;
}

let waiting = false;
function redraw() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => { waiting = false; draw(); });
}

// The box at a place of the picture, by binary search in its row.
function boxAt(event) {
  const area = canvas.getBoundingClientRect(), x = event.clientX - area.left;
  const row = rows[Math.floor((event.clientY - area.top + graph.scrollTop) / rowHeight)] || [];
  let low = 0, high = row.length;
  while (low < high) {
    const middle = low + high >> 1;
    if (row[middle].x + row[middle].width <= x) low = middle + 1; else high = middle;
  }
  return low < row.length && row[low].x <= x && row[low].node >= 0 ? row[low] : null;
}

// Scrolls to a node's row.
function keepInSight(node) {
  const y = rowOf(node) * rowHeight;
  if (y < graph.scrollTop) graph.scrollTop = y;
  if (y + rowHeight > graph.scrollTop + graph.clientHeight) graph.scrollTop = y + rowHeight - graph.clientHeight;
}
