// @ts-check
// What the parts of the error are called under the loss in use.

/** @typedef {{ loss?: { name: string, split: string | null, bias: string, error: string }, rows?: { target: string, classes: string[] } }} Lossy */

/**
 * Words with the name that the bias has under the loss of a run: it is not always a square, and that of a table
 * includes the noise, which nobody knows.
 * @param {Lossy | null | undefined} head
 * @param {string} words
 */
export function lossNamed(head, words) {
  const bias = head?.loss?.bias ?? "bias²";
  const said = head?.rows ? withNoise(words) : words;
  if (bias === "bias²") return said;
  return said.replaceAll("bias²", bias).replaceAll("Bias²", `B${bias.slice(1)}`);
}

/** @param {string} words */
function withNoise(words) {
  if (words.trim() === "bias²") return words.replace("bias²", "bias² + noise");
  return words.replace("noise + bias²", "(bias² + noise)").replace("Noise, bias²", "Bias² + noise");
}

/**
 * What a class is called: in the words of a table, else by its number.
 * @param {Lossy} head
 * @param {number} k
 */
export function className(head, k) {
  return head.rows?.classes[k] ?? `class ${k}`;
}

/**
 * The same in a sentence, where a number alone would be mistaken.
 * @param {Lossy} head
 * @param {number} k
 */
export function classWords(head, k) {
  const name = className(head, k);
  return head.rows && /^[\d.+-]+$/.test(name) ? `${head.rows.target} ${name}` : name;
}

/**
 * What runs up a panel of errors.
 * @param {Lossy} head
 */
export function errorName(head) {
  return head.loss?.error ?? "squared error";
}

/**
 * What all fits together are called: their vote, or the mean that belongs to the loss.
 * @param {Lossy} head
 */
export function togetherName(head) {
  const names = { "zero-one": "vote", "cross-entropy": "geometric mean" };
  return names[/** @type {"zero-one"} */ (head.loss?.name)] ?? "mean";
}
