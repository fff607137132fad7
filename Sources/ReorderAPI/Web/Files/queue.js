// Pending steps, stored in the browser, so that they are kept when the window is closed.
import { makeID } from "./api.js";

const prefix = "reorderd queue ";
const prefixOf = (list) => `${prefix}${list} `;

/**
 * The keys that other windows removed, because they took over the steps or sent them. Looking for a key in the storage is not
 * enough: this window can write the key again before it sees the removal.
 */
const removed = new Set();
addEventListener("storage", ({ key, newValue }) => {
  if (newValue === null && key?.startsWith(prefix)) removed.add(key);
});

export class Queue {
  #key;
  #isKept = false;
  #isShared = false;

  /** Takes over the steps of earlier windows. If two windows send the same step, its id makes sure that it is applied once. */
  constructor(list) {
    this.#key = prefixOf(list) + makeID();
    this.adopted = [];
    const seen = new Set();
    for (const key of keys(list)) {
      for (const step of read(key)) {
        if (!seen.has(step.id)) this.adopted.push(step);
        seen.add(step.id);
      }
    }
    this.adopted.sort((one, other) => (one.id < other.id ? -1 : 1)); // ids grow with time
    this.save(this.adopted);
    for (const key of keys(list)) if (key !== this.#key) write(key, null);
  }

  /** Whether another window took over these steps, and sends them too. */
  get isShared() {
    this.#isShared ||= this.#isKept && (removed.has(this.#key) || !keys().includes(this.#key));
    return this.#isShared;
  }

  save(steps) {
    const plain = steps.map(({ back, version, ...step }) => step);
    const isKept = plain.length > 0;
    if (this.isShared && !isKept) {
      this.#isShared = false;
      removed.delete(this.#key);
    }
    this.#isKept = isKept && write(this.#key, JSON.stringify(plain));
    if (!isKept) write(this.#key, null);
  }
}

/** The lists with pending steps. */
export function waitingLists() {
  return new Set(keys().map((key) => key.split(" ")[2])); // ids have no spaces
}

function keys(list) {
  const start = list === undefined ? prefix : prefixOf(list);
  try {
    return Object.keys(localStorage).filter((key) => key.startsWith(start));
  } catch {
    return [];
  }
}

function read(key) {
  try {
    return JSON.parse(localStorage.getItem(key)) ?? [];
  } catch {
    return [];
  }
}

/** If storage is full or forbidden, the steps are lost when the window is closed. */
function write(key, value) {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
    return true;
  } catch {
    return false;
  }
}
