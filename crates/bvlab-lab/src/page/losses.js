// @ts-check
// What the parts of the error are called under the loss in use.

/** @typedef {{ loss?: { name: string, split: string | null, bias: string, error: string } }} Lossy */

/**
 * Words with the name that the bias has under the loss of a run: it is not always a square.
 * @param {Lossy | null | undefined} head
 * @param {string} words
 */
export function lossNamed(head, words) {
  const bias = head?.loss?.bias ?? "bias²";
  if (bias === "bias²") return words;
  return words.replaceAll("bias²", bias).replaceAll("Bias²", `B${bias.slice(1)}`);
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
