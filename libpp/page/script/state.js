// SPDX-License-Identifier: GPL-2.0-or-later
// What is seen: kept in the address, and the trees that follow from it.

const byId = id => document.getElementById(id);
const views = ["calls", "callers", "function", "places"];
const orders = {aisl: "application, image, function, line", isla: "image, function, line, application",
  slia: "function, line, image, application", lsia: "line, function, image, application"};
// A grouping with a "t" before it has threads, processes or CPUs first, one beside the other; without, "all" of them are added up.
const ordered = value => value[0] === "t" ? {order: value.slice(1), part: "all"} : {order: value, part: state.part === "all" ? "" : state.part};
const sorts = ["self", "total", "name", "image", "change"];
const initial = () => ({view: "calls", event: 0, part: "", order: "aisl", chips: [], zoom: 0, pick: 0, q: "", sort: "self",
  up: false, flip: false, grey: true, only: "", whole: [0]});
const state = initial();
let facts, trees, tree, stacked;  // `tree` is drawn; `stacked` is that before it is turned to callers
const cache = new Map();

// The last results of a few steps, by what they were made from.
function cached(key, make) {
  let made = cache.get(key);
  if (made === undefined) made = make();
  cache.delete(key);
  cache.set(key, made);
  if (cache.size > 8) cache.delete(cache.keys().next().value);
  return made;
}

// Frames

const nameOf = frame => facts.names[frame - 1];
const imageOf = frame => frame ? facts.images[facts.image[frame - 1]] : "";
const kindOf = frame => facts.kind[frame - 1] & 7;
const isWhole = frame => (facts.kind[frame - 1] & 8) !== 0;  // an application or image
const isPart = frame => frame > 0 && kindOf(frame) === 5;    // a thread or CPU
const isLine = frame => kindOf(frame) === 6;
const isFunction = frame => frame > 0 && kindOf(frame) < 4 && !isWhole(frame);
const isDifference = () => facts.sides.length > 0;

// Columns of an event: one of each side and, where sessions are compared, one of each of them behind these.
const sideCount = () => facts.sides.length || 1;
const columnCount = () => sideCount() + facts.sessions.reduce((sum, n) => sum + n, 0);
const ofEvent = columns => columns.slice(state.event * columnCount(), (state.event + 1) * columnCount());
const ofSides = counts => counts.slice(0, sideCount());

// Columns as they are in the file, with those of the sides before the sessions': `join(columns)` makes one of several.
function withSides(columns, join) {
  if (!facts.sessions.length) return columns;
  const made = [], sessions = columnCount() - sideCount();
  for (let from = 0; from < columns.length; from += sessions) {
    let at = from;
    for (const size of facts.sessions) made.push(join(columns.slice(at, at += size)));
    made.push(...columns.slice(from, from + sessions));
  }
  return made;
}
const addedUp = lists => lists[0].map((_, i) => lists.reduce((sum, list) => sum + list[i], 0));

function frameHash(frame) {
  const text = nameOf(frame) + "\0" + imageOf(frame) + "\0" + facts.kind[frame - 1];
  let hash = 2166136261;
  for (let i = 0; i < text.length; ++i) hash = Math.imul(hash ^ text.charCodeAt(i), 16777619);
  return (hash >>> 0).toString(36);
}
function frameOfHash(hash) {
  if (!hash) return 0;
  for (let frame = facts.names.length; frame > 0; --frame) if (frameHash(frame) === hash) return frame;
  return 0;
}

// A frame that is not in the file: an image or a namespace as a whole.
function madeFrame(name, image, kind) {
  const key = name + "\0" + image + "\0" + kind;
  if (!facts.made.has(key)) {
    facts.names.push(name);
    facts.image.push(image);
    facts.kind.push(kind);
    facts.made.set(key, facts.names.length);
    frameColours.push(colourOf(facts.names.length));
  }
  return facts.made.get(key);
}
const baseName = path => path.slice(path.lastIndexOf("/") + 1) || path;
const frameOfImage = frame => isPart(frame) ? frame :
  madeFrame(baseName(imageOf(frame)) || nameOf(frame), facts.image[frame - 1], kindOf(frame) | 8);

// The source file of a function as a whole; a function whose file is not known stays itself.
const fileOf = frame => facts.files[facts.file[frame - 1]] || "";
const frameOfFile = frame => {
  const path = isFunction(frame) && fileOf(frame);
  return path ? madeFrame(baseName(path), numberOfImage(path), kindOf(frame) | 8) : frame;
};
function numberOfImage(path) {
  const at = facts.images.indexOf(path);
  return at < 0 ? facts.images.push(path) - 1 : at;
}

