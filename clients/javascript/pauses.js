// The pauses between attempts to reach the server.
const firstDelayMilliseconds = 500;
const longestDelayMilliseconds = 60_000;
/** If a list is deleted, the event `deleted` arrives before half of this time. */
const firstRestartMilliseconds = 40;
/** After an attempt that has lasted for this time, the next pause is short again. */
const quietMilliseconds = 25_000;
/** A server or a proxy cannot ask for a longer pause. */
const longestRetryAfterSeconds = 3_600;

/**
 * Pauses that grow until `reset`: when the server makes progress. That it responds is no progress: two servers that do not agree, or one
 * that ends each stream, would cause requests without end.
 */
export class Pauses {
  #first;
  #delay;
  #lastEnd = -Infinity;
  #end = () => {};

  constructor(first = firstDelayMilliseconds) {
    this.#first = first;
    this.#delay = first;
  }

  /** The next pause is the shortest again. */
  reset() {
    this.#delay = this.#first;
  }

  /**
   * The time of the next pause: the longest one until there is another token, or the list is restored. A random part keeps windows apart
   * that were disconnected together.
   */
  next({ action = "wait", retryAfterSeconds = 0 } = {}) {
    if (action !== "wait") this.#delay = longestDelayMilliseconds;
    const delay = this.#delay * (0.5 + Math.random() / 2);
    this.#delay = Math.min(this.#delay * 2, longestDelayMilliseconds);
    return Math.max(delay, Math.min(retryAfterSeconds, longestRetryAfterSeconds) * 1000);
  }

  /** Waits before the next attempt, each time longer. */
  async afterFailure(error) {
    if (performance.now() - this.#lastEnd > quietMilliseconds) this.reset();
    await this.lasting(this.next(error));
    this.#lastEnd = performance.now();
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

/** The pauses before a list connects again because of what the server has sent. */
export class Restarts extends Pauses {
  #connection = null;

  constructor() {
    super(firstRestartMilliseconds);
  }

  /** Ends a connection after a pause. */
  async restart(connection) {
    if (connection === this.#connection) return;
    this.#connection = connection;
    await this.afterFailure();
    connection.abort();
  }
}
