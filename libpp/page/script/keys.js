// SPDX-License-Identifier: GPL-2.0-or-later
// Keyboard, mouse, and the tree that screen readers see: the selected box and those below it.

function select(node) {
  selected = node;
  byId("selected").textContent = clipped(described(node).join(" · "));
  mirror(node);
  redraw();
}

// The boxes of a node's parent's next ones are its siblings; of the callers and calls of one function each their own.
function siblings(node) {
  const parent = tree.parent[node], found = [];
  const from = node >= tree.callers && parent === 0 ? tree.callers : parent + 1;
  const to = node < tree.callers && parent === 0 ? tree.callers : tree.end[parent];
  for (let i = from; i < to && found.length < 10000; i = tree.end[i]) found.push(i);
  return found;
}
const firstChild = node => node + 1 < tree.end[node] ? node + 1 : node;

function mirror(node) {
  const label = one => clipped(described(one).join(", ")), all = node ? siblings(node) : [node];
  const item = (one, level, position, size) => element("li", label(one), {role: "treeitem", "aria-level": level, "aria-posinset": position, "aria-setsize": size});
  const top = item(node, tree.depth[node] + 1, Math.max(1, all.indexOf(node) + 1), all.length);
  top.id = "selected-item";
  top.setAttribute("aria-selected", "true");
  const children = firstChild(node) === node ? [] : siblings(firstChild(node)), list = element("ul", undefined, {role: "group"});
  if (children.length) top.setAttribute("aria-expanded", "true");
  children.slice(0, 20).forEach((child, i) => list.append(item(child, tree.depth[node] + 2, i + 1, children.length)));
  if (children.length) top.append(list);
  byId("mirror").replaceChildren(top);
  graph.setAttribute("aria-activedescendant", "selected-item");
}

// The node that an arrow key leads to. Up and down are those of the picture, whichever way it grows.
function neighbour(key) {
  const from = selected || state.zoom;
  if (key === "ArrowLeft" || key === "ArrowRight") {
    if (!from) return from;
    const all = siblings(from), at = all.indexOf(from) + (key === "ArrowRight" ? 1 : -1);
    return at >= 0 && at < all.length ? all[at] : from;
  }
  const wanted = key === "ArrowUp" ? -1 : 1, parent = tree.parent[from];
  if (from && Math.sign(rowOf(parent) - rowOf(from)) === wanted) return parent;
  for (const child of [firstChild(from), tree.callers])
    if (child !== from && child < tree.size && (child < tree.callers || from === 0 || from >= tree.callers) &&
        tree.parent[child] === from && Math.sign(rowOf(child) - rowOf(from)) === wanted) return child;
  return from;
}

function zoomTo(node) {
  const frame = tree.frame[node];
  if (tree.smaller.has(node)) return select(node);
  selected = node;
  go({zoom: tree.callers < tree.size ? state.zoom : node, pick: isFunction(frame) && state.view !== "function" ? frame : state.pick});
}

function zoomOut() {
  if (state.zoom) go({zoom: tree.parent[state.zoom]});
  else if (state.q) go({q: ""});
  else if (state.chips.length) dropChip(state.chips.length - 1);
  else if (state.pick) go({pick: 0}, true);
}

const selectedFrame = () => selected && isFunction(tree.frame[selected]) ? tree.frame[selected] : state.pick;
const withFrame = act => () => { const frame = selectedFrame(); if (frame) act(frame); else announce("select a function first"); };
const withSearch = kind => () => { if (state.q && matched) addChip(kind, state.q); else announce("search for something first"); };
const setView = view => {
  if (view === "function" && !selectedFrame()) return announce("select a function first");
  if (trees.calls || view === "places") go({view, pick: view === "function" ? selectedFrame() : state.pick});
};

