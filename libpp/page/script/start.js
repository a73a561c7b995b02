// SPDX-License-Identifier: GPL-2.0-or-later
// Puts the page together. Everything that is filled in is replaced, so that a page that was saved while open starts again.

let shownTree = null;

// The picture and all that is above it.
function showPicture() {
  document.documentElement.dataset.view = state.view;
  for (const tab of document.querySelectorAll("#views button")) {
    const isShown = tab.dataset.view === state.view;
    tab.setAttribute("aria-selected", String(isShown));
    tab.tabIndex = isShown ? 0 : -1;
  }
  for (const key of ["event", "part", "only"]) byId(key).value = state[key];
  byId("order").value = (state.part === "all" ? "t" : "") + state.order;
  if (byId("search").value !== state.q) byId("search").value = state.q;
  byId("order-label").hidden = state.view !== "places";
  if (state.zoom >= tree.size) state.zoom = 0;
  if (isDifference() && shownTree !== tree) nodeMarks = significantNodes(tree);
  search();
  summary();
  chips();
  legend();
  fitGraph();
  if (shownTree !== tree) {
    selected = state.zoom;
    graph.scrollTop = isFlame() ? graph.scrollHeight : tree.callers < tree.size ? Math.max(0, (middleRow() + 0.5) * rowHeight - graph.clientHeight / 2) : 0;
  }
  if (state.zoom && !(selected >= state.zoom && selected < tree.end[state.zoom])) selected = state.zoom;
  shownTree = tree;
  select(selected);
  keepInSight(state.zoom);
}

function show() {
  showPicture();
  fillTable();
  fillDetails();
}

function summary() {
  const folded = facts.folded[state.view === "places" || !trees.calls ? 1 : 0], whole = state.whole;
  const words = isDifference() ? `${facts.events[state.event]}: ${facts.sides[0]}, ${samples(whole[0])}; ${facts.sides[1]}, ${samples(whole[1])}.`
    : `${samples(whole[0])} of ${facts.events[state.event]}.`;
  byId("summary").textContent = `${words} ${facts.stacks}` +
    (folded ? ` Boxes "[N smaller]" have ${samples(folded)}: the page had no room for their parts.` : "");
  document.documentElement.dataset.total = ofSides(stacked.total).map(total => total[0]).join(" ");
  const shown = ofSides(stacked.total).map((total, side) => partOf(total[0], whole[side])).join(" and ");
  byId("shown").textContent = state.chips.length || stacked.total[0][0] !== whole[0] ? `Shown: ${amount(countsOf(stacked.total, 0))}` : "";
  document.documentElement.dataset.shown = shown;
}

function chips() {
  const list = state.chips.map((chip, at) => button(`${chipWords(chip)} ×`, () => dropChip(at), "Remove"));
  if (list.length > 1) list.push(button("Remove all", () => go({chips: []})));
  byId("chips").replaceChildren(...list);
  byId("chips").hidden = !list.length;
}

function legend() {
  const patch = (colour, text, className) => {
    const item = element("span"), mark = element("i", undefined, className ? {class: className} : {});
    mark.style.background = colour;
    item.append(mark, text);
    return item;
  };
  if (isDifference()) {
    const light = isDark() ? 50 : 56;
    return byId("legend").replaceChildren(patch(`hsl(30 95% ${light}%)`, "more than before"), patch(`hsl(207 95% ${light}%)`, "less than before"),
      patch(isDark() ? "hsl(0 0% 62%)" : "hsl(0 0% 84%)", "may be chance"), "A box is as wide as the mean of its shares before and after.",
      element("span", comparesSessions() ? `Chance is what the sessions of a side differ by (${sessionsOf(0).length} and ${sessionsOf(1).length} of them). Shares are the means of theirs; widths, and the lines of code, are of all samples.`
        : "How much runs differ from each other is not known: chance is that of these samples."));
  }
  const used = new Set(facts.kind.slice(0, facts.own).map(kind => kind & 8 ? -1 : kind)), items = [];
  kindColours.forEach(([hue, saturation, light], kind) => {
    if (used.has(kind) && (kind < 5 || (kind === 5 ? state.part === "all" : state.view === "places"))) items.push(patch(`hsl(${hue} ${saturation}% ${light - (isDark() ? 6 : 0)}%)`, kindNames[kind], kind === 4 ? "hatched" : ""));
  });
  const [hue, saturation, light] = wholeColour;
  if (used.has(-1)) items.push(patch(`hsl(${hue} ${saturation}% ${light - (isDark() ? 6 : 0)}%)`, "application, image or file as a whole"));
  byId("legend").replaceChildren(...items);
}

