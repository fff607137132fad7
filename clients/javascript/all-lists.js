// The titles and counts of all lists that the token covers.
import { hasArray } from "./answers.js";
import { Emitter, report } from "./emitter.js";
import { Pauses } from "./pauses.js";
import { Problem, Unauthorized, Unreachable } from "./server.js";

/** Lists are requested at most this often. */
const intervalMilliseconds = 500;
/** A request names at most this many lists. */
const mostNamed = 100;
const pageSize = 1000;
const mostLists = 10_000;
const isDocumented = hasArray("lists");

/** Event: `change` (detail: the lists; null: the server requires another token). */
export class AllLists extends Emitter {
  #server;
  #changedLists;
  #lists = null;
  /** The lists to request again. */
  #changed = new Set();
  #areAllChanged = false;
  #users = 0;
  #closing = null;
  #request = null;
  #pauses = null;

  constructor(server, changedLists) {
    super();
    this.#server = server;
    this.#changedLists = changedLists;
  }

  /**
   * Calls a function for each event; soon if the lists are known.
   * @returns a function that stops this
   */
  watch(listener) {
    const stop = this.on("change", listener);
    let isStopped = false;
    this.#users += 1;
    if (this.#users === 1) this.#start();
    else queueMicrotask(() => this.#lists && !isStopped && listener(this.#lists));
    return () => {
      isStopped = true;
      if (!stop()) return;
      this.#users -= 1;
      if (this.#users === 0) this.#closing.abort();
    };
  }

  /** Requests the lists again, with another token. */
  reconnect() {
    this.#lists = null; // all lists count as changed when `changedLists` connects again
    this.#request?.abort();
    this.#pauses?.end();
  }

  /** The lists as the server has them now. The first 10,000, by their ids. */
  async fetch(signal) {
    const lists = [];
    let cursor = null;
    do {
      const query = new URLSearchParams({ limit: pageSize });
      if (cursor !== null) query.set("cursor", cursor);
      const page = await this.#server.send("GET", `/lists?${query}`, { signal, isDocumented });
      lists.push(...page.lists);
      cursor = page.cursor;
    } while (cursor !== null && lists.length < mostLists);
    return lists.slice(0, mostLists);
  }

  async #start() {
    const closing = new AbortController();
    const pauses = new Pauses();
    [this.#closing, this.#pauses, this.#lists] = [closing, pauses, null];
    this.#areAllChanged = false;
    this.#changed.clear();
    const { signal } = closing;
    globalThis.document?.addEventListener("visibilitychange", () => pauses.end(), { signal });
    signal.addEventListener("abort", () => pauses.end());
    /** Whether the pause lasts until the next change. Only such a pause is ended by a change. */
    let isIdle = false;
    const stop = this.#changedLists.watch((id) => {
      if (id === null) this.#areAllChanged = true;
      else this.#changed.add(id);
      if (isIdle) pauses.end();
    });
    while (!signal.aborted) {
      await pauses.whileHidden(signal);
      if (signal.aborted) break;
      if (this.#areAllChanged || this.#changed.size > 0) {
        await this.#load(signal, pauses);
        continue;
      }
      isIdle = true;
      await pauses.lasting();
      isIdle = false;
    }
    stop();
  }

  /** Requests what has changed, and waits until the next request is allowed. */
  async #load(signal, pauses) {
    /** Aborted when there is another token. */
    const request = new AbortController();
    this.#request = request;
    try {
      const lists = await this.#next(AbortSignal.any([signal, request.signal]));
      if (signal.aborted) return;
      if (request.signal.aborted) throw new Unreachable();
      this.#lists = lists;
      this.emit("change", lists);
      if (signal.aborted) return;
      pauses.reset();
      await pauses.lasting(intervalMilliseconds);
    } catch (error) {
      if (signal.aborted) return;
      this.#areAllChanged = true;
      if (request.signal.aborted) return;
      if (!(error instanceof Problem || error instanceof Unreachable)) report(error);
      if (error instanceof Unauthorized || error.status === 403) {
        this.#lists = null;
        this.emit("change", null);
      }
      if (!signal.aborted) await pauses.afterFailure(error);
    }
  }

  async #next(signal) {
    const changed = new Set(this.#changed);
    const areAll = this.#areAllChanged || !this.#lists || changed.size > mostNamed;
    // What changes from now on is requested later.
    this.#changed.clear();
    this.#areAllChanged = false;
    if (areAll) return this.fetch(signal);
    const path = `/lists?ids=${[...changed].join(",")}`;
    const { lists } = await this.#server.send("GET", path, { signal, isDocumented });
    const others = this.#lists.filter(({ id }) => !changed.has(id));
    const sorted = [...others, ...lists].sort((one, other) => (one.id < other.id ? -1 : 1));
    return sorted.slice(0, mostLists);
  }
}
