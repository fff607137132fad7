// Says which lists have changed. The windows of a browser share one event stream of all lists. If they can't share it, every list counts
// as changed every 15 seconds, because a browser opens only six connections to a server: too few for a stream in each window.
import { Emitter } from "./emitter.js";
import { Pauses } from "./pauses.js";
import { Unreachable } from "./server.js";

const intervalMilliseconds = 15_000;

/** Event: `changed` (detail: the id of a list that was changed, created or deleted; null: any list may have changed). */
export class ChangedLists extends Emitter {
  #streams;
  #users = 0;
  #closing = null;
  #connection = null;
  #pauses = null;
  #isShared;
  /** Whether this connection, or its failure, was announced. If not, the next announcement is null. */
  #hasAnnounced = false;

  /** @param streams the result of `makeStreams` */
  constructor(streams) {
    super();
    this.#streams = streams;
    this.#isShared = streams.followAll !== undefined;
  }

  /** Whether changes arrive at once. */
  get isLive() {
    return this.#isShared;
  }

  /**
   * Calls a function for each event. The first one has null.
   * @returns a function that stops this
   */
  watch(listener) {
    const stop = this.on("changed", listener);
    this.#users += 1;
    if (this.#users === 1) this.#start();
    else if (this.#hasAnnounced) listener(null);
    return () => {
      if (!stop()) return;
      this.#users -= 1;
      if (this.#users === 0) this.#closing.abort();
    };
  }

  /**
   * Calls a function soon, and then whenever a list may have changed, one call after the other.
   * @param act returns a promise of whether this goes on
   */
  async follow(list, signal, act) {
    let hasChanged = false; // the first call of the listener says that it may have
    let wake = () => {};
    const stop = this.watch((id) => {
      if (id !== null && id !== list) return;
      hasChanged = true;
      wake();
    });
    const end = () => wake();
    signal.addEventListener("abort", end);
    try {
      while (!signal.aborted) {
        if (hasChanged) {
          hasChanged = false;
          if (!(await act())) return;
        } else {
          await new Promise((resolve) => {
            wake = resolve;
          });
        }
      }
    } finally {
      signal.removeEventListener("abort", end);
      stop();
    }
  }

  /** Announces a list that was created or deleted here, at once and also without a stream. */
  changed(list) {
    this.emit("changed", list);
  }

  /** Connects again, with another token. */
  reconnect() {
    this.#isShared = this.#streams.followAll !== undefined;
    this.#connectNow();
  }

  #connectNow() {
    this.#connection?.abort();
    this.#pauses?.end();
  }

  async #start() {
    const closing = new AbortController();
    const pauses = new Pauses();
    [this.#closing, this.#pauses] = [closing, pauses];
    const { signal } = closing;
    globalThis.document?.addEventListener("visibilitychange", () => this.#connectNow(), { signal });
    globalThis.addEventListener?.("online", () => pauses.end(), { signal });
    signal.addEventListener("abort", () => pauses.end());
    for (;;) {
      await pauses.whileHidden(signal);
      if (signal.aborted) return;
      this.#hasAnnounced = false;
      if (!this.#isShared) {
        this.#announce(null);
        await pauses.lasting(intervalMilliseconds);
        continue;
      }
      const connection = new AbortController();
      this.#connection = connection;
      try {
        await this.#follow(AbortSignal.any([signal, connection.signal]), pauses);
      } catch (error) {
        if (signal.aborted) return;
        if (connection.signal.aborted) continue;
        if (!(error instanceof Unreachable)) {
          this.#isShared = false; // the browser forbids locks, or the server has no such stream
          continue;
        }
        // Without a stream, any list may change.
        this.#announce(null);
        await pauses.afterFailure(error);
      }
    }
  }

  async #follow(signal, pauses) {
    await this.#streams.followAll(signal, (event, { list = null }) => {
      if (event === "change" || event === "created" || event === "deleted") pauses.reset();
      // `hello` has no list: what changed before it is unknown.
      if (!signal.aborted && event !== "stopping") this.#announce(list);
    });
    throw new Unreachable(); // the stream has ended
  }

  #announce(list) {
    this.#hasAnnounced = true;
    this.emit("changed", list);
  }
}