function fillChoices() {
  byId("event").replaceChildren(...facts.events.map((event, i) => new Option(event, i)));
  byId("event-label").hidden = facts.events.length < 2;
  const parts = [];
  for (let frame = 1; frame <= facts.own && parts.length < 500; ++frame) if (isPart(frame)) parts.push(new Option(clipped(nameOf(frame)), frameHash(frame)));
  byId("part").replaceChildren(new Option(`all ${facts.parts} added up`, ""), new Option("one beside the other", "all"), ...parts);
  byId("part-label").hidden = !facts.parts;
  byId("part-label").firstChild.textContent = facts.parts === "CPUs" ? "CPU " : "Thread ";
  const choices = Object.entries(orders), part = {threads: "thread", processes: "process", CPUs: "CPU"}[facts.parts];
  if (part) choices.push(...choices.map(([value, text]) => ["t" + value, `${part}, ${text}`]));
  byId("order").replaceChildren(...choices.map(([value, text]) => new Option(text, value)));
  byId("only").replaceChildren(...[["", "all functions"], ["significant", "changes beyond chance"], ["added", "new"], ["removed", "gone"]].map(([value, text]) => new Option(text, value)));
  byId("only-label").hidden = !isDifference();
  byId("functions").classList.toggle("difference", isDifference());
  for (const tab of document.querySelectorAll("#views button")) tab.hidden = !trees.calls && tab.dataset.view !== "places";
  byId("facts").replaceChildren(...facts.facts.map(fact => element("li", fact)));
  byId("about").hidden = !facts.facts.length;
  byId("keys").replaceChildren(...[["Arrows", "from box to box"], ["Enter", "zoom into the box"], ["Home", "show everything"], ...commands].flatMap(([key, text]) => [element("dt", key), element("dd", text)]));
  byId("close-help").onclick = () => byId("help").close();
}

// For tests and measurements.
globalThis.profilePage = {
  state, go, undo, redo, commands, codeParts, draw, search, show, functions, saves, pictureSvg, tableCsv, foldedText, layOut, select, whyNoCode, changeIn, changeInterval,
  get tree() { return tree; }, get stacked() { return stacked; }, get facts() { return facts; }, get rows() { return tableRows; },
  get selected() { return selected; }, get marks() { return nodeMarks; },
};

// What the first picture does not need is unpacked behind it.
async function unpackedTree(id) {
  const tree = decodeTree(await unpacked(id), facts.self.length / columnCount() * (facts.sessions.length ? columnCount() - sideCount() : columnCount()));
  if (tree) tree.columns = withSides(tree.columns, addedUp);
  return tree;
}
async function unpackPlaces() { trees.places ||= await unpackedTree("data-places"); }

async function start() {
  const began = performance.now();
  facts = await unpackedJson("data-facts");
  facts.made = new Map();
  facts.own = facts.names.length;
  facts.self = withSides(facts.self, addedUp);
  facts.total = withSides(facts.total, addedUp);
  facts.weights = withSides(facts.weights, weights => weights[0]);
  trees = {calls: await unpackedTree("data-calls"), places: null};
  if (!trees.calls || new URLSearchParams(location.hash.slice(1)).get("view") === "places") await unpackPlaces();
  colourFrames();
  fillChoices();
  byId("app").hidden = false;
  readAddress();
  history.replaceState({step: historyStep()}, "");
  showPicture();
  draw();
  globalThis.profilePage.shownAt = performance.now();
  await unpackPlaces();
  code = sidesOfCode(await unpackedJson("data-code"));
  fillTable();
  fillDetails();
  listen();
  globalThis.profilePage.startTime = globalThis.profilePage.shownAt - began;
  document.documentElement.dataset.ready = "true";
}

start().catch(error => {
  byId("summary").textContent = `This page cannot be shown: ${error.message}. It needs a browser of 2023 or later.`;
  throw error;
});
