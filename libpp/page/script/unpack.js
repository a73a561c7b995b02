// SPDX-License-Identifier: GPL-2.0-or-later
// The page of opreport --html: its scripts are one, in the order of libpp/local.mk.
// Unpacks the data blocks: base64 of gzip; trees are columns of varints (libpp/page/pack_tree.h).

async function unpacked(id) {
  const text = atob(byId(id).textContent);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) bytes[i] = text.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

const unpackedJson = async id => JSON.parse(new TextDecoder().decode(await unpacked(id)));

// Returns a function that returns the next number of a column.
function numberReader(bytes) {
  let at = 0;
  return () => {
    let value = bytes[at++];
    if (value < 128) return value;
    value &= 127;
    for (let scale = 128;; scale *= 128) {
      const byte = bytes[at++];
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  };
}

// A tree as it is in the file: every column; columnsOf() chooses those of an event.
function decodeTree(bytes, columns) {
  if (!bytes.length) return null;
  const number = numberReader(bytes);
  const tree = new Tree(number(), 0);
  for (let i = 0; i < tree.size; ++i) tree.depth[i] = i ? tree.depth[i - 1] + 1 - number() : number();
  for (let i = 0; i < tree.size; ++i) tree.frame[i] = number();
  tree.columns = [];
  for (let column = 0; column < columns; ++column) {
    const self = new Float64Array(tree.size);
    for (let i = 0; i < tree.size; ++i) self[i] = number();
    tree.columns.push(self);
  }
  for (let i = 1; i < tree.size; ++i) if (tree.frame[i] === 0) tree.smaller.set(i, number());
  return tree.link();
}