// The namespace or class of a function: what is before the last "::" outside brackets.
function prefixOf(name) {
  let depth = 0, end = -1;
  for (let i = 0; i < name.length; ++i) {
    if ("(<[{".includes(name[i])) ++depth;
    else if (")>]}".includes(name[i])) --depth;
    else if (name[i] === ":" && name[i + 1] === ":" && depth === 0) end = i;
    if (name[i] === "(" && depth === 1 && end > 0) break;
  }
  return end > 0 ? name.slice(0, end).replace(/^.* /, "") : "";
}
const frameOfPrefix = frame => {
  const prefix = isFunction(frame) && prefixOf(nameOf(frame));
  return prefix ? madeFrame(prefix, facts.image[frame - 1], kindOf(frame)) : frame;
};

// Chips: [what it does to a tree, its words]; the value is a regular expression or a frame's hash.

const expression = text => { try { return new RegExp(text, "i"); } catch { return null; } };
function matching(text) {
  const expr = expression(text), marks = new Uint8Array(facts.names.length + 1);
  if (expr) facts.names.forEach((name, i) => { marks[i + 1] = expr.test(name) ? 1 : 0; });
  return frame => marks[frame] === 1;
}
const chipKinds = {
  in: [(t, value) => kept(t, matching(value)), value => `only stacks with /${value}/`],
  out: [(t, value) => dropped(t, matching(value)), value => `no stacks with /${value}/`],
  focus: [(t, value) => focused(t, frameOfHash(value)), value => `calls of ${shortName(frameOfHash(value))}`],
  hide: [(t, value) => hideImage(t, frameOfHash(value)), value => `without ${baseName(imageOf(frameOfHash(value)))}: counted for its callers`],
  kernel: [t => dropped(t, frame => kindOf(frame) === 2), () => "without samples in the kernel"],
  recursion: [t => withoutRecursion(t), () => "recursion collapsed"],
  images: [t => renamed(t, frameOfImage), () => "functions merged by image"],
  files: [t => renamed(t, frameOfFile), () => "functions merged by source file"],
  prefix: [t => renamed(t, frameOfPrefix), () => "functions merged by namespace or class"],
};
const hideImage = (t, frame) => without(t, one => !isPart(one) && !isWhole(one) && facts.image[one - 1] === facts.image[frame - 1]);
const shortName = frame => frame ? nameOf(frame).slice(0, 120) : "nothing that is here";
const chipWords = ({kind, value}) => chipKinds[kind][1](value);

// Trees

const sums = new WeakMap();
function sumOf(list) {
  if (!sums.has(list)) sums.set(list, list.reduce((sum, n) => sum + n, 0));
  return sums.get(list);
}

function treeOfEvent() {
  const which = state.view === "places" || !trees.calls ? "places" : "calls";
  state.whole = ofEvent(trees[which].columns).map(sumOf);
  return cached(`${which} ${state.event}`, () => columnsOf(trees[which], state.event));
}

function treeWithChips() {
  const whole = treeOfEvent();
  let made = whole, key = `${state.view === "places" ? "places" : "calls"} ${state.event}`;
  const step = (name, make) => {
    const before = made;
    key += `|${name}`;
    made = cached(key, () => make(before));
  };
  if (facts.parts && state.part !== "all") {
    const part = frameOfHash(state.part);
    step(`part ${part}`, t => part ? onePart(t, part) : together(t));
  }
  if (state.view === "places" && state.order !== "aisl") step(state.order, t => regrouped(t, state.order));
  for (const {kind, value} of state.chips) step(`${kind} ${value}`, t => chipKinds[kind][0](t, value));
  return [made, key];
}

// Brings `tree` and `stacked` up to the state.
function updateTrees() {
  const [made, key] = treeWithChips();
  stacked = made;
  tree = made;
  if (state.view === "callers") tree = cached(`${key}|callers`, () => byCallers(made, 0));
  if (state.view === "function" && state.pick)
    tree = cached(`${key}|function ${state.pick}`, () => sandwich(made, state.pick)) || made;
}

// The address

