// Events.

export class Emitter {
  #listeners = new Map();

  /**
   * Calls a function for each event of a name.
   * @returns a function that stops this
   */
  on(name, listener) {
    const listeners = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, listeners);
    const entry = { listener };
    listeners.add(entry);
    return () => listeners.delete(entry);
  }

  emit(name, detail) {
    for (const { listener } of this.#listeners.get(name) ?? []) listener(detail);
  }
}
