// SPDX-License-Identifier: GPL-2.0-or-later
// One function: its numbers, who calls it and what it calls, its source and its instructions.

let code = new Map();  // frame: for each side {files: [{path, rows}], instructions} or null, see libpp/page/write_page.cpp

function pick(frame) {
  go({pick: frame === state.pick && state.view !== "function" ? 0 : frame}, state.view !== "function");
}

// [frame, counts] of the callers and of the callees; a sample counts once for each of them.
function neighbours(frame) {
  const callers = new Map(), callees = new Map(), until = new Map();
  const add = (map, other, node) => {
    if (!map.has(other)) map.set(other, stacked.total.map(() => 0));
    map.get(other).forEach((_, side, sums) => { sums[side] += stacked.total[side][node]; });
  };
  outermost(stacked, frame, top => {
    add(callers, stacked.frame[stacked.parent[top]], top);
    for (let i = top + 1; i < stacked.end[top]; ++i) {
      const other = stacked.frame[i];
      if (stacked.frame[stacked.parent[i]] !== frame || other === frame || i < (until.get(other) || 0)) continue;
      add(callees, other, i);
      until.set(other, stacked.end[i]);
    }
  });
  const last = sideCount() - 1;
  return [callers, callees].map(map => [...map].sort((a, b) => b[1][last] - a[1][last]));
}

function neighbourTable(title, list) {
  const table = element("table"), body = table.createTBody(), head = table.createTHead().insertRow();
  const columns = isDifference() ? ["Before", "After"] : ["Samples", "%"];
  for (const text of [...columns, title]) head.append(element("th", text, {scope: "col", class: text === title ? "text" : ""}));
  for (const [frame, counts] of list.slice(0, 12)) {
    const line = body.insertRow();
    for (const text of isDifference() ? sharesOf(counts).map(percent) : [count(counts[0]), partOf(counts[0], state.whole[0])])
      line.append(element("td", text));
    const cell = line.insertCell();
    cell.className = "text";
    if (isFunction(frame)) cell.append(button(clipped(nameOf(frame)), () => go({pick: frame}, state.view !== "function")));
    else cell.textContent = frame ? nameOf(frame) : "[smaller, or none]";
  }
  if (list.length > 12) body.insertRow().append(element("td", `and ${count(list.length - 12)} more`, {colspan: "3", class: "text faint"}));
  return table;
}

function fillDetails() {
  const pane = byId("details"), frame = state.pick;
  pane.hidden = !frame;
  byId("below").classList.toggle("two", !!frame);
  if (!frame) return pane.replaceChildren();
  const row = (isFunction(frame) ? functions() : []).find(one => one.frame === frame);
  const parts = [element("h2", clipped(nameOf(frame)), {class: "name"}), element("p", clipped(imageOf(frame)), {class: "faint"})];
  if (row) parts.push(element("p", `Total: ${amount(row.total)}`), element("p", `Self: ${amount(row.self)}`));
  parts.push(detailButtons(frame));
  if (trees.calls && state.view !== "places") {
    const [callers, callees] = neighbours(frame), both = element("div", undefined, {class: "pair"});
    both.append(neighbourTable("Callers", callers), neighbourTable("Callees", callees));
    parts.push(both);
  }
  parts.push(...(code.has(frame) ? codeParts(code.get(frame)) : [element("p", whyNoCode(frame), {class: "faint"})]));
  pane.replaceChildren(...parts);
}

function detailButtons(frame) {
  const line = element("p", undefined, {class: "buttons"}), hash = frameHash(frame);
  if (trees.calls) line.append(
    button("Callers and callees", () => go({view: "function"}), "Picture of both (key 3)"),
    button("Focus", () => addChip("focus", hash), "Only what it calls (key c)"),
    button("Hide its image", () => addChip("hide", hash), "Its samples count for the callers (key h)"));
  line.append(button("Only stacks with it", () => addChip("in", exactly(frame))), button("No stacks with it", () => addChip("out", exactly(frame))),
    button("Close", () => go({pick: 0}, true)));
  return line;
}
const exactly = frame => "^" + nameOf(frame).replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&") + "$";

function whyNoCode(frame) {
  return `Source and instructions are not included: ${facts.code}${commandFor(frame)}`;
}

