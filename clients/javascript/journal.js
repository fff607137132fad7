// What the browser stores: steps without a response, refused steps, the last known state of each list, and what can be undone.
//
// Each step is a record of its own, so adding or removing one does not write the others again. Its key is the next number of the
// database, so steps keep the order in which they were made, whatever the clock says. All windows of an origin share the journal. If two
// of them send the same step, the ids of its operations make sure that it is applied once.
import { Emitter } from "./emitter.js";
import { Database, keepStorage, result } from "./storage.js";

const version = 4;

/** The stores of the database. Those with `ids` have numbers as keys; `ids` are the members that name a record in another way. */
const stores = {
  waiting: { ids: ["list", "id"] },
  refused: { ids: ["list", "id"] },
  undoable: { ids: ["list", "client", "stack", "id"] },
  documents: { keyPath: ["list"] },
  changes: { keyPath: ["list", "version"] },
};
/** The stores of version 2, in which ids were the order, and the present ones. */
const former = { steps: "waiting", undo: "undoable" };

function upgrade({ result: database, transaction }) {
  const has = (name) => database.objectStoreNames.contains(name);
  for (const [name, { keyPath, ids }] of Object.entries(stores)) {
    if (has(name)) continue;
    if (keyPath) database.createObjectStore(name, { keyPath });
    else {
      const store = database.createObjectStore(name, { keyPath: "order", autoIncrement: true });
      store.createIndex("list", "list");
      store.createIndex("id", ids);
    }
  }
  for (const [name, present] of Object.entries(former)) {
    if (!has(name)) continue;
    const reading = transaction.objectStore(name).getAll();
    reading.onsuccess = () => {
      for (const record of reading.result) transaction.objectStore(present).add(record);
      database.deleteObjectStore(name);
    };
  }
}

/** Adds a record, unless it is stored. @returns its number */
async function add(store, record) {
  const ids = stores[store.name].ids.map((name) => record[name]);
  return (await result(store.index("id").getKey(ids))) ?? result(store.add(record));
}

/** Removes a record by its ids. */
async function remove(store, ids) {
  const order = await result(store.index("id").getKey(ids));
  if (order !== undefined) store.delete(order);
}

/** Keeps nothing after the window is closed. */
class MemoryJournal extends Emitter {
  isKept = false;

  async add() {}
  async replace() {}
  async remove() {}
  async read() {
    return [];
  }
  async lists() {
    return [];
  }
  async readRefused() {
    return [];
  }
  async removeRefused() {}
  async addUndo() {}
  async replaceUndo() {}
  async removeUndo() {}
  async readUndo() {
    return [];
  }
  async putDocument() {}
  async addChange() {}
  async readDocument() {
    return null;
  }
  async removeDocument() {}
  async forget() {}
}

/**
 * Events: `storage` (`isKept` has changed); `lost` (what was stored may be gone, for example because the person has deleted it: add all steps
 * again, in order); `renewed` (then the journal is used again: store the rest).
 */
class StoredJournal extends Emitter {
  /** Whether all steps that wait are stored, as far as is known. */
  isKept;
  #database;
  /** The steps of this window that are not stored yet, in order: `list`, `step`, and `resolve`, which gets the number. */
  #unstored = [];
  #isStoring = false;
  #hasFailed = false;
  #hasAsked = false;

  constructor(name) {
    super();
    const database = new Database(name, version, Object.keys(stores), upgrade);
    this.#database = database;
    this.isKept = database.isUsable;
    database.on("usable", () => this.#check());
    database.on("lost", () => {
      this.#unstored = [];
      this.emit("lost");
    });
    database.on("renewed", () => {
      this.emit("renewed");
      this.#storeAll();
    });
  }

  #check() {
    const isKept = this.#database.isUsable && !this.#hasFailed;
    if (isKept === this.isKept) return;
    this.isKept = isKept;
    this.emit("storage");
  }

  // MARK: Steps

  /**
   * Stores a step after all earlier ones of this window.
   * @returns a promise of its number, by which steps are sent; it waits until the step is stored
   */
  add(list, step) {
    return new Promise((resolve) => {
      this.#unstored.push({ list, step, resolve });
      this.#storeAll();
    });
  }

  /** Stores what is not stored, one transaction after the other, so that no step is stored without those before it. */
  async #storeAll() {
    if (this.#isStoring) return;
    this.#isStoring = true;
    while (this.#unstored.length > 0) {
      let batch;
      const written = await this.#database.write(["waiting"], async ({ waiting }) => {
        batch = [...this.#unstored];
        const orders = [];
        for (const { list, step } of batch)
          orders.push(await add(waiting, { list, id: step.id, step }));
        return orders;
      });
      this.#hasFailed = written === null;
      this.#check();
      if (!written) break; // the next step tries again
      this.#unstored = this.#unstored.filter((one) => !batch.includes(one));
      for (const [index, { resolve }] of batch.entries()) resolve(written.value[index]);
      if (!this.#hasAsked) keepStorage();
      this.#hasAsked = true;
    }
    this.#isStoring = false;
  }

