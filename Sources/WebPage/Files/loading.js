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
