// SPDX-License-Identifier: GPL-2.0-or-later
// Trees made of other trees: what the chips above the picture do, and the views by callers.

const copied = tree => (i, up, builder) => up < 0 ? -1 : builder.child(up, tree.frame[i]);

// Frames as another tree shows them: `of(frame)` is the frame that takes its place, the same one after itself only once.
function renamed(tree, of) {
  const place = (i, up, builder) => {
    const frame = tree.frame[i] && of(tree.frame[i]);
    return frame && builder.frame[up] === frame ? up : builder.child(up, frame);
  };
  return rebuilt(tree, place);
}

// Without the frames that `is(frame)` is true for: their samples count for their callers.
const without = (tree, is) => rebuilt(tree, (i, up, builder) =>
  tree.frame[i] && is(tree.frame[i]) ? up : builder.child(up, tree.frame[i]));

// Without the samples in and below these frames.
const dropped = (tree, is) => rebuilt(tree, (i, up, builder) =>
  up < 0 || tree.frame[i] && is(tree.frame[i]) ? -1 : builder.child(up, tree.frame[i]));

// The samples in and below these frames, with their callers.
function kept(tree, is) {
  const below = new Uint8Array(tree.size), needed = new Uint8Array(tree.size);
  for (let i = 1; i < tree.size; ++i) below[i] = below[tree.parent[i]] || tree.frame[i] && is(tree.frame[i]) ? 1 : 0;
  for (let i = tree.size - 1; i > 0; --i) if (below[i] || needed[i]) needed[i] = needed[tree.parent[i]] = 1;
  const builder = new TreeBuilder(tree.self.length, tree.size), at = new Uint32Array(tree.size);
  for (let i = 1; i < tree.size; ++i) {
    if (!needed[i]) continue;
    at[i] = builder.child(at[tree.parent[i]], tree.frame[i]);
    if (below[i]) builder.take(at[i], tree, i);
  }
  return builder.finish();
}

// What is called by a function, from its outermost calls down.
const focused = (tree, frame) => rebuilt(tree, (i, up, builder) =>
  up >= 0 ? builder.child(up, tree.frame[i]) : tree.frame[i] === frame ? builder.child(0, frame) : -1, -1);

// A function that is on the stack already is not entered again: its calls count for the outermost one.
function withoutRecursion(tree) {
  const open = new Uint32Array(facts.names.length + 1), path = [];
  return rebuilt(tree, (i, up, builder) => {
    while (path.length && tree.end[path[path.length - 1].node] <= i) {
      const {frame, before} = path.pop();
      open[frame] = before;
    }
    const frame = tree.frame[i];
    if (frame && open[frame]) return open[frame];
    const node = builder.child(up, frame);
    if (!frame) return node;
    path.push({node: i, frame, before: open[frame]});
    return open[frame] = node;
  });
}

// Threads or CPUs, which are the first level of the trees: added up, or one of them.
const together = tree => rebuilt(tree, (i, up, builder) => tree.depth[i] === 1 && isPart(tree.frame[i]) ? 0 : builder.child(up, tree.frame[i]));
const onePart = (tree, part) => rebuilt(tree, (i, up, builder) =>
  tree.depth[i] === 1 ? tree.frame[i] === part ? 0 : -1 : up < 0 ? -1 : builder.child(up, tree.frame[i]));

// The tree of places with its levels in another order, such as "ismla"; letters as in orders (state.js).
function regrouped(tree, order) {
  const path = [], shift = tree.size > 1 && isPart(tree.frame[1]) ? 1 : 0;
  const builder = new TreeBuilder(tree.self.length, tree.size * 5);
  for (let i = 1; i < tree.size; ++i) {
    path[tree.depth[i]] = i;
    if (tree.self.every(self => !self[i])) continue;
    let node = shift ? builder.child(0, tree.frame[path[1]]) : 0;
    for (const letter of order) {
      const depth = shift + 1 + "aisl".indexOf(letter);
      if (depth <= tree.depth[i] && tree.frame[path[depth]]) node = builder.child(node, tree.frame[path[depth]]);
    }
    if (!tree.frame[i]) node = builder.child(node, 0);
    builder.take(node, tree, i);
  }
  return builder.finish();
}

