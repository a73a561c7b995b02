// SPDX-License-Identifier: GPL-2.0-or-later
// Intervals and tests of shares: the formulas of libpp/profile/statistics.cpp, which names their sources.

const confidenceZ = 1.959963984540054, leastTested = 5;

// Samples as they were taken, before they were scaled.
const taken = (n, side) => n / (facts.weights[state.event * columnCount() + side] || 1);

function shareInterval(part, whole) {
  if (!(whole > 0)) return [0, 1];
  const p = Math.min(part / whole, 1), z = confidenceZ;
  const center = p + z * z / (2 * whole), scale = 1 + z * z / whole;
  const half = z * Math.sqrt(p * (1 - p) / whole + z * z / (4 * whole * whole));
  const low = part <= 0 ? 0 : (center - half) / scale, high = part >= whole ? 1 : (center + half) / scale;
  return [Math.min(Math.max(low, 0), p), Math.min(Math.max(high, p), 1)];
}

function differenceInterval(a, b) {
  const [p1, p2] = [a, b].map(([part, whole]) => whole ? part / whole : 0);
  const first = shareInterval(...a), second = shareInterval(...b);
  return [p2 - p1 - Math.hypot(p2 - second[0], first[1] - p1), p2 - p1 + Math.hypot(second[1] - p2, p1 - first[0])];
}

// The complementary error function: the series near 0, else the continued fraction.
function erfc(x) {
  if (x < 2) {
    let term = x, sum = x;
    for (let n = 1; Math.abs(term) > 1e-17 * Math.abs(sum) && n < 200; ++n) sum += (term *= -x * x / n) / (2 * n + 1);
    return 1 - 2 / Math.sqrt(Math.PI) * sum;
  }
  let fraction = 0;
  for (let n = 60; n > 0; --n) fraction = n / 2 / (x + fraction);
  return Math.exp(-x * x) / Math.sqrt(Math.PI) / (x + fraction);
}

// Fisher's exact test, two-sided.
function exactProbability([a, n], [b, m]) {
  [a, b] = [Math.round(a), Math.round(b)];
  const c = Math.round(n) - a, d = Math.round(m) - b;
  let likely = 0, others = 1;
  const add = (steps, ratio) => {
    let weight = 1, most = 1;
    for (let k = 1; k <= steps; ++k) {
      weight *= ratio(k);
      most = Math.max(most, weight);
      if (weight > 1 + 1e-7) likely += weight; else others += weight;
      if (weight < most * 1e-18 || weight === Infinity) return;
    }
  };
  add(Math.min(b, c), k => (b - k + 1) * (c - k + 1) / (a + k) / (d + k));
  add(Math.min(a, d), k => (a - k + 1) * (d - k + 1) / (b + k) / (c + k));
  return others / (others + likely);
}

// How likely so great a difference is if both shares are the same.
function sameProbability(a, b) {
  const all = a[1] + b[1], part = a[0] + b[0], pooled = part / all;
  if (!(a[1] > 0 && b[1] > 0) || pooled <= 0 || pooled >= 1) return 1;
  if (Math.min(part, all - part) / all * Math.min(a[1], b[1]) < 5) return exactProbability(a, b);
  const error = Math.sqrt(pooled * (1 - pooled) * (1 / a[1] + 1 / b[1]));
  return erfc(Math.abs((b[0] / b[1] - a[0] / a[1]) / error) / Math.SQRT2);
}

// Benjamini and Hochberg: the greatest probability that is a discovery; -1 = there is none.
function discoveryLimit(probabilities) {
  const sorted = Float64Array.from(probabilities).sort();
  for (let i = sorted.length; i-- > 0;) if (sorted[i] <= 0.05 * (i + 1) / sorted.length) return sorted[i];
  return -1;
}

// The logarithm of the gamma function, by Lanczos' approximation with g = 7.
function logGamma(x) {
  const terms = [676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059, 12.507343278686905,
    -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7];
  if (x < 0.5) return Math.log(Math.PI / Math.sin(Math.PI * x)) - logGamma(1 - x);
  const sum = terms.reduce((sum, term, i) => sum + term / (x + i), 0.99999999999980993), t = x + 6.5;
  return Math.log(2 * Math.PI) / 2 + (x - 0.5) * Math.log(t) - t + Math.log(sum);
}

// The regularised incomplete beta function, by its continued fraction.
function incompleteBeta(a, b, x) {
  if (x <= 0 || x >= 1) return x <= 0 ? 0 : 1;
  if (x >= (a + 1) / (a + b + 2)) return 1 - incompleteBeta(b, a, 1 - x);
  const nonzero = value => Math.abs(value) < 1e-300 ? 1e-300 : value;
  let c = 1, d = 1 / nonzero(1 - (a + b) * x / (a + 1)), fraction = d;
  for (let m = 1; m < 500; ++m) {
    for (const term of [m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)), -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))]) {
      d = 1 / nonzero(1 + term * d);
      c = nonzero(1 + term / c);
      fraction *= c * d;
    }
    if (Math.abs(c * d - 1) < 1e-15) break;
  }
  return Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x)) * fraction / a;
}

