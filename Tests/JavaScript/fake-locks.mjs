// The locks of a browser, for several windows in one process. Node.js 20 has none.

const { BroadcastChannel } = globalThis;
const former = Object.getOwnPropertyDescriptor(globalThis, "navigator");

/** A window that is never closed keeps its channels open. They must not keep the process alive. */
class Channel extends BroadcastChannel {
  constructor(name) {
    super(name);
    this.unref();
  }
}

/** @param isForbidden whether the browser refuses each lock */
export function installLocks({ isForbidden = false } = {}) {
  /** By the names of the locks, the one that has it and those that wait for it. */
  const queues = new Map();

  async function request(name, { ifAvailable, signal }, act) {
    if (isForbidden) throw new DOMException("It is forbidden.", "SecurityError");
    signal?.throwIfAborted();
    if (!queues.has(name)) queues.set(name, []);
    const queue = queues.get(name);
    if (ifAvailable && queue.length > 0) return act(null);
    const one = {};
    const turn = new Promise((resolve, reject) => {
      one.start = resolve;
      signal?.addEventListener("abort", () => reject(signal.reason));
    });
    queue.push(one);
    if (queue.length === 1) one.start();
    try {
      await turn;
      return await act({ name });
    } finally {
      queue.splice(queue.indexOf(one), 1);
      queue[0]?.start();
    }
  }

  const value = { locks: { request } };
  Object.defineProperty(globalThis, "navigator", { value, configurable: true });
  globalThis.BroadcastChannel = Channel;
}

export function removeLocks() {
  delete globalThis.navigator;
  if (former) Object.defineProperty(globalThis, "navigator", former);
  globalThis.BroadcastChannel = BroadcastChannel;
}
