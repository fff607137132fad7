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
    const receive = (event, data) => event !== "drag" && onEvent(event, data);
    await this.#changedLists.follow(list, signal, async () => {
      if (!this.#changedLists.isLive) return false;
      const signals = { signal, read: new AbortController() };
      await catchUp(this.#server, list, version, signals, opened, receive, () => {});
      opened = () => {}; // the later streams continue the first one
      return true;
    });
  }
}
