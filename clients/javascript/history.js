// What can be undone and redone in this window. The journal keeps it, so that it survives a reload.
//
// An entry has an `id` and what undoes it: `steps`; or what the server does: a `transfer` of tasks, a move of a `section` between lists, or a
// `change` to undo; or a deleted `list` to restore. There are two stacks, `done` and `undone`, with the newest entry last.
import { withoutName } from "./ids.js";
import { withIDs } from "./steps.js";

const mostEntries = 100;
/** The number of entries of other windows that are kept: the newest ones. */
const mostOthers = 1_000;

/** The number of the last entry that was made by this program. It is larger than all stored numbers. */
let lastNumber = 2 ** 52;

export class History {
  /** Each element has an `entry` and its `number`. */
  #stacks = { done: [], undone: [] };
  #list;
  #client;
  #journal;
  #isLoaded = false;

  /** @param list the list's id; "" for what was done with lists as a whole */
  constructor(list, client, journal) {
    this.#list = list;
    this.#client = withoutName(client);
    this.#journal = journal;
  }

  /** Takes over the entries of this window from before a reload, once. If they can't be read, the next call tries again. */
  async load() {
    const records = this.#isLoaded ? null : await this.#journal.readUndo(this.#list);
    if (!records || this.#isLoaded) return;
    this.#isLoaded = true;
    const loaded = { done: [], undone: [] };
    const others = [];
    for (const record of records) {
      const { client, stack, entry, order } = record;
      if (client === this.#client) loaded[stack].push({ entry, number: order });
      else others.push(record);
    }
    for (const [stack, entries] of Object.entries(loaded)) {
      const known = new Set(this.#stacks[stack].map(({ entry }) => entry.id));
      this.#stacks[stack].unshift(...entries.filter(({ entry }) => !known.has(entry.id)));
    }
    for (const { client, stack, entry } of others.slice(0, -mostOthers))
      this.#journal.removeUndo(this.#list, client, stack, [entry.id]);
  }

  has(stack) {
    return this.#stacks[stack].length > 0;
  }

  /** The number of the newest entry of a stack, which is larger than those of all earlier entries of this window; 0 if it has none. */
  newest(stack) {
    return this.#stacks[stack].at(-1)?.number ?? 0;
  }

  push(stack, entry) {
    lastNumber += 1;
    this.#stacks[stack].push({ entry, number: lastNumber });
    this.#store(stack, entry);
    this.#drop(stack, this.#stacks[stack].slice(0, -mostEntries));
  }

  /** Removes and returns the newest element of a stack: `entry` and `number`. */
  pop(stack) {
    const last = this.#stacks[stack].at(-1);
    if (last) this.#drop(stack, [last]);
    return last;
  }

  /** Puts an element back to its place. */
  putBack(stack, element) {
    const elements = this.#stacks[stack];
    const next = elements.findIndex(({ number }) => number > element.number);
    elements.splice(next < 0 ? elements.length : next, 0, element);
    this.#store(stack, element.entry);
  }

  /** Replaces the entry with this id. */
  replace(id, entry) {
    for (const [stack, elements] of Object.entries(this.#stacks)) {
      const element = elements.find((one) => one.entry.id === id);
      if (!element) continue;
      this.#drop(stack, [element]);
      this.putBack(stack, { ...element, entry });
    }
  }

  /** Tasks of the list have other ids from now on. @param ids a map */
  rename(ids) {
    for (const [stack, elements] of Object.entries(this.#stacks))
      for (const element of elements) {
        const { transfer } = element.entry;
        element.entry = withIDs(element.entry, ids);
        if (transfer) {
          const parts = (all) => all?.map((part) => withIDs(part, ids));
          const [there, back] = [parts(transfer.there), parts(transfer.parts)];
          element.entry.transfer = { ...transfer, parts: back, there };
        }
        this.#journal.replaceUndo(this.#list, this.#client, stack, element.entry);
      }
  }

  clear(stack) {
    this.#drop(stack, this.#stacks[stack]);
  }

  /** Removes entries, for example those of refused steps. */
  forget(isGone) {
    for (const stack of ["done", "undone"])
      this.#drop(
        stack,
        this.#stacks[stack].filter(({ entry }) => isGone(entry)),
      );
  }

  #store(stack, entry) {
    this.#journal.addUndo(this.#list, this.#client, stack, entry);
  }

  /** Stores all entries again, because the journal has perhaps lost them. */
  storeAgain() {
    for (const [stack, entries] of Object.entries(this.#stacks))
      for (const { entry } of entries) this.#store(stack, entry);
  }

  #drop(stack, entries) {
    if (entries.length === 0) return;
    const gone = new Set(entries);
    this.#stacks[stack] = this.#stacks[stack].filter((one) => !gone.has(one));
    const ids = entries.map(({ entry }) => entry.id);
    this.#journal.removeUndo(this.#list, this.#client, stack, ids);
  }
}
