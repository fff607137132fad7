// Says which lists have changed. The windows of a browser share one event stream of all lists. Without sharing there is no stream,
// because a browser opens only six connections to a server: then any list may have changed every 15 seconds.
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
  /** Whether the listeners were told that any list may have changed, and are told of each change since. */
  #isOpen = false;

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
    else if (this.#isOpen) listener(null);
    return () => {
      if (!stop()) return;
      this.#users -= 1;
      if (this.#users === 0) this.#closing.abort();
    };
  }

  /** Connects again, with another token. */
  reconnect() {
    this.#isShared = this.#streams.followAll !== undefined;
    this.#connection?.abort();
    this.#pauses?.end();
  }

  async #start() {
    const closing = new AbortController();
    const pauses = new Pauses();
    [this.#closing, this.#pauses] = [closing, pauses];
    const { signal } = closing;
    globalThis.document?.addEventListener("visibilitychange", () => this.reconnect(), { signal });
    globalThis.addEventListener?.("online", () => pauses.end(), { signal });
    signal.addEventListener("abort", () => pauses.end());
    for (;;) {
      await pauses.whileHidden(signal);
      if (signal.aborted) return;
      this.#isOpen = false;
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
        // Without a stream, any list may change.
        this.#announce(null);
        if (error instanceof Unreachable) await pauses.afterFailure(error);
        else this.#isShared = false; // the browser forbids locks, or the server has no such stream
      }
    }
  }

  async #follow(signal, pauses) {
    await this.#streams.followAll(signal, (event, { list = null }) => {
      if (event !== "joined") pauses.reset();
      // `hello` has no list: what changed before it is unknown.
      if (!signal.aborted && event !== "stopping") this.#announce(list);
    });
    throw new Unreachable(); // the stream has ended
  }

  #announce(list) {
    this.#isOpen = true;
    this.emit("changed", list);
  }
}
