// Steps that the server has not answered yet, kept where they survive the window.
import { makeID } from "./api.js";

const prefix = (list) => `reorderd queue ${list} `;

export class Queue {
  #key;

  /** Takes over what earlier windows left. A step that two windows send is done once, by its id. */
  constructor(list) {
    this.#key = prefix(list) + makeID();
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

  save(steps) {
    const plain = steps.map(({ back, version, inFlight, ...step }) => step);
    write(this.#key, plain.length > 0 ? JSON.stringify(plain) : null);
  }
}

function keys(list) {
  try {
    return Object.keys(localStorage).filter((key) => key.startsWith(prefix(list)));
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
  } catch {
    // Nothing to be done about it.
  }
}