// [key, what it does, function]; the help lists them.
const commands = [
  ["1", "flame graph of calls", () => setView("calls")],
  ["2", "callers, from the sampled functions up", () => setView("callers")],
  ["3", "callers and callees of the selected function", () => setView("function")],
  ["4", "places: application, image, function, line", () => setView("places")],
  ["i", "turn the picture upside down: root below, or above", () => go({flip: !state.flip}, true)],
  ["/", "search by a regular expression", () => { byId("search").focus(); byId("search").select(); }],
  ["n", "next match", () => nextMatch(1)],
  ["N", "match before", () => nextMatch(-1)],
  ["f", "only stacks with a match", withSearch("in")],
  ["x", "no stacks with a match", withSearch("out")],
  ["c", "focus: only what the selected function calls", withFrame(frame => addChip("focus", frameHash(frame)))],
  ["h", "hide the selected function's image", withFrame(frame => addChip("hide", frameHash(frame)))],
  ["r", "collapse recursion", () => addChip("recursion")],
  ["k", "drop samples in the kernel", () => addChip("kernel")],
  ["m", "merge functions by image", () => addChip("images")],
  ["s", "merge functions by source file", () => facts.files.some(path => path) ? addChip("files") : announce("no source files are known")],
  ["p", "merge functions by namespace or class", () => addChip("prefix")],
  ["g", "differences: grey where they may be chance, or not", () => go({grey: !state.grey}, true)],
  ["u", "undo", undo],
  ["U", "redo", redo],
  ["?", "this help", () => byId("help").showModal()],
  ["Escape", "one step out: zoom, search, last chip", zoomOut],
];

function onGraphKey(event) {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.key.startsWith("Arrow")) { select(neighbour(event.key)); keepInSight(selected); }
  else if (event.key === "Enter") zoomTo(selected);
  else if (event.key === "Home") { go({zoom: 0}); select(0); keepInSight(0); }
  else return;
  event.preventDefault();
}

function onKey(event) {
  if (event.ctrlKey || event.altKey || event.metaKey || byId("help").open) return;
  if (event.target.matches("input, select")) {
    if (event.key === "Escape" || event.key === "Enter" && event.target.id === "search") { graph.focus(); event.preventDefault(); }
    return;
  }
  const command = commands.find(([key]) => key === event.key);
  if (!command) return;
  command[2]();
  event.preventDefault();
}

function onPoint(event) {
  const box = boxAt(event), tip = byId("tip");
  tip.hidden = !box;
  if (!box) return;
  tip.replaceChildren(...described(box.node).map((line, i) => element("div", line.slice(0, 600), i ? {} : {class: "name"})));
  tip.style.left = Math.max(4, Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8)) + "px";
  tip.style.top = Math.max(4, Math.min(event.clientY + 18, innerHeight - tip.offsetHeight - 8)) + "px";
}

function listen() {
  graph.addEventListener("scroll", redraw);
  graph.addEventListener("click", event => { const box = boxAt(event); if (box) zoomTo(box.node); });
  graph.addEventListener("mousemove", onPoint);
  graph.addEventListener("mouseleave", () => { byId("tip").hidden = true; });
  graph.addEventListener("keydown", onGraphKey);
  document.addEventListener("keydown", onKey);
  byId("views").addEventListener("click", event => { if (event.target.dataset.view) setView(event.target.dataset.view); });
  byId("views").addEventListener("keydown", event => {
    const tabs = [...document.querySelectorAll("#views button:not([hidden])")], at = tabs.indexOf(event.target);
    const step = {ArrowLeft: -1, ArrowRight: 1}[event.key];
    if (step && tabs[at + step]) { tabs[at + step].focus(); event.preventDefault(); }
  });
  byId("event").addEventListener("change", event => go({event: Number(event.target.value)}));
  byId("part").addEventListener("change", event => go({part: event.target.value}));
  byId("order").addEventListener("change", event => go(ordered(event.target.value)));
  byId("only").addEventListener("change", event => go({only: event.target.value}, true));
  byId("search").addEventListener("input", event => { shownRows = rowsAtOnce; go({q: event.target.value}, true); });
  byId("next").addEventListener("click", () => nextMatch(1));
  for (const one of document.querySelectorAll("[data-key]"))
    one.addEventListener("click", () => { one.closest("details")?.removeAttribute("open"); commands.find(([key]) => key === one.dataset.key)[2](); });
  for (const one of document.querySelectorAll("[data-save]"))
    one.addEventListener("click", () => { one.closest("details").removeAttribute("open"); saves[one.dataset.save](); });
  byId("rows").addEventListener("click", event => { const row = event.target.closest("tr"); if (row) pick(Number(row.dataset.frame)); });
  byId("rows").addEventListener("keydown", moveInTable);
  byId("more").addEventListener("click", () => { shownRows += 1000; fillRows(); });
  addEventListener("popstate", () => { readAddress(); show(); });
  addEventListener("resize", () => { fitGraph(); redraw(); });
  darkness.addEventListener("change", () => { dark = darkness.matches; colourFrames(); legend(); redraw(); });
}
