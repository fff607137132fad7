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

const keyIn = (record, path) =>
  Array.isArray(path) ? path.map((name) => record[name]) : record[path];

/** A request that succeeds or, with an `error`, fails. Its handler is called after the caller has set it. */
function request(result, { ready = Promise.resolve(), error } = {}) {
  const made = { result, error };
  ready.then(() => (error ? made.onerror?.() : made.onsuccess?.()));
  return made;
}

class Store {
  /** Resolves when reads may be answered. */
  reads = Promise.resolve();
  /** What the storage does with a record that is written; an error refuses it. */
  onWrite = () => null;
  records = [];
  name;
  #keyPath;
  #next;
  #indexes = new Map();

  constructor(name, { keyPath, autoIncrement }) {
    this.name = name;
    this.#keyPath = keyPath;
    this.#next = autoIncrement ? 1 : undefined;
  }

  createIndex(name, path) {
    this.#indexes.set(name, path);
  }

  index(name) {
    const path = this.#indexes.get(name);
    return {
      getKey: (key) => request(this.#found(key, path)[0]?.[this.#keyPath], { ready: this.reads }),
      getAll: (key) => request(this.#found(key, path), { ready: this.reads }),
    };
  }

  put(value) {
    const record = structuredClone(value);
    const error = this.onWrite(record);
    if (error) return request(undefined, { error });
    if (this.#next !== undefined) {
      record[this.#keyPath] ??= this.#next;
      this.#next = Math.max(this.#next, record[this.#keyPath] + 1);
    }
    const key = keyIn(record, this.#keyPath);
    this.delete(key);
    this.records.push(record);
    this.records.sort((a, b) => compare(keyIn(a, this.#keyPath), keyIn(b, this.#keyPath)));
    return request(key);
  }

  add(value) {
    return this.put(value);
  }

  delete(query) {
    const gone = new Set(this.#matching(query));
    this.records = this.records.filter((record) => !gone.has(record));
    return request();
  }

  clear() {
    this.records = [];
    return request();
  }

  get(key) {
    return request(this.#found(key)[0]);
  }

  getAll(query) {
    return request(this.#found(query), { ready: this.reads });
  }

  #found(query, path) {
    return structuredClone(this.#matching(query, path));
  }

  #matching(query, path = this.#keyPath) {
    if (query === undefined) return this.records;
    const has = (key) => (query instanceof KeyRange ? query.has(key) : compare(key, query) === 0);
    return this.records.filter((record) => has(keyIn(record, path)));
  }
}

class Database {
  stores = new Map();
  version = 0;
  connections = new Set();
  objectStoreNames = { contains: (name) => this.stores.has(name) };

  createObjectStore(name, options) {
    const store = new Store(name, options);
    this.stores.set(name, store);
    return store;
  }

  deleteObjectStore(name) {
    this.stores.delete(name);
  }

  connect() {
    const connection = {
      isClosed: false,
      objectStoreNames: this.objectStoreNames,
      createObjectStore: (...parts) => this.createObjectStore(...parts),
      deleteObjectStore: (name) => this.deleteObjectStore(name),
      transaction: () => {
        if (connection.isClosed) throw new DOMException("closed", "InvalidStateError");
        return this.transaction();
      },
      close: () => this.connections.delete(connection),
    };
    this.connections.add(connection);
    return connection;
  }

  transaction() {
    let failure = null;
    const made = {
      objectStore: (name) => {
        const store = this.stores.get(name);
        const { onWrite } = store;
        return Object.assign(Object.create(store), {
          put: (value) => watch(store.put(value)),
          add: (value) => watch(store.put(value)),
          delete: (query) => store.delete(query),
          clear: () => store.clear(),
          get: (key) => store.get(key),
          getAll: (query) => store.getAll(query),
          index: (one) => store.index(one),
          createIndex: (...parts) => store.createIndex(...parts),
          onWrite,
        });
      },
    };
    const watch = (one) => {
      failure ??= one.error;
      return one;
    };
    setTimeout(() => {
      made.error = failure;
      if (failure) made.onabort?.();
      else made.oncomplete?.();
    });
    return made;
  }
}

/**
 * Installs an empty storage.
 * @returns a function that returns all records of the stores with a name. It has functions: `hold` keeps reads of these stores waiting, and
 *   returns a function that answers them; `refuse` lets writes of these stores fail with this error (null: no more); `close` closes all
 *   connections, with an event or without; `clear` also deletes everything, as a person can
 */
export function installStorage() {
  const databases = new Map();
  globalThis.IDBKeyRange = KeyRange;
  globalThis.indexedDB = {
    open(name, version = 1) {
      const opening = {};
      queueMicrotask(() => {
        if (!databases.has(name)) databases.set(name, new Database());
        const database = databases.get(name);
        opening.result = database.connect();
        const { version: oldVersion } = database;
        if (oldVersion < version) {
          database.version = version;
          opening.transaction = database.transaction();
          opening.onupgradeneeded?.({ oldVersion });
        }
        setTimeout(() => opening.onsuccess?.());
      });
      return opening;
    },
  };
  const stores = (name) =>
    [...databases.values()].flatMap(({ stores: all }) => all.get(name) ?? []);
  const records = (name) => stores(name).flatMap((store) => store.records);
  records.hold = (name) => {
    const releases = stores(name).map((store) => {
      let release;
      store.reads = new Promise((resolve) => {
        release = resolve;
      });
      return release;
    });
    return () => releases.forEach((release) => release());
  };
  records.refuse = (name, error) => {
    for (const store of stores(name)) store.onWrite = () => error;
  };
  records.close = ({ isQuiet = false } = {}) => {
    const connections = [...databases.values()].flatMap((database) => [...database.connections]);
    for (const connection of connections) {
      connection.isClosed = true;
      if (!isQuiet) connection.onclose?.();
    }
  };
  records.clear = () => {
    const all = [...databases.values()];
    databases.clear();
    for (const { connections } of all)
      for (const connection of connections) {
        connection.isClosed = true;
        connection.onclose?.();
      }
  };
  return records;
}

/** Removes the storage. */
export function removeStorage() {
  delete globalThis.indexedDB;
  delete globalThis.IDBKeyRange;
}
