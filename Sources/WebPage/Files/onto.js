// Lifted rows that are held over another row for a moment.

const momentMilliseconds = 800;
/** A smaller movement does not leave the row. */
const slackPixels = 10;

export class Onto {
  /** The row; null before the moment is over. */
  key = null;
  #reached;
  #candidate = null;
  #y = 0;
  #start = 0;
  #timer;

  /** @param reached is called with the row's key after the moment */
  constructor(reached) {
    this.#reached = reached;
  }

  /**
   * @param candidate the key of the row under the lifted rows, or null
   * @param y the vertical position of the lifted rows in the window
   */
  follow(candidate, y) {
    this.#y = y;
    if (this.key !== null && Math.abs(y - this.#start) <= slackPixels) return;
    if (this.key === null && candidate === this.#candidate) return;
    this.stop();
    this.#candidate = candidate;
    if (candidate === null) return;
    this.#timer = setTimeout(() => {
      this.key = candidate;
      this.#start = this.#y;
      this.#reached(candidate);
    }, momentMilliseconds);
  }

  stop() {
    clearTimeout(this.#timer);
    this.key = null;
    this.#candidate = null;
  }
}
