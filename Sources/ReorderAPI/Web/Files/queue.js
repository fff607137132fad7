// Steps that the server has not answered yet, kept where they survive the window.
import { makeID } from "./api.js";

const prefix = "reorderd queue ";
const prefixOf = (list) => `${prefix}${list} `;

/** What other windows took over or sent: a key may be written here again before its removal is seen. */
const removed = new Set();
addEventListener("storage", ({ key, newValue }) => {
  if (newValue === null && key?.startsWith(prefix)) removed.add(key);
});

export class Queue {
  #key;
  #isKept = false;
  #isShared = false;

  /** Takes over what earlier windows left. A step that two windows send is done once, by its id. */
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

  /** Whether another window took them over, and sends them, too. */
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

/** The lists for which something waits. */
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

/** Where storage is full or forbidden, the steps live as long as the window. */
function write(key, value) {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
    return true;
  } catch {
    return false;
  }
}
