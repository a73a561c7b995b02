// SPDX-License-Identifier: GPL-2.0-or-later
// The flame graph of opreport --format=flamegraph: a click zooms, a regular expression highlights. All that it knows is in the
// picture: of each box the title (name, image, samples) and the y of its rectangle, by which it finds what lies on what. Where
// boxes are it works out from the samples, as export_flamegraph.cpp did: those of one caller follow each other from its left edge.
"use strict";
(() => {
const byId = id => document.getElementById(id);
const frames = byId("frames"), head = byId("head"), picture = frames.ownerSVGElement;
const numberOf = (element, attribute) => Number(element.getAttribute(attribute));
const rectOf = element => element.getElementsByTagName("rect")[0];
const ground = rectOf(frames), rowHeight = numberOf(ground, "height") + 1, left = numberOf(ground, "x");
const whole = numberOf(picture, "width") - 2 * left, columnWidth = 7.25, gap = 0.5;

function boxOf(element) {
  const title = element.firstElementChild.textContent.split("\n"), rect = rectOf(element);
  return {element, rect, text: element.getElementsByTagName("text")[0], name: title[0], title: title.join(", "),
    samples: Number(/^\d*/.exec(title[title.length - 1])[0]), isFrame: !element.classList.contains("smaller"),
    depth: Math.round((numberOf(ground, "y") - numberOf(rect, "y")) / rowHeight)};
}
const boxes = Array.from(frames.children, boxOf), all = boxes[0];
const numbers = new Map(boxes.map((box, number) => [box.element, number]));

// `start` is in samples; the boxes from a box to that of number `end` are itself and what lies on it.
function place() {
  const path = [];
  const close = (depth, number) => { while (path.length > depth) path.pop().end = number; };
  boxes.forEach((box, number) => {
    close(box.depth, number);
    const caller = path[path.length - 1];
    box.start = box.next = caller ? caller.next : 0;
    if (caller) caller.next += box.samples;
    path.push(box);
  });
  close(0, boxes.length);
}

// As much of a text as so many columns have room for; characters beyond ASCII count as two.
function fitted(text, columns) {
  let used = 0, fits = 0, at = 0;
  for (const character of text) {
    used += character.codePointAt(0) < 128 ? 1 : 2;
    if (used > columns) return fits > 1 ? text.slice(0, fits) + "\u2026" : "";
    at += character.length;
    if (used < columns) fits = at;
  }
  return text;
}

function label(box, x, width) {
  const text = fitted(box.name, Math.floor((width - 6) / columnWidth));
  if (!box.text) {
    if (!text) return;
    box.text = box.element.appendChild(document.createElementNS("http://www.w3.org/2000/svg", "text"));
    box.text.setAttribute("y", numberOf(box.rect, "y") + 11);
  }
  box.text.setAttribute("x", (x + 3).toFixed(2));
  box.text.textContent = text;
}

function draw(box, x, width) {
  box.rect.setAttribute("x", x.toFixed(2));
  box.rect.setAttribute("width", (width > 3 ? width - gap : width).toFixed(2));
  label(box, x, width);
}

// Shows a box as wide as the picture, what lies on it, and below it its callers.
function zoom(number) {
  const root = boxes[number], scale = whole / root.samples;
  boxes.forEach((box, i) => {
    const isBelow = i < number && box.end > number, isInside = i >= number && i < root.end;
    box.element.classList.toggle("above", isBelow);
    box.element.classList.toggle("hidden", !isBelow && !isInside);
    if (isBelow) draw(box, left, whole);
    if (isInside) draw(box, left + (box.start - root.start) * scale, box.samples * scale);
  });
  byId("reset").classList.toggle("hidden", number === 0);
}

function say(id, text) { byId(id).textContent = fitted(text, Math.floor(whole / columnWidth)); }

// The samples of stacks with a match, each once: what lies on a match is not counted again.
function search(pattern) {
  let expression = null;
  try {
    if (pattern) expression = new RegExp(pattern, "i");
  } catch (error) {
    return say("matched", "not a regular expression: " + pattern);
  }
  let samples = 0, counted = 0;
  boxes.forEach((box, i) => {
    const isHit = expression !== null && box !== all && box.isFrame && expression.test(box.name);
    box.element.classList.toggle("hit", isHit);
    if (!isHit || i < counted) return;
    samples += box.samples;
    counted = box.end;
  });
  frames.classList.toggle("searched", expression !== null);
  byId("clear").classList.toggle("hidden", expression === null);
  const share = (100 * samples / all.samples).toFixed(2);
  say("matched", expression ? `${samples} ${samples === 1 ? "sample" : "samples"}, ${share} %, match ${pattern}` : "");
}

let asked = "";
function ask() {
  const pattern = prompt("Names that match this regular expression:", asked);
  if (pattern !== null) search(asked = pattern);
}

function start() {
  place();
  picture.classList.add("live");
  byId("search").classList.remove("hidden");
  const numberAt = event => numbers.get(event.target.parentNode);
  const onClick = (id, act) => byId(id).addEventListener("click", act);
  onClick("frames", event => { if (numbers.has(event.target.parentNode)) zoom(numberAt(event)); });
  onClick("reset", () => zoom(0));
  onClick("search", ask);
  onClick("clear", () => search(""));
  frames.addEventListener("mouseover", event => {
    if (numbers.has(event.target.parentNode)) say("pointed", boxes[numberAt(event)].title);
  });
  frames.addEventListener("mouseleave", () => say("pointed", ""));
  addEventListener("keydown", event => {
    if (event.key === "Escape") { search(""); zoom(0); }
    if (event.key.toLowerCase() !== "f" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    ask();
  });
  // The root is at the bottom, and the head stays in sight.
  addEventListener("scroll", () => head.setAttribute("transform", `translate(0 ${scrollY})`));
  scrollTo(0, numberOf(picture, "height"));
}
start();
})();