// Calls visit(node) for the outermost nodes of a frame.
function outermost(tree, frame, visit) {
  for (let i = 1; i < tree.size;)
    if (tree.frame[i] === frame) { visit(i); i = tree.end[i]; } else ++i;
}

// The callers of sampled functions, or of one function, from there up. Grows level by level, each level only as far as it
// can be seen: groups that are too small are one node without a name.
function byCallers(tree, frame) {
  const sides = tree.self.length, root = new CallerGroup(0, 0, sides);
  if (frame) outermost(tree, frame, i => root.below(tree.frame[i], sides).add(i, tree.total, i));
  else for (let i = 1; i < tree.size; ++i) if (tree.self.some(self => self[i])) root.below(tree.frame[i], sides).add(i, tree.self, i);
  if (!frame) for (let side = 0; side < sides; ++side) root.weight[side] = tree.self[side][0];
  return grown(root, tree);
}

class CallerGroup {
  constructor(frame, depth, sides) {
    this.frame = frame;
    this.depth = depth;
    this.nodes = [];                        // where the stacks have got to
    this.weights = Array.from({length: sides}, () => []);
    this.weight = new Float64Array(sides);  // the sums of these
    this.groups = new Map();
  }
  below(frame, sides) {
    let group = this.groups.get(frame);
    if (!group) this.groups.set(frame, group = new CallerGroup(frame, this.depth + 1, sides));
    return group;
  }
  add(node, weights, at) {
    this.nodes.push(node);
    for (let side = 0; side < weights.length; ++side) {
      this.weights[side].push(weights[side][at]);
      this.weight[side] += weights[side][at];
    }
  }
  // Moves each stack to its caller.
  climb(tree) {
    this.nodes.forEach((node, i) => {
      const caller = tree.parent[node];
      if (caller) this.below(tree.frame[caller], this.weights.length).add(caller, this.weights, i);
    });
    this.nodes = this.weights = null;
  }
}

function grown(root, tree) {
  const sides = tree.self.length, depths = [], frames = [], selfs = Array.from({length: sides}, () => []), smaller = new Map();
  const least = tree.wide[0] / 5000, stack = [root];
  const wideOf = group => widths([...group.weight].map(weight => [weight]))[0];
  const put = (depth, frame, weights) => {
    frames.push(frame);
    weights.forEach((weight, side) => selfs[side].push(weight));
    return depths.push(depth) - 1;
  };
  while (stack.length) {
    const group = stack.pop(), at = put(group.depth, group.frame, group.weight);
    if (group.count) { smaller.set(at, group.count); continue; }
    if (group !== root) group.climb(tree);
    const small = new CallerGroup(0, group.depth + 1, sides), next = [];
    small.count = 0;
    for (const one of group.groups.values()) {
      if (group !== root) for (let side = 0; side < sides; ++side) selfs[side][at] -= one.weight[side];
      if (wideOf(one) >= least && one.frame) { next.push(one); continue; }
      ++small.count;
      for (let side = 0; side < sides; ++side) small.weight[side] += one.weight[side];
    }
    next.sort((a, b) => wideOf(a) - wideOf(b));
    if (small.count) stack.push(small);
    for (const one of next) stack.push(one);
    group.groups = null;
  }
  const made = new Tree(depths.length, sides);
  made.depth.set(depths); made.frame.set(frames); made.smaller = smaller;
  selfs.forEach((self, side) => made.self[side].set(self));
  return made.link().add();
}

// One function as the root, its calls below it and its callers above.
function sandwich(tree, frame) {
  const parts = [focused(tree, frame), byCallers(tree, frame)], sides = tree.self.length;
  if (parts[0].size < 2) return null;
  const made = new Tree(parts[0].size + parts[1].size - 3, sides);
  let at = 0;
  parts.forEach((part, which) => {
    if (which) made.callers = at;
    for (let i = which ? 2 : 1; i < part.size; ++i, ++at) {
      made.depth[at] = part.depth[i] - 1;
      made.frame[at] = part.frame[i];
      if (part.smaller.has(i)) made.smaller.set(at, part.smaller.get(i));
      for (let side = 0; side < sides; ++side) {
        made.self[side][at] = part.self[side][i];
        made.total[side][at] = part.total[side][i];
      }
    }
  });
  made.link();
  made.wide = widths(made.total);
  made.deepest = parts[0].deepest - 1;
  made.highest = parts[1].deepest - 1;
  return made;
}
