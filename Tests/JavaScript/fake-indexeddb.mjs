// The parts of IndexedDB that the client uses, in memory. It survives the clients of a test, as a browser's storage survives windows.

/** The order of keys: arrays after texts, texts after numbers. */
function compare(one, other) {
  const kind = (key) => (Array.isArray(key) ? 2 : typeof key === "string" ? 1 : 0);
  if (kind(one) !== kind(other)) return kind(one) - kind(other);
  if (!Array.isArray(one)) return one < other ? -1 : one > other ? 1 : 0;
  for (const [index, part] of one.entries()) {
    if (index >= other.length) return 1;
    const order = compare(part, other[index]);
    if (order !== 0) return order;
  }
  return one.length - other.length;
}

class KeyRange {
  static bound(lower, upper) {
    return Object.assign(new KeyRange(), { lower, upper });
  }

  has(key) {
    return compare(this.lower, key) <= 0 && compare(key, this.upper) <= 0;
  }
}

class Store {
  /** Resolves when reads may be answered. */
  reads = Promise.resolve();
  #keyPath;
  #records = [];

  constructor(keyPath) {
    this.#keyPath = keyPath;
  }

  #keyOf(record) {
    return this.#keyPath.map((name) => record[name]);
  }

  put(value) {
    const record = structuredClone(value);
    this.delete(this.#keyOf(record));
    this.#records.push(record);
    this.#records.sort((one, other) => compare(this.#keyOf(one), this.#keyOf(other)));
    return request();
  }

  delete(query) {
    this.#records = this.#records.filter((record) => !this.#matches(record, query));
    return request();
  }

  clear() {
    this.#records = [];
    return request();
  }

  get(key) {
    return request(this.#found(key)[0]);
  }

  getAll(query) {
    return request(this.#found(query), this.reads);
  }

  get records() {
    return this.#records;
  }

  getAllKeys() {
    return request(this.#records.map((record) => this.#keyOf(record)));
  }

  #found(query) {
    return structuredClone(this.#records.filter((record) => this.#matches(record, query)));
  }

  #matches(record, query) {
    const key = this.#keyOf(record);
    return query instanceof KeyRange ? query.has(key) : compare(key, query) === 0;
  }
}

/** A request that has succeeded. Its handler is called after the caller has set it. */
function request(result, ready = Promise.resolve()) {
  const made = { result };
  ready.then(() => made.onsuccess?.());
  return made;
}

class Database {
  #stores = new Map();
  objectStoreNames = { contains: (name) => this.#stores.has(name) };

  createObjectStore(name, { keyPath }) {
    this.#stores.set(name, new Store(keyPath));
  }

  /** Keeps reads of all records waiting. @returns a function that answers them */
  hold(name) {
    let release;
    this.#stores.get(name).reads = new Promise((resolve) => {
      release = resolve;
    });
    return release;
  }

  records(name) {
    return this.#stores.get(name)?.records ?? [];
  }

  transaction() {
    const made = { objectStore: (name) => this.#stores.get(name) };
    setTimeout(() => made.oncomplete?.());
    return made;
  }
}

/**
 * Installs an empty storage.
 * @returns a function that returns all records of the stores with a name; `hold` keeps reads of these stores waiting, and returns a
 *   function that answers them
 */
export function installStorage() {
  const databases = new Map();
  globalThis.IDBKeyRange = KeyRange;
  globalThis.indexedDB = {
    open(name) {
      const isNew = !databases.has(name);
      if (isNew) databases.set(name, new Database());
      const opening = { result: databases.get(name) };
      queueMicrotask(() => {
        if (isNew) opening.onupgradeneeded?.();
        opening.onsuccess?.();
      });
      return opening;
    },
  };
  const records = (name) => [...databases.values()].flatMap((database) => database.records(name));
  records.hold = (name) => {
    const releases = [...databases.values()].map((database) => database.hold(name));
    return () => releases.forEach((release) => release());
  };
  return records;
}

/** Removes the storage. */
export function removeStorage() {
  delete globalThis.indexedDB;
  delete globalThis.IDBKeyRange;
}
