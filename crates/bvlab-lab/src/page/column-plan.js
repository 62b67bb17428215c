// @ts-check
// Learners side by side: which of them, how many in a row, and how a column is parted.

// More cannot be compared at one glance.
export const MOST_COLUMNS = 4;

// The narrowest column in which numbers and curves can be read, and the gap between two, in em.
const NARROWEST = 15;
const GAP = 1;

// What the parts of a column need around their curves: numbers and title below, the marker's words above.
const AROUND_FITS = 1.9;
const AROUND_CURVES = 4.9;

// How high the curves are where the page scrolls.
const SCROLLED_CURVES = 12;

// The rows of the sum, and how high one of them is.
const SUM_ROWS = 5;
const SUM_ROW = [1.3, 2];

/**
 * The learners that have columns: the first ones; one that is chosen beyond them takes the last place.
 * @param {number} count
 * @param {number} chosen
 * @param {number} most
 */
export function shownLearners(count, chosen, most = MOST_COLUMNS) {
  const shown = Array.from({ length: Math.min(count, most) }, (_, i) => i);
  if (chosen >= most && chosen < count) shown[most - 1] = chosen;
  return shown;
}

/**
 * How many columns stand in a row of so many em: rows are filled evenly.
 * @param {number} count
 * @param {number} width
 */
export function columnsInRow(count, width) {
  const fitting = Math.max(1, Math.min(count, Math.floor((width + GAP) / (NARROWEST + GAP))));
  return Math.ceil(count / Math.ceil(count / fitting));
}

/**
 * What a column is made of.
 * @typedef {{ lines: number, fits: boolean, curves: boolean }} ColumnParts
 */

/** @param {ColumnParts} parts */
const headOf = ({ lines }) => 1.3 * lines + 0.3;

/**
 * Where the parts of a column begin and end, in em from its top. Fits and curves are equally high.
 * @param {number} height
 * @param {ColumnParts} parts
 */
export function columnParts(height, parts) {
  const head = headOf(parts);
  const rows = parts.fits || parts.curves ? SUM_ROW[0] : Math.min(SUM_ROW[1], Math.max(SUM_ROW[0], (height - head) / SUM_ROWS));
  const sum = SUM_ROWS * rows + 0.4;
  const room = Math.max(0, height - head - sum);
  const plot = Math.max(0, (room - (parts.fits ? AROUND_FITS : 0) - (parts.curves ? AROUND_CURVES : 0)) / (Number(parts.fits) + Number(parts.curves) || 1));
  const middle = head + (parts.fits ? Math.min(room, plot + AROUND_FITS) : 0);
  const end = parts.curves ? head + room : middle;
  return {
    fits: parts.fits ? { top: head, bottom: middle } : null,
    curves: parts.curves ? { top: middle, bottom: end } : null,
    sum: { top: end, bottom: end + sum, row: rows },
  };
}

/**
 * How high a column is where the page scrolls, in em.
 * @param {ColumnParts} parts
 */
export function columnHeight(parts) {
  const fits = parts.fits ? SCROLLED_CURVES + AROUND_FITS : 0;
  const curves = parts.curves ? SCROLLED_CURVES + AROUND_CURVES : 0;
  return headOf(parts) + fits + curves + SUM_ROWS * SUM_ROW[0] + 0.4;
}

/**
 * One number of decimals for numbers that stand side by side, or null where they are of other sizes. What is not
 * a number has none.
 * @param {number[]} decimals
 */
export function alikeDecimals(decimals) {
  const known = decimals.filter((one) => !Number.isNaN(one));
  const most = Math.max(...known);
  return known.length > 0 && most - Math.min(...known) <= 1 ? most : null;
}

/**
 * Items of these widths in lines of at most that width: the line and the beginning of each.
 * @param {number[]} widths
 * @param {number} width
 * @param {number} gap
 */
export function inLines(widths, width, gap) {
  let [line, x] = [0, 0];
  return widths.map((own) => {
    if (x > 0 && x + own > width) [line, x] = [line + 1, 0];
    const place = { line, x };
    x += own + gap;
    return place;
  });
}