  /**
   * Stores other forms of steps under their numbers: entries of the outbox, with `step`, `order`, and the `version` of the response, if there
   * is one.
   */
  replace(list, entries) {
    return this.#database.write(["waiting"], ({ waiting }) => {
      for (const { step, order, version: answer } of entries)
        if (order !== undefined) waiting.put({ order, list, id: step.id, step, version: answer });
    });
  }

  /** Removes steps. @param refusals those of them that were refused, to be stored: each with its `step`, `code` and `detail` */
  async remove(list, ids, refusals = []) {
    const gone = new Set(ids);
    this.#unstored = this.#unstored.filter((one) => one.list !== list || !gone.has(one.step.id));
    if (this.#unstored.length === 0) this.#hasFailed = false;
    this.#check();
    if (ids.length === 0 && refusals.length === 0) return;
    await this.#database.write(["waiting", "refused"], ({ waiting, refused }) =>
      Promise.all([
        ...ids.map((id) => remove(waiting, [list, id])),
        ...refusals.map((refusal) => add(refused, { list, id: refusal.step.id, ...refusal })),
      ]),
    );
  }

  /**
   * The stored steps of a list in the order in which they were made: `step`, `order`, and the `version` of the response, if there is one; null
   * if they can't be read.
   */
  async read(list) {
    const found = await this.#database.read(["waiting"], ({ waiting }) =>
      result(waiting.index("list").getAll(list)),
    );
    return found?.value ?? null;
  }

  /** The lists with stored steps. */
  async lists() {
    const found = await this.#database.read(["waiting"], ({ waiting }) => result(waiting.getAll()));
    return [...new Set(found?.value.map(({ list }) => list))];
  }

  // MARK: Refused steps

  /** The stored refusals of a list, the oldest first: `step`, `code` and `detail`; null if they can't be read. */
  async readRefused(list) {
    const found = await this.#database.read(["refused"], ({ refused }) =>
      result(refused.index("list").getAll(list)),
    );
    return found && found.value.map(({ step, code, detail }) => ({ step, code, detail }));
  }

  async removeRefused(list, ids) {
    await this.#database.write(["refused"], ({ refused }) =>
      Promise.all(ids.map((id) => remove(refused, [list, id]))),
    );
  }

  // MARK: Undo

  /** @returns a promise of `value`, the number of the entry; null if it is not stored */
  addUndo(list, client, stack, entry) {
    return this.#database.write(["undoable"], ({ undoable }) =>
      add(undoable, { list, client, stack, id: entry.id, entry }),
    );
  }

  /** Replaces an entry by another one with the same id, at the same place. */
  replaceUndo(list, client, stack, entry) {
    return this.#database.write(["undoable"], async ({ undoable }) => {
      const order = await result(undoable.index("id").getKey([list, client, stack, entry.id]));
      if (order !== undefined) undoable.put({ order, list, client, stack, id: entry.id, entry });
    });
  }

  async removeUndo(list, client, stack, ids) {
    if (ids.length === 0) return;
    await this.#database.write(["undoable"], ({ undoable }) =>
      Promise.all(ids.map((id) => remove(undoable, [list, client, stack, id]))),
    );
  }

  /**
   * What the clients of this browser can undo on a list: `order`, `client`, `stack` and `entry`, the oldest first; null if it can't be
   * read.
   */
  async readUndo(list) {
    const found = await this.#database.read(["undoable"], ({ undoable }) =>
      result(undoable.index("list").getAll(list)),
    );
    return found?.value ?? null;
  }

  // MARK: The state of a list

  /** Stores a state of a list, instead of an earlier one and the changes since. */
  putDocument(list, number, epoch, document) {
    return this.#database.write(["documents", "changes"], ({ documents, changes }) => {
      documents.put({ list, version: number, epoch, document });
      changes.delete(IDBKeyRange.bound([list], [list, number]));
    });
  }

  /** Stores a change that follows the stored state. */
  addChange(list, number, epoch, { ops, at, by }) {
    return this.#database.write(["changes"], ({ changes }) => {
      changes.put({ list, version: number, epoch, ops, at, by });
    });
  }

  /** The last stored state of a list, and the changes that follow it without a gap; null if there is none. */
  async readDocument(list) {
    const found = await this.#database.read(["documents", "changes"], ({ documents, changes }) =>
      Promise.all([result(documents.get([list])), result(changes.getAll(all(list)))]),
    );
    const [stored, later] = found?.value ?? [];
    if (!stored) return null;
    const changes = [];
    for (const change of later) {
      const next = stored.version + changes.length + 1;
      if (change.version === next && change.epoch === stored.epoch) changes.push(change);
    }
    return { ...stored, changes };
  }

  removeDocument(list) {
    return this.#database.write(["documents", "changes"], ({ documents, changes }) => {
      documents.delete([list]);
      changes.delete(all(list));
    });
  }

  /** Deletes everything except the steps that are not sent, and refused steps. */
  forget() {
    const names = ["undoable", "documents", "changes"];
    return this.#database.write(names, (opened) => {
      for (const name of names) opened[name].clear();
    });
  }
}

/** The keys of all records of a list. */
function all(list) {
  return IDBKeyRange.bound([list], [list, []]);
}

/**
 * @param storage "indexeddb" or "memory"
 * @param name the name of the database
 */
export function makeJournal(storage, name) {
  return storage === "memory" ? new MemoryJournal() : new StoredJournal(name);
}
