// @ts-check
// Pure functions on questions that are voted on: what can be answered, what is right, what was counted.

/**
 * A swept parameter whose best value is to be guessed.
 * @typedef {{ learner: number, axis: number, name: string, about?: string | null, log?: boolean, values: number[] }} Guess
 */

/**
 * What can be answered: choices, of which one is right where that is known, or a guess.
 * @typedef {{ choices: string[], correct: number | null, guess: Guess | null }} Asked
 */

/**
 * The state of the vote, as docs/lab-protocol.md has it, with what this page knows of its own answer.
 * @typedef {{
 *   is?: "vote", number: number, phase: string, lesson?: string, choices?: string[], options?: number,
 *   round?: number, mine?: number | null, kept?: number | null, answered?: number, here?: number,
 *   rounds?: number[][], right?: number[], answer?: string | null, lookFor?: string | null,
 * }} VoteState
 */

/**
 * What can be answered to the question of a lesson; null where there is nothing to choose.
 * @param {{ choices?: string[] | null, correct?: number | null, guess?: Guess | null }} words
 * @param {string[]} shown the choices as the lecturer's page shows them, if it does
 * @returns {Asked | null}
 */
export function askedOf(words, shown = []) {
  const choices = shown.length > 0 ? shown : (words.choices ?? []);
  const guess = words.guess ?? null;
  if (choices.length === 0 && guess === null) return null;
  return { choices, correct: words.correct ?? null, guess: choices.length > 0 ? null : guess };
}

/**
 * The answers in words.
 * @param {Asked} asked
 * @param {(value: number) => string} written
 */
export function optionTexts(asked, written) {
  const { guess } = asked;
  return guess ? guess.values.map((value) => `${guess.name} = ${written(Number(value))}`) : asked.choices;
}

/**
 * Which answers are right: the correct choice; of a guess the best value, and those whose risks cannot be
 * told from it. `best` is the best setting of its learner, `along` how many values its first axis has.
 * @param {Asked} asked
 * @param {{ setting: number, tied?: number[] } | null} best
 * @param {number} along
 */
export function rightOptions(asked, best, along) {
  const { guess, correct } = asked;
  if (!guess) return correct === null ? [] : [correct];
  if (!best) return [];
  const place = (/** @type {number} */ setting) => (guess.axis === 0 ? setting % along : Math.floor(setting / along));
  const settings = [best.setting, ...(best.tied ?? [])].map(place);
  return [...new Set(settings)].filter((one) => one >= 0 && one < guess.values.length).sort((a, b) => a - b);
}

/** @param {readonly number[]} counts */
export function sumOf(counts) {
  return counts.reduce((sum, count) => sum + count, 0);
}

/**
 * A share in per cent, as words; without anything to share out a dash.
 * @param {number} count
 * @param {number} whole
 */
export function percentOf(count, whole) {
  return whole === 0 ? "–" : `${Math.round((100 * count) / whole)} %`;
}

/**
 * How many of a round are right.
 * @param {readonly number[]} counts
 * @param {readonly number[]} right
 */
export function rightCount(counts, right) {
  return sumOf(right.map((option) => counts[option] ?? 0));
}

/**
 * Where the dots of a strip are: columns by option, one dot for one answer, or for several where they would
 * be higher than `most`.
 * @param {readonly number[]} counts
 * @param {number} most
 */
export function dotColumns(counts, most) {
  const each = Math.max(1, Math.ceil(Math.max(0, ...counts) / Math.max(1, most)));
  return { each, columns: counts.map((count) => Math.ceil(count / each)) };
}

/**
 * What one person has answered so far: how many, and how many of them right.
 * @param {Record<string, boolean>} marked by lesson
 */
export function tallyOf(marked) {
  const all = Object.values(marked);
  return { answered: all.length, right: all.filter((one) => one).length };
}
