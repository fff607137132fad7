// What the browser stores: steps without a response, the last known state of each list, and what can be undone.
//
// Each step is a record of its own, so adding or removing one does not write the others again. All windows of an origin share the
// journal. If two of them send the same step, the ids of its operations make sure that it is applied once.

/** The stores of the database, and the keys of their records. */
const stores = {
  steps: ["list", "id"],
  undo: ["list", "client", "stack", "id"],
  documents: ["list"],
  changes: ["list", "version"],
};

/** Keeps nothing after the window is closed. */
class MemoryJournal {
  async add() {}
  async remove() {}
  async read() {
    return [];
  }
  async lists() {
    return [];
  }
  async addUndo() {}
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

class StoredJournal {
  #name;
  #database;

  constructor(name) {
    this.#name = name;
  }

  // MARK: Steps

  /** @returns whether the step is stored */
  add(list, step) {
    return this.#write(["steps"], ({ steps }) => steps.put({ list, id: step.id, step }));
  }

  async remove(list, ids) {
    if (ids.length === 0) return;
    await this.#write(["steps"], ({ steps }) => {
      for (const id of ids) steps.delete([list, id]);
    });
  }

  /** The stored steps of a list, in the order in which they were made. */
  async read(list) {
    const records = await this.#read("steps", (steps) => steps.getAll(all(list)), []);
    return records.map(({ step }) => step);
  }

  /** The lists with stored steps. */
  async lists() {
    const keys = await this.#read("steps", (steps) => steps.getAllKeys(), []);
    return [...new Set(keys.map(([list]) => list))];
  }

  // MARK: Undo

  addUndo(list, client, stack, entry) {
    return this.#write(["undo"], ({ undo }) =>
      undo.put({ list, client, stack, id: entry.id, entry }),
    );
  }

  async removeUndo(list, client, stack, ids) {
    if (ids.length === 0) return;
    await this.#write(["undo"], ({ undo }) => {
      for (const id of ids) undo.delete([list, client, stack, id]);
    });
  }

  /** What the clients of this browser can undo on a list: `client`, `stack` and `entry`, the oldest first. */
  readUndo(list) {
    return this.#read("undo", (undo) => undo.getAll(all(list)), []);
  }

  // MARK: The state of a list

  /** Stores a state of a list, instead of an earlier one and the changes since. */
  putDocument(list, version, epoch, document) {
    return this.#write(["documents", "changes"], ({ documents, changes }) => {
      documents.put({ list, version, epoch, document });
      changes.delete(IDBKeyRange.bound([list], [list, version]));
    });
  }

  /** Stores a change that follows the stored state. */
  addChange(list, version, epoch, { ops, at }) {
    return this.#write(["changes"], ({ changes }) =>
      changes.put({ list, version, epoch, ops, at }),
    );
  }

  /** The last stored state of a list, and the changes that follow it without a gap; null if there is none. */
  async readDocument(list) {
    const stored = await this.#read("documents", (documents) => documents.get([list]), null);
    if (!stored) return null;
    const later = await this.#read("changes", (changes) => changes.getAll(all(list)), []);
    const changes = [];
    for (const change of later) {
      const next = stored.version + changes.length + 1;
      if (change.version === next && change.epoch === stored.epoch) changes.push(change);
    }
    return { ...stored, changes };
  }

  removeDocument(list) {
    return this.#write(["documents", "changes"], ({ documents, changes }) => {
      documents.delete([list]);
      changes.delete(all(list));
    });
  }

  /** Deletes everything except the steps that are not sent. */
  forget() {
    const names = ["undo", "documents", "changes"];
    return this.#write(names, (opened) => {
      for (const name of names) opened[name].clear();
    });
  }

  /** If storage is full or forbidden, nothing is kept when the window is closed. @returns whether it was written */
  async #write(names, act) {
    try {
      const database = await this.#open();
      const transaction = database.transaction(names, "readwrite");
      act(Object.fromEntries(names.map((name) => [name, transaction.objectStore(name)])));
      await new Promise((resolve, reject) => {
        transaction.oncomplete = resolve;
        transaction.onabort = () => reject(transaction.error);
      });
      return true;
    } catch {
      return false; // a step is still sent while the window is open
    }
  }

  async #read(name, act, otherwise) {
    try {
      const database = await this.#open();
      return await result(act(database.transaction(name).objectStore(name)));
    } catch {
      return otherwise;
    }
  }

  #open() {
    this.#database ??= new Promise((resolve, reject) => {
      const request = indexedDB.open(this.#name, 2);
      request.onupgradeneeded = () => {
        for (const [name, keyPath] of Object.entries(stores)) {
          if (!request.result.objectStoreNames.contains(name))
            request.result.createObjectStore(name, { keyPath });
        }
      };
      request.onsuccess = () => {
        // Another window deletes the database or upgrades it: do not block that.
        request.result.onversionchange = () => {
          request.result.close();
          this.#database = undefined;
        };
        resolve(request.result);
      };
      request.onerror = () => reject(request.error);
    });
    return this.#database;
  }
}

/** The keys of all records of a list. */
function all(list) {
  return IDBKeyRange.bound([list], [list, []]);
}

function result(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/**
 * @param storage "indexeddb" or "memory"
 * @param name the name of the database
 */
export function makeJournal(storage, name) {
  return storage === "memory" || !globalThis.indexedDB
    ? new MemoryJournal()
    : new StoredJournal(name);
}