// A node by its depth and a hash of the names from the root to it.
function nodeHashes() {
  const hashes = new Uint32Array(tree.size), ofFrame = new Map();
  for (let i = 1; i < tree.size; ++i) {
    const frame = tree.frame[i];
    if (frame && !ofFrame.has(frame)) ofFrame.set(frame, parseInt(frameHash(frame), 36));
    hashes[i] = Math.imul(hashes[tree.parent[i]] ^ (frame ? ofFrame.get(frame) : 1), 0x9e3779b1) + (i >= tree.callers ? 7 : 3);
  }
  return hashes;
}
function zoomWord() {
  let hash = 0;
  const path = [];
  for (let node = state.zoom; node; node = tree.parent[node]) path.push(node);
  for (const node of path.reverse())
    hash = Math.imul(hash ^ (tree.frame[node] ? parseInt(frameHash(tree.frame[node]), 36) : 1), 0x9e3779b1) + (node >= tree.callers ? 7 : 3) >>> 0;
  return `${path.length}.${hash.toString(36)}`;
}
function zoomOf(word) {
  const [depth, hash] = (word || "").split(".");
  if (!hash) return 0;
  const hashes = nodeHashes(), wanted = parseInt(hash, 36);
  for (let i = 1; i < tree.size; ++i) if (hashes[i] === wanted && tree.depth[i] === Number(depth)) return i;
  return 0;
}

function address() {
  const words = new URLSearchParams({view: state.view}), first = initial();
  for (const key of ["event", "part", "order", "q", "only"]) if (state[key] !== first[key]) words.set(key, state[key]);
  for (const {kind, value} of state.chips) words.append("chip", `${kind}:${value}`);
  if (state.zoom) words.set("zoom", zoomWord());
  if (state.pick) words.set("function", frameHash(state.pick));
  if (state.sort !== defaultSort() || state.up) words.set("sort", (state.up ? "-" : "") + state.sort);
  if (state.flip) words.set("flip", "1");
  if (!state.grey) words.set("grey", "0");
  return "#" + words;
}
const defaultSort = () => isDifference() ? "change" : "self";

function readAddress() {
  const words = new URLSearchParams(location.hash.slice(1)), get = name => words.get(name) || "";
  Object.assign(state, initial());
  state.view = views.includes(get("view")) ? get("view") : views[0];
  if (!trees.calls) state.view = "places";
  const event = Number(get("event"));
  state.event = Number.isInteger(event) && event > 0 && event < facts.events.length ? event : 0;
  state.part = get("part") === "all" || frameOfHash(get("part")) ? get("part") : "";
  state.order = get("order") in orders ? get("order") : "aisl";
  for (const word of words.getAll("chip")) {
    const kind = word.split(":", 1)[0];
    if (Object.hasOwn(chipKinds, kind)) state.chips.push({kind, value: word.slice(kind.length + 1)});
  }
  state.pick = frameOfHash(get("function"));
  state.q = get("q");
  const sort = get("sort") || defaultSort();
  state.up = sort[0] === "-";
  state.sort = sorts.includes(sort.replace("-", "")) ? sort.replace("-", "") : defaultSort();
  state.flip = get("flip") === "1";
  state.grey = get("grey") !== "0";
  state.only = ["significant", "added", "removed"].includes(get("only")) ? get("only") : "";
  updateTrees();
  state.zoom = zoomOf(get("zoom"));
}

// While a search is typed the address waits for a pause: a browser takes longer over a new address than over the search.
const addressPause = 300;  // ms
let addressTimer = 0;
const historyStep = () => (history.state && history.state.step) || 0;
function writeAddress() {
  clearTimeout(addressTimer);
  addressTimer = 0;
  if (address() !== location.hash) history.replaceState({step: historyStep()}, "", address());
}
const finishAddress = () => { if (addressTimer) writeAddress(); };

// Takes over a change. Undo returns to the state before it, unless it is `quiet`.
function go(change, quiet) {
  const isTyped = quiet && Object.keys(change).join() === "q";
  if (!isTyped) finishAddress();
  const changesTree = ["view", "event", "part", "order", "chips"].some(key => key in change) || state.view === "function" && "pick" in change;
  Object.assign(state, change);
  if (changesTree && !("zoom" in change)) state.zoom = 0;
  if (changesTree) updateTrees();
  if (isTyped) {
    clearTimeout(addressTimer);
    addressTimer = setTimeout(writeAddress, addressPause);
  } else if (quiet) writeAddress();
  else if (address() !== location.hash) history.pushState({step: historyStep() + 1}, "", address());
  show();
}
const undo = () => { finishAddress(); if (historyStep() > 0) history.back(); };
const redo = () => { finishAddress(); history.forward(); };
const addChip = (kind, value = "") => {
  if (!state.chips.some(chip => chip.kind === kind && chip.value === value)) go({chips: [...state.chips, {kind, value}]});
};
const dropChip = at => go({chips: state.chips.filter((_, i) => i !== at)});
