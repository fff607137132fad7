// The state of a list in the journal: a document, and the changes since. So a list opens at once, also without a network.
import { DoesNotFit, List } from "./list.js";

/** After this number of changes, the document is written again. */
const mostChanges = 200;
/** Longer lists are not stored. */
const mostTasks = 100_000;

export class StoredList {
  #id;
  #journal;
  /** The number of changes after the stored document; undefined if no document is stored. */
  #changes;

  constructor(id, journal) {
    this.#id = id;
    this.#journal = journal;
  }

  get isStored() {
    return this.#changes !== undefined;
  }

  /** The stored `tree`, `version` and `epoch`, or null. */
  async read() {
    const stored = await this.#journal.readDocument(this.#id);
    if (!stored) return null;
    try {
      const tree = new List(stored.document);
      for (const { ops, at, by } of stored.changes)
        for (const operation of ops) tree.applyAt(operation, at, by);
      this.#changes = stored.changes.length;
      return { tree, version: stored.version + stored.changes.length, epoch: stored.epoch };
    } catch (error) {
      if (!(error instanceof DoesNotFit)) throw error;
      this.remove();
      return null;
    }
  }

  /** Stores the state of a list without pending steps. */
  put({ tree, version, epoch }) {
    if (tree.tasks.size > mostTasks) {
      this.remove();
      return;
    }
    this.#changes = 0;
    this.#journal.putDocument(this.#id, version, epoch, tree.document);
  }

  /** Stores a change of a list. Its pending steps are taken back, and the change's operations are applied. */
  add(list, { ops, at, by }) {
    if (this.#changes === undefined) return;
    this.#changes += 1;
    if (this.#changes > mostChanges) this.put(list);
    else this.#journal.addChange(this.#id, list.version, list.epoch, { ops, at, by });
  }

  remove() {
    this.#changes = undefined;
    this.#journal.removeDocument(this.#id);
  }
}