// A list's commas are escaped. What is no symbol's name, or was changed to be shown, cannot be asked for.
function commandFor(frame) {
  const name = nameOf(frame);
  if (!isFunction(frame) || name.startsWith("[") || name.length > 2000 || name.includes("?")) return "";
  return ` Use opannotate --source --include-symbols='${name.replaceAll(",", "\\,").replaceAll("'", "'\\''")}'.`;
}

const codeSides = ["Before", "After"];

// The code of a function by side.
function sidesOfCode(list) {
  const found = new Map();
  for (const one of list) {
    if (!found.has(one.frame)) found.set(one.frame, Array(sideCount()).fill(null));
    found.get(one.frame)[one.side] = one;
  }
  return found;
}

// `sides` has the code of the profile, or of a comparison that before and after, null where it is not in the page. What both
// have in common is one listing with the shares of both; else each has its own.
function codeParts(sides) {
  const parts = [], paths = new Set(sides.flatMap(one => one ? one.files.map(file => file.path) : []));
  for (const path of paths)
    parts.push(...listings(`Source: ${path}`, "Line", sides.map(one => rowsOf(one, path)), isOneSource));
  sides.forEach((one, side) => { if (!one?.files.length) parts.push(element("p", whyNoSource(one, side), {class: "faint"})); });
  parts.push(...listings("Instructions", "Address", sides.map(one => one?.instructions || []), isOneCode));
  return parts;
}

const rowsOf = (one, path) => one?.files.find(file => file.path === path)?.rows || [];

function whyNoSource(one, side) {
  const whose = isDifference() ? `${codeSides[side]}: its` : "Its";
  if (one) return `${whose} source is not included: no lines are known, or the file is not at hand.`;
  return `${whose} source and instructions are not included: it has no samples there, or its files are not at hand.`;
}

function listings(title, what, sides, isOne) {
  const isAny = side => sides[side].length > 0;
  if (!isDifference()) return isAny(0) ? [listing(title, what, sides, [0])] : [];
  if (isAny(0) && isAny(1) && isOne(...sides)) return [listing(title, what, sides, [0, 1])];
  return [0, 1].filter(isAny).map(side => listing(`${codeSides[side]} · ${title}`, what, sides, [side]));
}

// A file that both profiles have: the lines that both show are the same. Of a binary the whole code has to be.
function isOneSource(before, after) {
  const texts = new Map(before.map(([place, text]) => [place, text]));
  const common = after.filter(([place]) => texts.has(place));
  return common.length > 0 && common.every(([place, text]) => texts.get(place) === text);
}
const isOneCode = (before, after) => before.length === after.length &&
  after.every(([place, text], i) => before[i][0] === place && before[i][1] === text);

// [line or address, text, samples of each of `which` sides]. Lines of both sides are in their order; addresses are the same ones.
function joinedRows(sides, which) {
  const rows = new Map();
  which.forEach((side, at) => {
    for (const line of sides[side]) {
      if (!rows.has(line[0])) rows.set(line[0], [line[0], line[1], ...which.map(() => 0)]);
      rows.get(line[0])[2 + at] = line[2 + state.event];
    }
  });
  const all = [...rows.values()];
  return which.length > 1 && typeof all[0][0] === "number" ? all.sort((a, b) => a[0] - b[0]) : all;
}

// Lines that do not follow each other have a gap between them. A comparison has shares, each coloured by the largest of its side.
function listing(title, what, sides, which) {
  const lines = joinedRows(sides, which);
  const most = which.map((_, at) => lines.reduce((most, line) => Math.max(most, line[2 + at]), 1));
  const fold = element("details", undefined, {open: ""}), table = element("table", undefined, {class: "code"}), body = table.createTBody();
  fold.append(element("summary", clipped(title)), table);
  const head = table.createTHead().insertRow();
  const heads = which.map(side => isDifference() ? codeSides[side] : "Samples");
  for (const text of [...heads, what, ""]) head.append(element("th", text, {scope: "col"}));
  let before = null;
  for (const line of lines) {
    const row = body.insertRow();
    if (what === "Line" && before !== null && line[0] !== before + 1) row.classList.add("gap");
    before = line[0];
    which.forEach((side, at) => {
      const n = line[2 + at], cell = row.insertCell();
      if (!n) return;
      cell.textContent = isDifference() ? partOf(n, state.whole[side]) : count(n);
      if (isDifference()) cell.title = samples(n);
      (isDifference() ? cell : row).classList.add("heat" + Math.ceil(4 * n / most[at]));
    });
    row.append(element("td", line[0], {class: "place"}), element("td", line[1], {class: "text"}));
  }
  return fold;
}
