// @ts-check
// The messages of a run, as docs/lab-protocol.md has them, and refusals.

/** @typedef {Float32Array | Float64Array} Numbers */

/**
 * A scene: an experiment, by the name of a lesson or by its text, and the keys set on top of it.
 * @typedef {{ lesson?: string | null, toml?: string | null, set: string[] }} Scene
 */

/**
 * A parameter that is swept, and its values.
 * @typedef {{ name: string, about?: string | null, scale?: string, values: Numbers }} SweepAxis
 */

/**
 * A learner of a run.
 * @typedef {{
 *   name: string, family: string, axes: SweepAxis[], settings: number, problem: number[],
 *   colour?: string | null,
 * }} RunLearner
 */

/**
 * The beginning of a run: names, words, test points, learners.
 * @typedef {{
 *   is: "head", name: string, title: string | null, lookFor: string | null, question: string | null,
 *   answer: string | null, pictured: string | null, simulation: boolean, experiment: Record<string, any>,
 *   resamples: number, keep: number, seed: number, threshold: number | null, dimension: number,
 *   range: [number, number], test: { x: Numbers, truth: Numbers }, noise: Numbers[],
 *   classes?: number, loss?: Loss, plane?: Plane, rows?: Rows, learners: RunLearner[], choices?: string[], correct?: number | null,
 *   guess?: import("./votes.js").Guess | null, figures: { name: string }[], variants: { name: string, set: string[] }[],
 * }} Head
 */

/**
 * The loss in use: how it is split, what its bias and its error are called.
 * @typedef {{ name: string, split: string | null, smoothing: number, bias: string, error: string }} Loss
 */

/**
 * Of classes over two inputs: the grid of test points, what of it is in sight, the class that Bayes' rule
 * chooses at every point, and how many points have their probabilities sent.
 * @typedef {{
 *   xs: Numbers, ys: Numbers, inSight: [[number, number], [number, number]], bayes: Uint8Array,
 *   truth: Numbers | null, count: number,
 * }} Plane
 */

/**
 * Of a table: columns with their values, first of the rows that training sets are drawn from, then of those that
 * are held out; which columns are drawn first, and of classes their names and the held-out rows whose
 * probabilities are sent.
 * @typedef {{
 *   target: string, columns: { name: string, values: Numbers }[], of: number, first: number[], labels: Numbers,
 *   classes: string[], drawn: number, held: number, marked: number[] | null,
 * }} Rows
 */

/**
 * One training set, its fits (settings × test points, by learner) and their errors.
 * @typedef {{
 *   is: "draw", resample: number, data: { x: Numbers, y: Numbers }[], fits: Numbers[], risk: Numbers[],
 *   train: Numbers[], labels?: Uint8Array[], weights?: (Numbers | Uint8Array)[],
 * }} Draw
 */

/** @typedef {{ setting: number, words: string, along: { setting: number, words: string }[] }} BestSetting */

/**
 * The estimates from the first `count` training sets: by learner and setting, with the names of
 * curves.csv. Of a simulation `count` alone.
 * @typedef {{
 *   is: "frame", count: number, between?: boolean, t95: number, best: BestSetting[],
 *   learners: (Record<string, Numbers> & { heavy: any })[],
 * }} Frame
 */

/** @typedef {{ is: "best", count: number, learners: BestSetting[], overall: string | null }} Best */
/** @typedef {{ is: "progress", count: number }} Progress */
/** @typedef {{ is: "theory" | "solving" | "points", learners: (Record<string, Numbers> | null)[] }} PerLearner */
/** @typedef {{ is: "words", title?: string, lookFor?: string, question?: string, answer?: string, choices?: string[], claims: any[] }} Words */
/** @typedef {{ is: "end", count: number, seconds: number, warnings?: string[], stopped?: string | null }} End */
/** @typedef {{ is: "error", message: string, help?: string | null, passing?: boolean }} Failure */

/** @typedef {Head | Draw | Frame | Best | Progress | PerLearner | Words | End | Failure} Message */

/**
 * A parameter of a learner, of the noise, of the inputs or of a simulation, as `GET /api/lab` has it.
 * @typedef {{
 *   name: string, symbol?: string | null, meaning?: string, unit?: string | null, default: number | null,
 *   least?: number | null, most?: number | null, mostBy?: string | null, whole?: boolean,
 *   exclusive?: boolean, usual?: [number, number] | null,
 *   list?: { longest: number, default: number[] } | null,
 * }} Parameter
 */

/**
 * A family of learners.
 * @typedef {{
 *   name: string, meaning?: string, parameters: Parameter[], choices: any[], base?: boolean,
 *   capacity?: string | null, oneDimensional?: boolean, numbers?: boolean, classes?: boolean,
 * }} Family
 */

// Numbers that JSON cannot hold come as these words.
/** @type {Record<string, number>} */
const NOT_FINITE = { NaN: NaN, Infinity: Infinity, "-Infinity": -Infinity };

// Numbers in base64, little-endian, as every machine with a browser has them.
/**
 * @param {string} text
 * @param {Float32ArrayConstructor | Float64ArrayConstructor} Numbers
 */
function unpack(text, Numbers) {
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return new Numbers(bytes.buffer);
}

// Labels of so many bits each, from the lowest; some more than there are, to a whole byte.
/** @param {string} text @param {number} bits */
function unpackLabels(text, bits) {
  const raw = atob(text);
  const each = 8 / bits;
  const labels = new Uint8Array(raw.length * each);
  for (let i = 0; i < labels.length; i++) labels[i] = (raw.charCodeAt(Math.floor(i / each)) >> ((i % each) * bits)) & ((1 << bits) - 1);
  return labels;
}

/** @param {string} _key @param {any} value */
function revive(_key, value) {
  if (typeof value === "string") return Object.hasOwn(NOT_FINITE, value) ? NOT_FINITE[value] : value;
  if (value === null || typeof value !== "object" || Array.isArray(value)) return value;
  for (const bits of [1, 2, 4, 8]) if (typeof value[`u${bits}`] === "string") return unpackLabels(value[`u${bits}`], bits);
  if (typeof value.f8 === "string") return unpack(value.f8, Float64Array);
  if (typeof value.f4 === "string") return unpack(value.f4, Float32Array);
  return value;
}

/**
 * A message from its text.
 * @param {string} text
 * @returns {any}
 */
export function parseMessage(text) {
  return JSON.parse(text, revive);
}

// Why a request is not carried out: a sentence, help, and when to try again.
export class Refusal extends Error {
  /**
   * @param {number} status
   * @param {{ message: string, help?: string | null, token?: string | null, line?: number | null }} error
   * @param {number | null} retryAfter
   */
  constructor(status, error, retryAfter) {
    super(error.message);
    this.status = status;
    this.help = error.help ?? null;
    this.token = error.token ?? null;
    this.line = error.line ?? null;
    this.retryAfter = retryAfter;
  }

  // Whether the same request may succeed later.
  get passing() {
    return this.status === 429 || this.status >= 500;
  }
}
