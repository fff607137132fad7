// What the browser stores for a page. A browser can forbid storage, delete what it holds, close a database at any time, never open it, or
// have no room. Nothing here throws because of that: it works without storage, reports that, and tries again at the next use.
import { Emitter } from "./emitter.js";

/** After this time, a database counts as unavailable until the browser opens it after all. */
const longestOpeningMilliseconds = 3_000;
/** After this time, a transaction counts as lost. */
const longestTransactionMilliseconds = 15_000;
/** The errors that another attempt does not change: no room, or a value that cannot be stored. */
const lasting = new Set(["QuotaExceededError", "DataCloneError"]);

const { origin, pathname } = new URL(import.meta.url);
/** The path below which the server of this module is; empty if it has the whole origin, and for copies of the module elsewhere. */
const place = /^(.*)\/(?:web|client)\/[^/]+\/[^/]+$/.exec(pathname)?.[1] ?? "";
/** The address of the server of this module, without a slash at its end. */
export const home = `${origin}${place}`;

/**
 * The texts of `localStorage` or `sessionStorage`. Those that the browser does not store last until the page is closed. Servers below
 * several paths of an origin have texts of their own.
 */
class Texts {
  #name;
  #unstored = new Map();

  constructor(name) {
    this.#name = name;
  }

  /** @returns null if there is no text */
  get(key) {
    if (this.#unstored.has(key)) return this.#unstored.get(key);
    try {
      return globalThis[this.#name].getItem(place + key);
    } catch {
      return null;
    }
  }

  /** @returns whether the browser keeps the text */
  set(key, text) {
    try {
      globalThis[this.#name].setItem(place + key, text);
      this.#unstored.delete(key);
      return true;
    } catch {
      this.#unstored.set(key, String(text));
      return false;
    }
  }

  remove(key) {
    this.#unstored.delete(key);
    try {
      globalThis[this.#name].removeItem(place + key);
    } catch {
      // Nothing is stored.
    }
  }

  /** Whether an event `storage` of the window is about one of these texts: another window has changed it. */
  isSourceOf(event, key) {
    try {
      return event.storageArea === globalThis[this.#name] && event.key === place + key;
    } catch {
      return false;
    }
  }
}

/** Shared by the windows of an origin, also after they are closed. */
export const sharedTexts = new Texts("localStorage");
/** Of this window. They survive a reload. */
export const windowTexts = new Texts("sessionStorage");

/** The browser's databases; null without them. */
export function databases() {
  try {
    return globalThis.indexedDB ?? null;
  } catch {
    return null; // the browser forbids storage
  }
}

/** Asks the browser not to delete what is stored when it needs room. */
export async function keepStorage() {
  try {
    const { storage } = navigator;
    if (!(await storage.persisted())) await storage.persist();
  } catch {
    // The browser decides by itself.
  }
}

/**
 * A database of IndexedDB. It is opened at its first use, and again after the browser has closed it.
 *
 * Events: `usable` (`isUsable` has changed), `lost` (the browser has closed it, so what was stored may be gone), `renewed` (it is used again
 * after a failure).
 */
export class Database extends Emitter {
  /** Whether the last use of the database was possible. True before the first one, if the browser has databases. */
  isUsable = databases() !== null;
  #name;
  #version;
  #stores;
  #upgrade;
  /** `ready`, a promise of the open database, which fails after the time limit; null if it is neither open nor being opened. */
  #connection = null;
  #hasFailed = false;

  /**
   * @param stores the names of its stores
   * @param upgrade is called with the request and the former version, to make the stores of this version
   */
  constructor(name, version, stores, upgrade) {
    super();
    this.#name = name;
    this.#version = version;
    this.#stores = stores;
    this.#upgrade = upgrade;
  }

  /**
   * Changes stores in one transaction.
   * @param act gets the stores by their names, and can wait for the `result` of their requests
   * @returns `value`, what `act` has returned; null if nothing was written
   */
  write(names, act) {
    return this.#use(names, "readwrite", act);
  }

  /** Reads stores, like `write`. */
  read(names, act) {
    return this.#use(names, "readonly", act);
  }

  async #use(names, mode, act) {
    for (let attempt = 1; attempt <= 2; attempt += 1) {
      const connection = this.#connect();
      let database;
      try {
        database = await connection.ready;
      } catch {
        break;
      }
      try {
        const running = transact(database, names, mode, act);
        const value = await within(longestTransactionMilliseconds, running);
        this.#succeeded();
        return { value };
      } catch (error) {
        if (lasting.has(error?.name)) return null;
        // The browser has closed the database, or has lost the transaction.
        close(database);
        this.#lose(connection);
      }
    }
    this.#hasFailed = true;
    this.#setUsable(false);
    return null;
  }

  #connect() {
    if (this.#connection) return this.#connection;
    const connection = {};
    const opened = this.#open();
    connection.ready = within(longestOpeningMilliseconds, opened);
    connection.ready.catch(() => {}); // each use handles it
    this.#connection = connection;
    opened.then(
      (database) => {
        if (this.#connection !== connection) return close(database);
        connection.ready = opened;
        // Another window deletes the database or upgrades it: do not block that.
        database.onversionchange = () => {
          close(database);
          this.#lose(connection);
        };
        // The browser closes it, for example because the person deletes what is stored.
        database.onclose = () => {
          this.#lose(connection);
          this.#tryAgain();
        };
        if (this.#hasFailed) this.#tryAgain(); // it was opened after the time limit
        return undefined;
      },
      () => {
        if (this.#connection === connection) this.#connection = null;
      },
    );
    return connection;
  }

  async #open() {
    const request = databases().open(this.#name, this.#version);
    request.onupgradeneeded = ({ oldVersion }) => this.#upgrade(request, oldVersion);
    return result(request);
  }

  #lose(connection) {
    this.#hasFailed = true;
    if (this.#connection !== connection) return;
    this.#connection = null;
    this.emit("lost");
  }

  #tryAgain() {
    return this.read(this.#stores, () => {});
  }

  #succeeded() {
    if (!this.#hasFailed) return;
    this.#hasFailed = false;
    this.#setUsable(true);
    this.emit("renewed");
  }

  #setUsable(isUsable) {
    if (this.isUsable === isUsable) return;
    this.isUsable = isUsable;
    this.emit("usable");
  }
}

async function transact(database, names, mode, act) {
  const transaction = database.transaction(names, mode);
  const ended = new Promise((resolve, reject) => {
    transaction.oncomplete = resolve;
    transaction.onabort = () => reject(transaction.error);
  });
  const stores = Object.fromEntries(names.map((name) => [name, transaction.objectStore(name)]));
  // If the transaction aborts, its requests may have no result.
  const acted = Promise.resolve(act(stores));
  await Promise.race([ended, acted.then(() => ended)]);
  return acted;
}

function close(database) {
  try {
    database.close();
  } catch {
    // It is closed.
  }
}

/** The result of a request. */
export function result(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/** A promise that fails after a time. */
function within(milliseconds, promise) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("There was no answer.")), milliseconds);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
