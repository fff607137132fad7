// Says which lists have changed, for views of many lists.
//
// The windows of a browser share one event stream of all lists. Without sharing there is no stream, because two windows with three
// streams each would use the six connections that a browser opens to a server.
import { Pauses } from "./pauses.js";
import { Problem, Unreachable } from "./server.js";

const intervalMilliseconds = 15_000;

export class ChangedLists {
  #streams;
  #isShared;
  #listeners = new Set();
  #pauses = new Pauses();
  #closing = null;
  #connection = null;

  /** @param streams the result of `makeStreams` */
  constructor(streams) {
    this.#streams = streams;
    this.#isShared = streams.followAll !== undefined;
  }

  /**
   * Calls a function with the id of each list that was changed, created or deleted; with null when any list may have changed.
   * @returns a function that stops this
   */
  watch(listener) {
    const entry = { listener };
    this.#listeners.add(entry);
    if (this.#listeners.size === 1) this.#start();
    return () => {
      if (this.#listeners.delete(entry) && this.#listeners.size === 0) this.#closing.abort();
    };
  }

  /** Connects again, with another token. */
  reconnect() {
    this.#connection?.abort();
    this.#pauses.end();
  }

  async #start() {
    this.#closing = new AbortController();
    const { signal } = this.#closing;
    const page = globalThis.document;
    page?.addEventListener("visibilitychange", () => this.reconnect(), { signal });
    globalThis.addEventListener?.("online", () => this.#pauses.end(), { signal });
    signal.addEventListener("abort", () => this.reconnect());
    while (!signal.aborted) {
      await this.#pauses.whileHidden();
      if (signal.aborted) return;
      this.#connection = new AbortController();
      try {
        await this.#follow(AbortSignal.any([signal, this.#connection.signal]));
      } catch (error) {
        if (this.#connection.signal.aborted) continue;
        if (!(error instanceof Problem || error instanceof Unreachable)) throw error;
        await this.#pauses.afterFailure(error);
      }
    }
  }

  async #follow(signal) {
    if (!this.#isShared) {
      this.#tell(null);
      await this.#pauses.lasting(intervalMilliseconds);
      return;
    }
    try {
      await this.#streams.followAll(signal, (event, { list = null }) => {
        this.#pauses.reset();
        if (!signal.aborted && event !== "stopping") this.#tell(list);
      });
    } catch (error) {
      if (error.name !== "SecurityError") throw error;
      this.#isShared = false;
      return;
    }
    if (!signal.aborted) throw new Unreachable(); // the server closed the stream
  }

  #tell(list) {
    for (const { listener } of this.#listeners) listener(list);
  }
}
