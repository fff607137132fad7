// The events of a list without an event stream of its own: when the list has changed, its new events are read.
import { catchUp } from "./shared-streams.js";

export class QuietStreams {
  #server;
  #changedLists;

  constructor(server, changedLists) {
    this.#server = server;
    this.#changedLists = changedLists;
  }

  /** Receives the events of a list, as `Server.follow` does; of drags only those that are in progress when the list changes. */
  async follow(list, version, signal, onOpen, onEvent) {
    let hasChanged = true;
    let wake = () => {};
    const stop = this.#changedLists.watch((id) => {
      if (id !== null && id !== list) return;
      hasChanged = true;
      wake();
    });
    signal.addEventListener("abort", () => wake());
    try {
      while (!signal.aborted) {
        if (hasChanged) {
          hasChanged = false;
          const signals = { signal, read: new AbortController() };
          await catchUp(this.#server, list, version, signals, onOpen, onEvent, () => {});
        } else {
          await new Promise((resolve) => {
            wake = resolve;
          });
        }
      }
    } finally {
      stop();
    }
  }
}
