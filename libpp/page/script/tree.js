// SPDX-License-Identifier: GPL-2.0-or-later
// Trees in typed arrays, in depth-first order: what is below node i are the nodes from i + 1 to end[i] - 1. Nothing recurses.
// `self` and `total` have an array for each side: one, or, of a difference, the first profile's and the second's. Behind
// these are those of sessions, see columnCount().

class Tree {
  constructor(size, sides) {
    this.size = size;
    this.depth = new Uint32Array(size);
    this.frame = new Uint32Array(size);  // 0 = the root, or several smaller nodes
    this.parent = new Uint32Array(size);
    this.end = new Uint32Array(size);
    this.self = arrays(sides, size);
    this.total = arrays(sides, size);
    this.wide = null;                    // what widths and orders go by
    this.smaller = new Map();            // node: the number of nodes folded into it
    this.callers = size;                 // nodes from here on are callers of the root, drawn upwards
    this.deepest = 0;
    this.highest = 0;                    // of the callers
  }
  // Sets parents and ends, from the depths.
  link() {
    const path = [];
    for (let i = 0; i < this.size; ++i) {
      const depth = this.depth[i];
      for (; path.length > depth; path.pop()) this.end[path[path.length - 1]] = i;
      this.parent[i] = depth ? path[depth - 1] : 0;
      path.push(i);
      if (depth > this.deepest) this.deepest = depth;
    }
    for (const node of path) this.end[node] = this.size;
    return this;
  }
  // Sets totals, from the nodes' own samples.
  add() {
    for (let side = 0; side < this.self.length; ++side) {
      const total = this.total[side], parent = this.parent;
      total.set(this.self[side]);
      for (let i = this.size - 1; i > 0; --i) total[parent[i]] += total[i];
    }
    this.wide = widths(this.total);
    return this;
  }
}

const arrays = (count, size) => Array.from({length: count}, () => new Float64Array(size));

// The samples; of a difference the mean of both shares, in thousandths.
function widths(total) {
  if (total.length === 1) return total[0];
  const [before, after] = total, wide = new Float64Array(before.length);
  const scales = state.whole.map(all => all ? 500 / all : 0);
  for (let i = 0; i < wide.length; ++i) wide[i] = before[i] * scales[0] + after[i] * scales[1];
  return wide;
}

// Makes a tree of at most `limit` nodes in any order; nodes of one parent and frame are one.
class TreeBuilder {
  constructor(sides, limit) {
    this.size = 1;
    this.parent = new Uint32Array(limit + 1);
    this.frame = new Uint32Array(limit + 1);
    this.self = arrays(sides, limit + 1);
    this.smaller = new Map();
    let slots = 1024;
    while (slots < 2 * limit) slots *= 2;
    this.slots = new Uint32Array(slots);
  }
  child(parent, frame) {
    const mask = this.slots.length - 1;
    let slot = (Math.imul(parent, 0x9e3779b1) ^ Math.imul(frame, 0x85ebca6b)) >>> 0;
    slot = (slot ^ slot >>> 15) & mask;
    for (;; slot = slot + 1 & mask) {
      const at = this.slots[slot];
      if (!at) break;
      if (this.parent[at] === parent && this.frame[at] === frame) return at;
    }
    this.parent[this.size] = parent;
    this.frame[this.size] = frame;
    return this.slots[slot] = this.size++;
  }
  // Adds the samples of a node of another tree to one of this.
  take(node, tree, from) {
    for (let side = 0; side < this.self.length; ++side) this.self[side][node] += tree.self[side][from];
    if (tree.smaller.has(from) && !this.frame[node])
      this.smaller.set(node, (this.smaller.get(node) || 0) + tree.smaller.get(from));
  }
  finish() {
    const {size, parent, frame} = this;
    const total = this.self.map(self => {
      const sums = self.slice(0, size);
      for (let i = size - 1; i > 0; --i) sums[parent[i]] += sums[i];
      return sums;
    });
    const wide = widths(total), [first, children] = childrenOf(parent, size);
    for (let i = 0; i < size; ++i)
      if (first[i + 1] - first[i] > 1) children.subarray(first[i], first[i + 1]).sort((a, b) => wide[b] - wide[a]);
    const tree = new Tree(size, total.length), stack = [0], depth = new Uint32Array(size);
    for (let at = 0; stack.length; ++at) {
      const node = stack.pop();
      tree.depth[at] = depth[node];
      tree.frame[at] = frame[node];
      for (let side = 0; side < total.length; ++side) tree.self[side][at] = this.self[side][node];
      if (node && !frame[node]) tree.smaller.set(at, this.smaller.get(node) || 1);
      for (let i = first[node + 1]; i-- > first[node];) {
        depth[children[i]] = depth[node] + 1;
        stack.push(children[i]);
      }
    }
    return tree.link().add();
  }
}

// The children of node i are children[first[i]] to children[first[i + 1] - 1].
function childrenOf(parent, size) {
  const first = new Uint32Array(size + 1), children = new Uint32Array(size);
  for (let i = 1; i < size; ++i) ++first[parent[i] + 1];
  for (let i = 0; i < size; ++i) first[i + 1] += first[i];
  const next = first.slice();
  for (let i = 1; i < size; ++i) children[next[parent[i]]++] = i;
  return [first, children];
}

// An event's columns of a tree from the file, siblings with the most samples first.
function columnsOf(tree, event) {
  const columns = columnCount();
  const chosen = Object.assign(new Tree(0, 0), tree);
  chosen.self = tree.columns.slice(event * columns, event * columns + columns);
  chosen.total = arrays(columns, tree.size);
  chosen.add();
  return tree.columns.length === 1 ? chosen : rebuilt(chosen, (i, up, builder) => builder.child(up, chosen.frame[i]));
}

// The tree of what `place(node, above, builder)` returns for each node: the node that has its samples, or -1 to drop them.
// `above` is what it returned for the node's parent; of the root it is `root`.
function rebuilt(tree, place, root = 0, growth = 1) {
  const builder = new TreeBuilder(tree.self.length, tree.size * growth), at = new Int32Array(tree.size);
  at[0] = root;
  if (root === 0) builder.take(0, tree, 0);
  for (let i = 1; i < tree.size; ++i) {
    at[i] = place(i, at[tree.parent[i]], builder);
    if (at[i] >= 0) builder.take(at[i], tree, i);
  }
  return builder.finish();
}
