// @ts-check
// One run as far as it has come: head, draws, frames, and what can be said of them.

/** @typedef {import("./protocol.js").Frame} Frame */

export class Run {
  /** @param {import("./protocol.js").Scene} scene */
  constructor(scene) {
    this.scene = scene;
    /** @type {import("./protocol.js").Head} the first message, without which nothing is shown */
    this.head = /** @type {any} */ (null);
    /** @type {import("./protocol.js").Draw[]} */
    this.draws = [];
    // How many draws are there without a gap from the first.
    this.ready = 0;
    /** @type {Map<number, Frame>} */
    this.frames = new Map();
    /** @type {number[]} */
    this.counts = [];
    // The newest estimates, also those that are not kept.
    /** @type {Frame | null} */
    this.newest = null;
    // Where only figures are shown: how many training sets are done.
    /** @type {number | null} */
    this.progress = null;
    // The best settings of the finished run.
    /** @type {import("./protocol.js").Best | null} */
    this.best = null;
    /** @type {any} */
    this.theory = null;
    /** @type {any} */
    this.solving = null;
    /** @type {any} */
    this.points = null;
    // The words with the run's numbers in them, and its claims.
    /** @type {import("./protocol.js").Words | null} */
    this.words = null;
    /** @type {import("./protocol.js").End | null} */
    this.end = null;
    /** @type {import("./protocol.js").Failure | null} */
    this.failure = null;
    /** @type {Map<string, Float64Array>} */
    this.means = new Map();
    // What is drawn of it, kept for the next time.
    /** @type {Map<string, { place: string, known: Map<string, string> }>} */
    this.paths = new Map();
    /** @type {{ key: string, y: number } | undefined} */
    this.identityLine = undefined;
    /** @type {{ key: string, value: number, half: number } | undefined} */
    this.sumRoom = undefined;
    /** @type {number[] | undefined} */
    this.order = undefined;
    /** @type {number[] | undefined} */
    this.heights = undefined;
  }

  /** @param {import("./protocol.js").Message} message */
  take(message) {
    switch (message.is) {
      case "head":
        this.head = message;
        break;
      case "draw":
        this.draws[message.resample] = message;
        while (this.draws[this.ready]) this.ready++;
        break;
      case "frame":
        if (!this.newest || message.count >= this.newest.count) this.newest = message;
        if (!message.between) {
          this.frames.set(message.count, message);
          this.counts = [...this.frames.keys()].sort((a, b) => a - b);
        }
        break;
      case "progress":
        this.progress = message.count;
        break;
      case "best":
        this.best = message;
        break;
      case "theory":
        this.theory = message.learners;
        break;
      case "solving":
        this.solving = message.learners;
        break;
      case "points":
        this.points = message.learners;
        break;
      case "words":
        this.words = message;
        break;
      case "end":
        this.end = message;
        break;
      case "error":
        this.failure = message;
        break;
      default:
      // A later server may say more.
    }
  }

  // How many training sets there are, or will be.
  get total() {
    return this.end ? this.end.count : this.head.resamples;
  }

  // Whether something of it can be shown before the end, one step after the other: its training sets and
  // estimates, or the figures of a simulation.
  get streams() {
    return Boolean(this.head) && (!this.head.pictured || this.head.simulation);
  }

  // Where the playhead stands at the beginning. A simulation shows nothing before its first figure.
  get first() {
    return this.head.simulation ? (this.counts[0] ?? null) : 0;
  }

  // How many draws are or will be here.
  get kept() {
    return Math.min(this.head.keep ?? 0, this.total);
  }

  // The estimates after so many training sets (null: all there are): those of the largest count
  // that is not above.
  /** @param {number | null} drawn @returns {Frame | null} */
  frameAt(drawn) {
    if (drawn === null) return this.newest;
    let found = null;
    for (const count of this.counts) {
      if (count > drawn) break;
      found = this.frames.get(count) ?? null;
    }
    return found;
  }

  // The best settings by learner, as the server decided them, for the estimates of a frame.
  bestsAt(frame) {
    return this.best && this.best.count === frame.count ? this.best.learners : frame.best;
  }

  // Where the playhead can stand after `drawn`, or null at the end.
  next(drawn) {
    if (drawn < this.kept) return drawn + 1;
    return this.counts.find((count) => count > drawn) ?? null;
  }

  // Where it can stand before `drawn`.
  previous(drawn) {
    const at = this.complete(drawn) ? this.total : drawn;
    const before = this.counts.filter((count) => count < at && count > this.kept).pop();
    return before ?? Math.max(0, Math.min(this.kept, at - 1));
  }

  // How many draws are shown when so many are drawn.
  shown(drawn) {
    return Math.min(drawn ?? Infinity, this.ready);
  }

  // Whether everything is drawn.
  complete(drawn) {
    return drawn === null || (this.end !== null && drawn >= this.total);
  }

  // The predictions of a draw at all test points.
  fit(resample, learner, setting) {
    const points = this.head.test.truth.length;
    return this.draws[resample].fits[learner].subarray(setting * points, (setting + 1) * points);
  }

  /**
   * The path of a line in a picture, or the one from when it was last drawn in the same place.
   * @param {string} picture
   * @param {string} place
   * @param {string} key
   * @param {() => string} make
   */
  path(picture, place, key, make) {
    let paths = this.paths.get(picture);
    if (!paths || paths.place !== place || paths.known.size > 3000) {
      paths = { place, known: new Map() };
      this.paths.set(picture, paths);
    }
    let path = paths.known.get(key);
    if (path === undefined) paths.known.set(key, (path = make()));
    return path;
  }

  // The mean fit: over all training sets once all are drawn, over the shown ones before.
  meanFit(drawn, learner, setting) {
    const points = this.head.test.truth.length;
    if (this.points && this.points[learner] && this.complete(drawn)) {
      const mean = this.points[learner].mean.subarray(setting * points, (setting + 1) * points);
      return { mean, count: this.total };
    }
    const count = this.shown(drawn);
    if (count === 0) return { mean: null, count };
    const key = `${count}/${learner}/${setting}`;
    let mean = this.means.get(key);
    if (!mean) {
      mean = new Float64Array(points);
      for (let draw = 0; draw < count; draw++) {
        const fit = this.fit(draw, learner, setting);
        for (let i = 0; i < points; i++) mean[i] += fit[i] / count;
      }
      if (this.means.size > 400) this.means.clear();
      this.means.set(key, mean);
    }
    return { mean, count };
  }

  // The predictions of the shown draws at one test point.
  predictions(drawn, learner, setting, point) {
    const count = this.shown(drawn);
    return Float64Array.from({ length: count }, (_, draw) => this.fit(draw, learner, setting)[point]);
  }
}
