// SPDX-License-Identifier: GPL-2.0-or-later
// The table of functions, of what is shown in the picture, or of everything.

const rowsAtOnce = 200, mostInCell = 400;  // a cell has three lines; setting more text takes a browser long
let shownRows = rowsAtOnce, tableRows = [];

// The functions below a node of a tree, as {frame, self, total} with a count for each side; recursion counts once.
function functionsBelow(from, root) {
  const sides = from.self.length, names = facts.names.length + 1;
  const self = arrays(sides, names), total = arrays(sides, names), open = new Uint32Array(names), path = [];
  for (let i = root; i < from.end[root]; ++i) {
    while (path.length && from.end[path[path.length - 1]] <= i) --open[from.frame[path.pop()]];
    const frame = from.frame[i], isFirst = open[frame]++ === 0;
    for (let side = 0; side < sides; ++side) {
      self[side][frame] += from.self[side][i];
      if (isFirst) total[side][frame] += from.total[side][i];
    }
    if (from.end[i] > i + 1) path.push(i); else --open[frame];
  }
  const found = [];
  for (let frame = 1; frame < names; ++frame)
    if (total.some(list => list[frame])) found.push({frame, self: countsOf(self, frame), total: countsOf(total, frame)});
  return found;
}

// Everything is known to the sample, even of functions whose boxes had no room in the file.
function functionsOfAll() {
  const self = ofEvent(facts.self), total = ofEvent(facts.total);
  return facts.self[0].map((_, i) => ({frame: i + 1, self: countsOf(self, i), total: countsOf(total, i)}));
}

const showsAll = () => !state.chips.length && !(facts.parts && frameOfHash(state.part)) && !(state.zoom && state.view !== "function");
function functions() {
  if (showsAll()) return functionsOfAll();
  if (state.zoom && (state.view === "calls" || state.view === "places")) return functionsBelow(stacked, state.zoom);
  return functionsBelow(stacked, 0);
}

// The place of each row by the samples in it, the most first; the same for rows with as many, 0 for those without.
function ranks(rows, side) {
  const falling = Float64Array.from(rows, row => row.self[side]).sort().reverse(), places = new Map();
  falling.forEach((n, i) => { if (n && !places.has(n)) places.set(n, i + 1); });
  return rows.map(row => places.get(row.self[side]) || 0);
}
// "3", or of a comparison "3 → 1"; "–" is a side without samples in the function.
function rankText({ranks}) {
  if (!ranks.some(n => n)) return "";
  return ranks.every(n => n === ranks[0]) ? count(ranks[0]) : ranks.map(n => n ? count(n) : "–").join(" → ");
}

const changeOf = row => state.whole[0] && state.whole[1] ? changeIn(row.self) : 0;
const filters = {significant: row => row.mark, added: row => !row.self[0], removed: row => !row.self[1]};

function fillTable() {
  const last = facts.sides.length ? 1 : 0;
  tableRows = functions().filter(row => isFunction(row.frame));
  const sides = ofSides(state.whole).map((_, side) => ranks(tableRows, side));
  tableRows.forEach((row, i) => { row.ranks = sides.map(places => places[i]); });
  if (isDifference()) {
    tableRows = tableRows.filter(row => row.self.some(n => n) || row.total.some(n => n));
    significantOnes(tableRows.map(row => row.self)).forEach((mark, i) => { tableRows[i].mark = mark; });
    if (state.only) tableRows = tableRows.filter(filters[state.only]);
  }
  if (matched) tableRows = tableRows.filter(row => matched[row.frame]);
  const keys = {self: row => -row.self[last], total: row => -row.total[last], name: row => nameOf(row.frame), image: row => imageOf(row.frame),
    change: row => -(Math.abs(changeOf(row)) + (row.mark ? 1 : 0))};
  const key = keys[state.sort], turn = state.up ? -1 : 1;
  for (const row of tableRows) row.key = key(row);
  tableRows.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : b.self[last] - a.self[last] || b.total[last] - a.total[last] || a.frame - b.frame) * turn);
  const focused = document.activeElement, head = focused?.closest("#heads th")?.dataset.sort, line = focused?.closest("#rows tr")?.dataset.frame;
  fillHeads();
  fillRows();
  if (head) byId("heads").querySelector(`[data-sort="${head}"] button`)?.focus();
  if (line) focusRow(line);
  byId("table-of").textContent = showsAll() ? "of the whole profile" : "of what is shown above";
}

