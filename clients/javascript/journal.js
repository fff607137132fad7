// The steps without a response, stored in the browser, so that they are kept when the window is closed.
//
// Each step is a record of its own, so adding or removing one does not write the others again. All windows of an origin share the
// journal. If two of them send the same step, the ids of its operations make sure that it is applied once.

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
}

class StoredJournal {
  #name;
  #database;

  constructor(name) {
    this.#name = name;
  }

  async add(list, step) {
    await this.#write((steps) => steps.put({ list, id: step.id, step }));
  }

  async remove(list, ids) {
    if (ids.length === 0) return;
    await this.#write((steps) => {
      for (const id of ids) steps.delete([list, id]);
    });
  }

  /** The stored steps of a list, in the order in which they were made. */
  async read(list) {
    const range = IDBKeyRange.bound([list], [list, []]);
    const records = await this.#read((steps) => steps.getAll(range));
    return records.map(({ step }) => step);
  }

  /** The lists with stored steps. */
  async lists() {
    return [...new Set((await this.#read((steps) => steps.getAllKeys())).map(([list]) => list))];
  }

  /** If storage is full or forbidden, the steps are lost when the window is closed. */
  async #write(act) {
    try {
      const database = await this.#open();
      const transaction = database.transaction("steps", "readwrite");
      act(transaction.objectStore("steps"));
      await new Promise((resolve, reject) => {
        transaction.oncomplete = resolve;
        transaction.onabort = () => reject(transaction.error);
      });
    } catch {
      // The step is still sent while the window is open.
    }
  }

  async #read(act) {
    try {
      const database = await this.#open();
      return await result(act(database.transaction("steps").objectStore("steps")));
    } catch {
      return [];
    }
  }

  #open() {
    this.#database ??= new Promise((resolve, reject) => {
      const request = indexedDB.open(this.#name, 1);
      request.onupgradeneeded = () =>
        request.result.createObjectStore("steps", { keyPath: ["list", "id"] });
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
