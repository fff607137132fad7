// Loads the second script of the page when it is needed. The document names it, so the service worker stores it.
import { words } from "./language.js";

let loaded;

/** What `later.js` exports. After a failure, the next call tries again. */
export function later() {
  loaded ??= import("./later.js").catch((error) => {
    loaded = undefined;
    throw error;
  });
  return loaded;
}

/**
 * A part of the second script. It is made when it is first opened.
 * @param name the name of its class
 * @param parameters those of its constructor
 */
export function laterPart(notes, name, ...parameters) {
  let made;
  const make = async () => {
    const parts = await later().catch(() => notes.notify(words.detail.notLoaded));
    if (parts) made ??= new parts[name](...parameters);
    return made;
  };
  return {
    make,
    async open(...about) {
      return (await make())?.open(...about);
    },
    close() {
      made?.close();
    },
  };
}
