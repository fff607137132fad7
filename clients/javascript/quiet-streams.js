// The events of a list without an event stream of its own: when the list has changed, its new events are read.
import { catchUp } from "./shared-streams.js";

export class QuietStreams {
  #server;
  #changedLists;

  constructor(server, changedLists) {
    this.#server = server;
    this.#changedLists = changedLists;
  }

  /** Receives the events of a list, as `Server.follow` does, without drags. Returns when changes of all lists don't arrive at once. */
  async follow(list, version, signal, onOpen, onEvent) {
    let opened = onOpen;
    let hasChanged = false; // the first call of the listener says that it may have
    let wake = () => {};
    const stop = this.#changedLists.watch((id) => {
      if (id !== null && id !== list) return;
      hasChanged = true;
      wake();
    });
    const end = () => wake();
    signal.addEventListener("abort", end);
    const receive = (event, data) => event !== "drag" && onEvent(event, data);
    try {
      while (!signal.aborted && this.#changedLists.isLive) {
        if (hasChanged) {
          hasChanged = false;
          const signals = { signal, read: new AbortController() };
          await catchUp(this.#server, list, version, signals, opened, receive, () => {});
          opened = () => {}; // the later streams continue the first one
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
}
