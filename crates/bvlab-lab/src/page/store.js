// @ts-check
// One store: values, the actions that change them, who hears of it, and the way back and forth.

/**
 * What changed: the name of the action, the keys whose values are other ones now, and whether it only follows
 * from something else.
 * @typedef {{ name: string, keys: string[], follows: boolean }} Change
 */

/**
 * A step that can be undone: the values before it, and what may still be joined to it.
 * @typedef {{ name: string, keys: string, time: number, values: Record<string, any> }} HistoryStep
 */

// Equal actions that follow each other so fast (in milliseconds) are one step: a slider sends many.
const ONE_STEP = 900;

const MOST_STEPS = 200;

/**
 * Whether two values are equal: lists and plain objects by what is in them, all else by identity.
 * @param {any} a
 * @param {any} b
 * @returns {boolean}
 */
export function equal(a, b) {
  if (Object.is(a, b)) return true;
  if (a === null || b === null || typeof a !== "object" || typeof b !== "object") return false;
  if (Array.isArray(a))
    return Array.isArray(b) && a.length === b.length && a.every((one, i) => equal(one, b[i]));
  if (Object.getPrototypeOf(a) !== Object.prototype || Object.getPrototypeOf(b) !== Object.prototype) return false;
  const [keys, others] = [Object.keys(a), Object.keys(b)];
  return keys.length === others.length && keys.every((key) => key in b && equal(a[key], b[key]));
}

export class Store {
  /**
   * @param {Record<string, any>} beginning
   * @param {string[]} undoable the keys that undo takes back
   * @param {() => number} now
   */
  constructor(beginning, undoable = [], now = () => Date.now()) {
    this.values = { ...beginning };
    this.undoable = undoable;
    this.now = now;
    /** @type {((change: Change) => void)[]} */
    this.listeners = [];
    /** @type {HistoryStep[]} */
    this.past = [];
    /** @type {HistoryStep[]} */
    this.future = [];
    /**
     * The values, to read. What is assigned is an action, too: nothing goes past the store.
     * @type {any}
     */
    this.state = new Proxy(this.values, {
      set: (_, key, value) => {
        this.act(`set ${String(key)}`, { [String(key)]: value });
        return true;
      },
    });
  }

  /** @param {(change: Change) => void} listener */
  subscribe(listener) {
    this.listeners.push(listener);
    return () => {
      this.listeners = this.listeners.filter((one) => one !== listener);
    };
  }

  /**
   * Carries out an action: says what is other now. True if anything is.
   * @param {string} name
   * @param {Record<string, any>} patch
   */
  act(name, patch) {
    const keys = Object.keys(patch).filter((key) => !equal(this.values[key], patch[key]));
    if (keys.length === 0) return false;
    if (keys.some((key) => this.undoable.includes(key))) this.record(name, keys);
    this.change(name, keys, patch, false);
    return true;
  }

  /**
   * Changes what follows from something else: no step of its own, so that undo does not stop there.
   * @param {string} name
   * @param {Record<string, any>} patch
   */
  follow(name, patch) {
    const keys = Object.keys(patch).filter((key) => !equal(this.values[key], patch[key]));
    if (keys.length > 0) this.change(name, keys, patch, true);
  }

  /** @param {string} name @param {string[]} keys */
  record(name, keys) {
    const last = this.past.at(-1);
    const time = this.now();
    const text = keys.join();
    this.future = [];
    if (last && last.name === name && last.keys === text && time - last.time < ONE_STEP) {
      last.time = time;
      return;
    }
    this.past.push({ name, keys: text, time, values: this.snapshot() });
    if (this.past.length > MOST_STEPS) this.past.shift();
  }

  snapshot() {
    return Object.fromEntries(this.undoable.map((key) => [key, this.values[key]]));
  }

  /** @param {string} name @param {string[]} keys @param {Record<string, any>} patch @param {boolean} follows */
  change(name, keys, patch, follows) {
    for (const key of keys) this.values[key] = patch[key];
    for (const listener of this.listeners) listener({ name, keys, follows });
  }

  get canUndo() {
    return this.past.length > 0;
  }

  get canRedo() {
    return this.future.length > 0;
  }

  undo() {
    return this.go("undo", this.past, this.future);
  }

  redo() {
    return this.go("redo", this.future, this.past);
  }

  /** @param {string} name @param {HistoryStep[]} from @param {HistoryStep[]} to */
  go(name, from, to) {
    const step = from.pop();
    if (!step) return false;
    to.push({ ...step, time: -Infinity, values: this.snapshot() });
    const keys = Object.keys(step.values).filter((key) => !equal(this.values[key], step.values[key]));
    this.change(name, keys, step.values, false);
    return true;
  }

  // Nothing before this can be undone.
  forget() {
    this.past = [];
    this.future = [];
  }
}
