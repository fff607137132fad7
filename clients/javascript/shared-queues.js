// One queue of steps per list for all windows of a browser.
//
// Each window stores its steps in the journal, and announces them to the others, which show them. One window at a time sends: it
// holds the list's lock, reads the journal, and sends the steps of all windows in the order in which they were made. Then it
// announces the responses. If that window is closed, the next one gets the lock and continues. A step that was already sent is not
// applied again, because its operations have ids.

import { databases } from "./storage.js";

/**
 * After this time, a window sends without the lock: the browser has perhaps suspended the window that holds it. It is longer than the
 * time limit of a request.
 */
const longestWaitMilliseconds = 35_000;

class SharedQueues {
  isShared = true;
  #name;
  #channel;

  constructor(name, onMessage) {
    this.#name = `queue ${name}`;
    this.#channel = new BroadcastChannel(this.#name);
    this.#channel.onmessage = ({ data }) => onMessage(data);
  }

  /** Sends a message about a list to the other windows. */
  post(list, message) {
    this.#channel.postMessage({ list, ...message });
  }

  /** Runs an action while no other window runs one for the same list. */
  async exclusively(list, act) {
    let isRunning = false;
    const run = () => {
      isRunning = true;
      return act();
    };
    try {
      const options = { signal: AbortSignal.timeout(longestWaitMilliseconds) };
      await navigator.locks.request(`${this.#name} ${list}`, options, run);
    } catch (error) {
      if (isRunning) throw error;
      await run(); // the wait was too long, or the browser forbids locks
    }
  }
}

/** Each window sends its own steps. */
const separateQueues = {
  isShared: false,
  post() {},
  exclusively: (list, act) => act(),
};

/**
 * @param name the queues of connections with the same name are shared; null: each window has its own
 * @param onMessage receives the messages of other windows, with the member `list`
 */
export function makeQueues(name, onMessage) {
  const canShare = globalThis.navigator?.locks && globalThis.BroadcastChannel && databases();
  if (name === null || !canShare) return separateQueues;
  try {
    return new SharedQueues(name, onMessage);
  } catch {
    return separateQueues; // the browser forbids channels
  }
}
