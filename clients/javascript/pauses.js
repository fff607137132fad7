// The pauses between attempts to reach the server.
const firstDelayMilliseconds = 250;
const longestDelayMilliseconds = 5_000;
/** Longer timers end at once. */
export const longestTimerMilliseconds = 2 ** 31 - 1;

export class Pauses {
  #delay = firstDelayMilliseconds;
  #end = () => {};

  /** The server was reached: the next delay is the shortest again. */
  reset() {
    this.#delay = firstDelayMilliseconds;
  }

  /** Waits before the next attempt, each time longer. */
  async afterFailure(error) {
    const delay = error.retryAfterSeconds * 1000 || this.#delay;
    await this.lasting(Math.min(delay, longestTimerMilliseconds));
    this.#delay = Math.min(this.#delay * 2, longestDelayMilliseconds);
  }

  /** Waits while the window is hidden: a browser has few connections to a server, so hidden windows release theirs. */
  async whileHidden(signal) {
    while (globalThis.document?.hidden && !signal.aborted) await this.lasting();
  }

  /** Waits for a time, or until `end`. */
  lasting(milliseconds) {
    return new Promise((resolve) => {
      const timer = milliseconds !== undefined && setTimeout(resolve, milliseconds);
      this.#end = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Ends the pause, if there is one. */
  end() {
    this.#end();
  }
}