const meanOf = values => values.reduce((sum, value) => sum + value, 0) / values.length;
function squaredError(values, mean) {
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1) / values.length;
}

// Of the shares in the sessions of each side: how the means differ, its squared error, by chance at least that of samples, and Welch's
// degrees of freedom.
function meanDifference(before, after, byChance) {
  const means = [meanOf(before), meanOf(after)], first = squaredError(before, means[0]), second = squaredError(after, means[1]);
  const squared = first + second, change = means[1] - means[0];
  const freedom = squared > 0 ? squared * squared / (first * first / (before.length - 1) + second * second / (after.length - 1))
    : before.length + after.length - 2;
  return [Math.abs(change) <= 1e-12 * (means[0] + means[1]) ? 0 : change, Math.max(squared, byChance), freedom];
}
function sameMeansProbability(before, after, byChance) {
  const [change, squared, freedom] = meanDifference(before, after, byChance);
  if (!change || squared <= 0) return change ? 0 : 1;
  return incompleteBeta(freedom / 2, 0.5, freedom / (freedom + change * change / squared));
}
function meansInterval(before, after, byChance) {
  const [change, squared, freedom] = meanDifference(before, after, byChance);
  if (squared <= 0) return [change, change];
  let low = 0, high = 1;  // of freedom / (freedom + t^2)
  for (let i = 0; i < 50; ++i) {
    const middle = (low + high) / 2;
    if (incompleteBeta(freedom / 2, 0.5, middle) < 0.05) low = middle; else high = middle;
  }
  const half = Math.sqrt(freedom * (1 - high) / high * squared);
  return [change - half, change + half];
}

// The columns of a side's sessions that have samples; what they differ by is tested where each side has three.
function sessionsOf(side) {
  const from = sideCount() + (side ? facts.sessions[0] : 0), found = [];
  for (let at = from; at < from + (facts.sessions[side] || 0); ++at) if (state.whole[at] > 0) found.push(at);
  return found;
}
const leastSessions = 3;
const comparesSessions = () => sessionsOf(0).length >= leastSessions && sessionsOf(1).length >= leastSessions;

// The variance of the difference of the sessions' mean shares, where they differ by chance only.
function chanceVariance(counts) {
  const [a, b] = bothParts(ofSides(counts)), share = (a[0] + b[0]) / (a[1] + b[1]);
  return [0, 1].reduce((all, side) => {
    const columns = sessionsOf(side);
    return all + columns.reduce((sum, at) => sum + share * (1 - share) / taken(state.whole[at], side), 0) / columns.length ** 2;
  }, 0);
}

// The test of rows of counts, one of each column: a function that returns a probability, or NaN for too few samples.
function rowTest() {
  const sides = comparesSessions() ? [sessionsOf(0), sessionsOf(1)] : null, whole = state.whole;
  return counts => {
    const [a, b] = bothParts(ofSides(counts));
    if (Math.max(a[0], b[0]) < leastTested) return NaN;
    if (!sides) return sameProbability(a, b);
    return sameMeansProbability(...sides.map(columns => columns.map(at => counts[at] / whole[at])), chanceVariance(counts));
  };
}

// The shares of a row of counts before and after: of all samples, or the means of those in the sessions where these are tested.
function sharesOf(counts) {
  if (!comparesSessions()) return ofSides(counts).map((n, side) => state.whole[side] ? n / state.whole[side] : 0);
  return [0, 1].map(side => meanOf(sessionsOf(side).map(at => counts[at] / state.whole[at])));
}
const changeIn = counts => { const [before, after] = sharesOf(counts); return after - before; };

// The interval of that change.
function changeInterval(counts) {
  if (!comparesSessions()) return differenceInterval(...bothParts(ofSides(counts)));
  return meansInterval(...[0, 1].map(side => sessionsOf(side).map(at => counts[at] / state.whole[at])), chanceVariance(counts));
}

const bothParts = counts => counts.map((n, side) => [taken(n, side), taken(state.whole[side], side)]);

// Of rows of counts, which differ by more than chance.
function significantOnes(pairs) {
  const probabilities = pairs.map(rowTest());
  const limit = discoveryLimit(probabilities.filter(p => p === p));
  return probabilities.map(p => p <= limit);
}

// The mark of each node of a tree: 1 = more than chance.
function significantNodes(tree) {
  const marks = new Uint8Array(tree.size), nodes = [], found = [], test = rowTest();
  for (let i = 1; i < tree.size; ++i) {
    const probability = test(countsOf(tree.total, i));
    if (probability !== probability) continue;
    nodes.push(i);
    found.push(probability);
  }
  const limit = discoveryLimit(found);
  nodes.forEach((node, i) => { marks[node] = found[i] <= limit ? 1 : 0; });
  return marks;
}
