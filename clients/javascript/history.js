// What can be undone and redone in this window. The journal keeps it, so that it survives a reload.
//
// An entry has an `id` and either `steps` or a `transfer`. There are two stacks, `done` and `undone`, with the newest entry last.
import { withoutName } from "./ids.js";

const mostEntries = 100;
/** How long entries of closed windows are kept. */
const keptMilliseconds = 7 * 86_400_000;

export class History {
  #stacks = { done: [], undone: [] };
  #list;
  #client;
  #journal;

  constructor(list, client, journal) {
    this.#list = list;
    this.#client = withoutName(client);
    this.#journal = journal;
  }

  /** Takes over the entries of this window from before a reload. */
  async load() {
    const loaded = { done: [], undone: [] };
    for (const { client, stack, entry } of await this.#journal.readUndo(this.#list)) {
      if (client === this.#client) loaded[stack].push(entry);
      else if (timeOf(entry.id) < Date.now() - keptMilliseconds)
        this.#journal.removeUndo(this.#list, client, stack, [entry.id]);
    }
    for (const [stack, entries] of Object.entries(loaded)) {
      const known = new Set(this.#stacks[stack].map(({ id }) => id));
      this.#stacks[stack].unshift(...entries.filter(({ id }) => !known.has(id)));
    }
  }

  has(stack) {
    return this.#stacks[stack].length > 0;
  }

  push(stack, entry) {
    this.#stacks[stack].push(entry);
    this.#journal.addUndo(this.#list, this.#client, stack, entry);
    this.#drop(stack, this.#stacks[stack].slice(0, -mostEntries));
  }

  /** Removes and returns the newest entry of a stack. */
  pop(stack) {
    const last = this.#stacks[stack].at(-1);
    if (last) this.#drop(stack, [last]);
    return last;
  }

  clear(stack) {
    this.#drop(stack, this.#stacks[stack]);
  }

  /** Removes the entries of refused steps. */
  forget(ids) {
    for (const stack of ["done", "undone"])
      this.#drop(
        stack,
        this.#stacks[stack].filter(({ id }) => ids.has(id)),
      );
  }

  #drop(stack, entries) {
    if (entries.length === 0) return;
    const gone = new Set(entries);
    this.#stacks[stack] = this.#stacks[stack].filter((entry) => !gone.has(entry));
    const ids = entries.map(({ id }) => id);
    this.#journal.removeUndo(this.#list, this.#client, stack, ids);
  }
}

/** When an id was made (see `makeID`). */
function timeOf(id) {
  return parseInt(id.replace("-", "").slice(0, 12), 16);
}
