// @ts-check
// Labels on a grid in the plane: the lines between classes, and the regions. Pure functions. The points of a
// grid are in columns: the second coordinate runs fastest.

/** @typedef {ArrayLike<number>} Labels */
/** @typedef {[number, number]} Place */

// The edges of a cell by its corners, from below and against the clock; every edge by its lower end, and
// whether it runs along the second coordinate.
/** @type {(a: number, b: number, d: number) => number[]} */
const edgesOf = (a, b, d) => [2 * a, 2 * b + 1, 2 * d, 2 * a + 1];

// Which edges a line crosses, by the corners that are inside: pairs of edges.
/** @type {Record<number, number[][]>} */
const CROSSED = {
  1: [[3, 0]], 2: [[0, 1]], 3: [[3, 1]], 4: [[1, 2]], 6: [[0, 2]], 7: [[3, 2]], 8: [[2, 3]], 9: [[2, 0]],
  11: [[2, 1]], 12: [[1, 3]], 13: [[1, 0]], 14: [[0, 3]],
  // Saddles: the two that are outside are connected.
  5: [[3, 0], [1, 2]], 10: [[0, 1], [2, 3]],
};

/**
 * Pieces that meet, joined to lines as long as they go.
 * @param {number[][]} pieces
 * @returns {number[][]}
 */
function joinedPieces(pieces) {
  /** @type {Map<number, number[]>} */
  const at = new Map();
  pieces.forEach((piece, i) => {
    for (const edge of piece) {
      const there = at.get(edge);
      if (there) there.push(i);
      else at.set(edge, [i]);
    }
  });
  const used = new Uint8Array(pieces.length);
  /** @type {number[][]} */
  const lines = [];
  const follow = (/** @type {number} */ first, /** @type {number} */ start) => {
    const line = [start];
    let end = start;
    for (let next = /** @type {number | undefined} */ (first); next !== undefined; ) {
      used[next] = 1;
      end = pieces[next][0] === end ? pieces[next][1] : pieces[next][0];
      line.push(end);
      next = at.get(end)?.find((i) => !used[i]);
    }
    lines.push(line);
  };
  // Those that end at the border first, then those that close.
  pieces.forEach((piece, i) => {
    for (const edge of piece) if (!used[i] && at.get(edge)?.length === 1) follow(i, edge);
  });
  pieces.forEach((piece, i) => {
    if (!used[i]) follow(i, piece[0]);
  });
  return lines;
}

/**
 * The line with its corners cut off, by the method of Chaikin: the stairs of a grid are none of the boundary's.
 * @param {Place[]} line
 * @returns {Place[]}
 */
export function roundedLine(line) {
  if (line.length < 3) return line;
  const [first, last] = [line[0], line[line.length - 1]];
  /** @type {Place[]} */
  const cut = [first];
  for (let i = 1; i < line.length; i++) {
    const [[x, y], [u, v]] = [line[i - 1], line[i]];
    cut.push([x + 0.25 * (u - x), y + 0.25 * (v - y)], [x + 0.75 * (u - x), y + 0.75 * (v - y)]);
  }
  // A line that closes has no ends.
  if (first[0] === last[0] && first[1] === last[1]) {
    cut.shift();
    cut.push(cut[0]);
  } else cut.push(last);
  return cut;
}

/**
 * How far a class is ahead of the others at a point.
 * @param {ArrayLike<number>} probabilities
 * @param {number} classes
 * @param {number} one
 * @param {number} point
 */
function ahead(probabilities, classes, one, point) {
  const from = point * (classes - 1);
  let [first, own, others] = [1, 0, -Infinity];
  for (let k = 1; k < classes; k++) {
    const p = probabilities[from + k - 1];
    first -= p;
    if (k === one) own = p;
    else others = Math.max(others, p);
  }
  return one === 0 ? first - others : own - Math.max(first, others);
}

/**
 * Where between two points a class is no longer ahead, as a share of the way.
 * @param {ArrayLike<number>} probabilities
 * @param {number} classes
 * @param {number} one
 * @param {number} low
 * @param {number} high
 */
function crossing(probabilities, classes, one, low, high) {
  const [from, to] = [low, high].map((point) => ahead(probabilities, classes, one, point));
  const share = from / (from - to);
  return Number.isFinite(share) ? Math.min(1, Math.max(0, share)) : 0.5;
}

/**
 * The lines where the class changes: halfway between the points of the grid or, where probabilities of all
 * classes but the first are known, where two are equal along a straight line.
 * @param {ArrayLike<number>} xs
 * @param {ArrayLike<number>} ys
 * @param {Labels} labels
 * @param {number} classes
 * @param {ArrayLike<number> | null} [probabilities]
 * @returns {Place[][]}
 */
