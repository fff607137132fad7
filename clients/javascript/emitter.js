// Events.

/** Reports an error of the app or of the server as an uncaught one, without ending what goes on. */
export function report(error) {
  queueMicrotask(() => {
    throw error;
  });
}

export class Emitter {
  #listeners = new Map();

  /**
   * Calls a function for each event of a name.
   * @returns a function that stops this, and returns whether it was not stopped yet
   */
  on(name, listener) {
    const listeners = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, listeners);
    const entry = { listener };
    listeners.add(entry);
    return () => listeners.delete(entry);
  }

  /** An error of a listener is reported, and does not keep the others from being called. */
  emit(name, detail) {
    const listeners = this.#listeners.get(name) ?? new Set();
    const entries = [...listeners]; // a listener can add and remove others
    for (const entry of entries) {
      if (!listeners.has(entry)) continue;
      try {
        entry.listener(detail);
      } catch (error) {
        report(error);
      }
    }
  }
}