const heads = () => isDifference()
  ? [["change", "Change of self"], ["", "95 %"], ["", "Ratio"], ["self", "Self before"], ["", "after"], ["total", "Total before"],
    ["", "after"], ["", "Change"], ["", "Rank"]]
  : [["self", "Self"], ["", "%"], ["", "±"], ["total", "Total"], ["", "%"], ["", "Rank"]];

function fillHeads() {
  const line = element("tr");
  for (const [key, text] of [...heads(), ["name", "Function"], ["image", "Image"]]) {
    const head = element("th", key ? undefined : text, {scope: "col"});
    if (key === "name" || key === "image") head.className = "text";
    if (key) {
      head.dataset.sort = key;
      head.append(button(text, () => go({sort: key, up: key === state.sort && !state.up}, true)));
      const rises = key === "name" || key === "image" ? !state.up : state.up;
      if (key === state.sort) head.setAttribute("aria-sort", rises ? "ascending" : "descending");
    }
    line.append(head);
  }
  byId("heads").replaceChildren(line);
}

function cellsOf(row) {
  const {self, total} = row;
  if (!isDifference())
    return [count(self[0]), partOf(self[0], state.whole[0]), plusMinus(self[0]), count(total[0]), partOf(total[0], state.whole[0]), rankText(row)];
  const [low, high] = changeInterval(self), [before, after] = sharesOf(self), [totalBefore, totalAfter] = sharesOf(total);
  const ratio = !before ? after ? "new" : "" : after ? "× " + (after / before).toFixed(2) : "gone";
  return [(row.mark ? "* " : "") + signed(after - before), `${signed(low)} to ${signed(high)}`, ratio, percent(before), percent(after),
    percent(totalBefore), percent(totalAfter), signed(totalAfter - totalBefore), rankText(row)];
}

function fillRows() {
  byId("rows").replaceChildren(...tableRows.slice(0, shownRows).map(row => {
    const line = element("tr");
    for (const text of cellsOf(row)) line.append(element("td", text));
    for (const [text, title] of [[nameOf(row.frame), ""], [baseName(imageOf(row.frame)), clipped(imageOf(row.frame))]]) {
      const cell = element("td", undefined, title ? {class: "text", title} : {class: "text"});
      cell.append(element("span", clipped(text, mostInCell), {class: "long"}));
      line.append(cell);
    }
    if (isDifference()) line.classList.add(row.mark ? changeOf(row) > 0 ? "more" : "less" : "chance");
    if (row.frame === state.pick) line.classList.add("chosen");
    line.dataset.frame = row.frame;
    line.tabIndex = -1;
    return line;
  }));
  const first = byId("rows").querySelector(".chosen") || byId("rows").firstElementChild;
  if (first) first.tabIndex = 0;
  const rest = tableRows.length - shownRows;
  byId("more").textContent = rest > 0 ? `Show more of ${count(rest)} further functions` : "";
  byId("more").hidden = rest <= 0;
}

// The row of a function has the focus, else the one that a Tab leads to.
function focusRow(frame) {
  const reached = byId("rows").querySelector('[tabindex="0"]'), line = byId("rows").querySelector(`[data-frame="${frame}"]`) || reached;
  if (!line) return;
  reached.tabIndex = -1;
  line.tabIndex = 0;
  line.focus();
}

// Keys in the table: up and down move, Enter picks.
function moveInTable(event) {
  const line = event.target.closest("tr");
  if (!line) return;
  const next = {ArrowDown: line.nextElementSibling, ArrowUp: line.previousElementSibling}[event.key];
  if (next) {
    line.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  } else if (event.key === "Enter" || event.key === " ") pick(Number(line.dataset.frame));
  else return;
  event.preventDefault();
  event.stopPropagation();
}