export function boundariesOf(xs, ys, labels, classes, probabilities = null) {
  const [columns, rows] = [xs.length, ys.length];
  /** @type {Place[][]} */
  const lines = [];
  // Of two classes one line says it all.
  for (let one = classes === 2 ? 1 : 0; one < classes; one++) {
    /** @type {number[][]} */
    const pieces = [];
    for (let i = 0; i + 1 < columns; i++) {
      for (let j = 0; j + 1 < rows; j++) {
        const a = i * rows + j;
        const b = a + rows;
        const inside =
          (labels[a] === one ? 1 : 0) | (labels[b] === one ? 2 : 0) | (labels[b + 1] === one ? 4 : 0) | (labels[a + 1] === one ? 8 : 0);
        const crossed = CROSSED[inside];
        if (!crossed) continue;
        const edges = edgesOf(a, b, a + 1);
        for (const [from, to] of crossed) pieces.push([edges[from], edges[to]]);
      }
    }
    const place = (/** @type {number} */ edge) => {
      const [low, upright] = [edge >> 1, edge & 1];
      const [i, j] = [Math.floor(low / rows), low % rows];
      const share = probabilities ? crossing(probabilities, classes, one, low, upright ? low + 1 : low + rows) : 0.5;
      /** @type {Place} */
      const there = upright ? [xs[i], ys[j] + share * (ys[j + 1] - ys[j])] : [xs[i] + share * (xs[i + 1] - xs[i]), ys[j]];
      return there;
    };
    for (const line of joinedPieces(pieces)) lines.push(roundedLine(roundedLine(line.map(place))));
  }
  return lines;
}

/**
 * How many of some fits choose each class, by point and class.
 * @param {Labels[]} fits
 * @param {number} points
 * @param {number} classes
 */
export function votesOf(fits, points, classes) {
  const votes = new Uint16Array(points * classes);
  for (const labels of fits) for (let j = 0; j < points; j++) votes[j * classes + labels[j]]++;
  return votes;
}

// How far fits agree: from nearly even to all of them.
export const AGREEMENTS = 4;

/**
 * By point: the class that most fits choose (the first of equals), and how far they agree, as class ·
 * AGREEMENTS + agreement.
 * @param {Uint16Array} votes
 * @param {number} classes
 */
export function shadesOf(votes, classes) {
  const points = votes.length / classes;
  const shades = new Uint16Array(points);
  for (let j = 0; j < points; j++) {
    let [best, all] = [0, 0];
    for (let k = 0; k < classes; k++) {
      all += votes[j * classes + k];
      if (votes[j * classes + k] > votes[j * classes + best]) best = k;
    }
    const share = (votes[j * classes + best] / all - 1 / classes) / (1 - 1 / classes);
    const agreement = share >= 1 ? AGREEMENTS - 1 : Math.max(0, Math.floor(share * (AGREEMENTS - 1)));
    shades[j] = best * AGREEMENTS + agreement;
  }
  return shades;
}

/**
 * Where the points of every shade are, as runs along a column: the first point and the last.
 * @param {Uint16Array} shades
 * @param {number} rows
 * @returns {Map<number, [number, number][]>}
 */
export function runsOf(shades, rows) {
  /** @type {Map<number, [number, number][]>} */
  const runs = new Map();
  for (let from = 0; from < shades.length; ) {
    const end = (Math.floor(from / rows) + 1) * rows;
    let to = from;
    while (to + 1 < end && shades[to + 1] === shades[from]) to++;
    const there = runs.get(shades[from]);
    if (there) there.push([from, to]);
    else runs.set(shades[from], [[from, to]]);
    from = to + 1;
  }
  return runs;
}

/**
 * Probabilities away from 0, where a logarithm would be infinite, as cross-entropy takes them.
 * @param {number[]} row
 * @param {number} smoothing
 */
function smoothed(row, smoothing) {
  const sum = 1 + smoothing * row.length;
  if (Math.min(1, ...row) >= ((1 - 1e-9) * smoothing) / sum) return row;
  return row.map((p) => (p + smoothing) / sum);
}

/**
 * The arithmetic mean of probabilities, and their geometric mean, which is divided by its sum.
 * @param {number[][]} rows
 * @param {number} smoothing
 */
export function meansOf(rows, smoothing) {
  const classes = rows[0]?.length ?? 0;
  const arithmetic = new Array(classes).fill(0);
  const logs = new Array(classes).fill(0);
  for (const row of rows) {
    const safe = smoothed(row, smoothing);
    for (let k = 0; k < classes; k++) {
      arithmetic[k] += row[k] / rows.length;
      logs[k] += Math.log(safe[k]) / rows.length;
    }
  }
  const most = Math.max(...logs);
  const weights = logs.map((log) => Math.exp(log - most));
  const sum = weights.reduce((all, weight) => all + weight, 0);
  return { arithmetic, geometric: weights.map((weight) => weight / sum) };
}
