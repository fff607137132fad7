// The pauses between attempts to reach the server.
const firstDelayMilliseconds = 250;
const longestDelayMilliseconds = 5_000;
/** If a list is deleted, the event `deleted` arrives before half of this time. */
const firstRestartMilliseconds = 40;
/** After this time without a restart, the next pause is short again. */
const quietMilliseconds = 25_000;
/** Longer timers end at once. */
export const longestTimerMilliseconds = 2 ** 31 - 1;

export class Pauses {
  #first;
  #delay;
  #end = () => {};

  constructor(first = firstDelayMilliseconds) {
    this.#first = first;
    this.#delay = first;
  }

  /** The server was reached: the next delay is the shortest again. */
  reset() {
    this.#delay = this.#first;
  }

  /** Waits before the next attempt, each time longer. A random part keeps windows apart that were disconnected together. */
  async afterFailure({ retryAfterSeconds } = {}) {
    const delay = retryAfterSeconds * 1000 || this.#delay * (0.5 + Math.random() / 2);
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

/**
 * The pauses before a list connects again because of what the server has sent. They grow until `reset`: servers that do not agree, for
 * example while one takes over, would cause requests without end.
 */
export class Restarts extends Pauses {
  #connection = null;
  #last = -Infinity;

  constructor() {
    super(firstRestartMilliseconds);
  }

  /** Ends a connection after a pause. */
  async restart(connection) {
    if (connection === this.#connection) return;
    this.#connection = connection;
    if (Date.now() - this.#last > quietMilliseconds) this.reset();
    this.#last = Date.now();
    await this.afterFailure();
    connection.abort();
  }
}
