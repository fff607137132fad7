// Loads the second script of the page when it is needed. The document names it, so the service worker stores it.

let loaded;

/** What `later.js` exports. After a failure, the next call tries again. */
export function later() {
  loaded ??= import("./later.js").catch((error) => {
    loaded = undefined;
    throw error;
  });
  return loaded;
}

/** An object of the second script, which is made when it is first needed. */
export class Later {
  /** The object; null before. */
  made = null;
  #complain;
  #name;
  #parameters;

  /**
   * @param complain is called if the script can't be loaded
   * @param name of the class
   */
  constructor(complain, name, ...parameters) {
    this.#complain = complain;
    this.#name = name;
    this.#parameters = parameters;
  }

  /** @returns the object; null if the script can't be loaded */
  async load() {
    const classes = await later().catch(() => null);
    if (classes) this.made ??= new classes[this.#name](...this.#parameters);
    else this.#complain();
    return this.made;
  }

  /** Calls a method of the object, unless the script can't be loaded, or the person has gone to another list meanwhile. */
  async call(method, ...about) {
    const { hash } = location;
    const made = await this.load();
    return hash === location.hash ? made?.[method](...about) : undefined;
  }
}
