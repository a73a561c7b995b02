// SPDX-License-Identifier: GPL-2.0-or-later
// What can be taken out of the page: a link, the picture as SVG, the table as CSV, the stacks as folded text.

const escaped = text => text.replace(/[&<>"]/g, c => ({"&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;"})[c])
  .replace(/[\u0000-\u0009\u000b-\u001f]/g, "?");

// All rows of the picture as it is zoomed, 1,200 wide.
function pictureSvg() {
  const width = 1200, height = rowCount() * rowHeight, ink = "#111";
  const text = [`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height + 24}" font-family="sans-serif" font-size="12">`,
    `<rect width="${width}" height="${height + 24}" fill="#fff"/>`, `<text x="4" y="16" fill="${ink}">${escaped(clipped(`${facts.title}: ${byId("summary").textContent}`))}</text>`];
  for (const {node, x, width: wide, row, above} of layOut(width, 0, rowCount())) {
    const y = row * rowHeight + 24, title = node < 0 ? "smaller boxes" : described(node).join("\n");
    text.push(`<g${above ? ' opacity="0.5"' : ""}><title>${escaped(clipped(title))}</title>` +
      `<rect x="${x.toFixed(1)}" y="${y}" width="${Math.max(0.5, wide - 0.5).toFixed(1)}" height="${rowHeight - 1}" fill="${fillOf(node)}"/>`);
    context.font = "12px sans-serif";
    const label = node >= 0 && wide >= leastText ? fitted(boxName(node), wide - 8) : "";
    text.push((label ? `<text x="${(x + 4).toFixed(1)}" y="${y + 14}" fill="${ink}">${escaped(label)}</text>` : "") + "</g>");
  }
  return text.join("\n") + "\n</svg>\n";
}

function tableCsv() {
  // A spreadsheet would calculate a cell that begins so: names are foreign.
  const quoted = text => `"${String(text).replace(/^[=+\-@]/, "'$&").replaceAll("\"", "\"\"")}"`, sides = facts.sides.length ? [" before", " after"] : [""];
  const head = [...sides.map(side => "self" + side), ...sides.map(side => "total" + side), "function", "image"];
  if (isDifference()) head.push("significant");
  const lines = tableRows.map(row => [...ofSides(row.self), ...ofSides(row.total), quoted(nameOf(row.frame)), quoted(imageOf(row.frame)),
    ...(isDifference() ? [row.mark ? 1 : 0] : [])].join(","));
  return [head.join(","), ...lines].join("\n") + "\n";
}

// One stack a line, as flamegraph.pl reads it; of a difference with both counts.
function foldedText() {
  const path = [], lines = [], root = stacked === tree ? state.zoom : 0;
  for (let i = root || 1; i < stacked.end[root]; ++i) {
    path.length = stacked.depth[i];
    path[stacked.depth[i]] = stacked.frame[i] ? nameOf(stacked.frame[i]).replaceAll(";", ":") : "[smaller]";
    const self = ofSides(countsOf(stacked.self, i));
    if (self.some(n => n)) lines.push(path.slice(1).filter(name => name !== undefined).join(";") + " " + self.join(" "));
  }
  return lines.join("\n") + "\n";
}

function saveFile(name, type, text) {
  const link = element("a"), address = URL.createObjectURL(new Blob([text], {type}));
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
  announce(`${name} is written`);
}
function announce(text) { byId("said").textContent = text; }

const saves = {
  link: () => {
    finishAddress();
    navigator.clipboard.writeText(location.href).then(() => announce("the link is copied"), () => announce("the link is the page's address"));
  },
  svg: () => saveFile("profile.svg", "image/svg+xml", pictureSvg()),
  csv: () => saveFile("functions.csv", "text/csv", tableCsv()),
  folded: () => saveFile("stacks.folded", "text/plain", foldedText()),
};
