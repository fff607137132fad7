// The token for a server that requires one.
//
// This browser stores it until it is removed or replaced. The page sends it only in the Authorization field of requests to its
// own server. A link to a list has its token after the # of the address, from where it is removed at once. It never replaces
// a token that the person has entered: then it is only for this window.

const key = "reorderd token";
const linkKey = "reorderd link";
const link = /^#([^/]+)\/([A-Za-z0-9._~+/-]+=*)$/;
/** The token of a link; null without one. */
let linked = takeLink() ?? read(sessionStorageOrNone(), linkKey);
let token = read(localStorageOrNone(), key);
if (token === null) linked ??= read(localStorageOrNone(), linkKey);

/** Events: `wanted` (detail: why the server did not accept the token), `changed`. */
export const access = new EventTarget();

export function currentToken() {
  return linked || token || null;
}

export function hasToken() {
  return currentToken() !== null;
}

/** The token of the link that this window uses; null without one. */
export function currentLink() {
  return linked;
}

/** @param text the new token; null removes the old one */
export function setToken(text) {
  const wasLinked = linked !== null;
  remove(sessionStorageOrNone(), linkKey);
  if (wasLinked) remove(localStorageOrNone(), linkKey);
  linked = null;
  if (text !== null || !wasLinked) {
    token = text;
    if (text === null) remove(localStorageOrNone(), key);
    else write(localStorageOrNone(), key, text);
  }
  // What is stored for a link is not for the person.
  if (wasLinked) location.reload();
  else access.dispatchEvent(new Event("changed"));
}

/**
 * Asks the person for a token.
 * @param refused the token that the server refused. If the page has another one by now, this does nothing.
 */
export function wantToken(why, refused) {
  if (refused !== currentToken()) return;
  access.dispatchEvent(new CustomEvent("wanted", { detail: why }));
}

/** Stores the token of a link. @returns it; null if the address has none */
function takeLink() {
  const [, list, text] = link.exec(location.hash) ?? [];
  if (!text) return null;
  history.replaceState(history.state, "", `#${list}`);
  remove(sessionStorageOrNone(), "reorderd me"); // the rights of an earlier link
  const isOnly = read(localStorageOrNone(), key) === null;
  if (isOnly) remove(sessionStorageOrNone(), linkKey);
  write(isOnly ? localStorageOrNone() : sessionStorageOrNone(), linkKey, text);
  return text;
}

// Without storage, tokens and links are lost when the window closes.

function localStorageOrNone() {
  try {
    return localStorage;
  } catch {
    return null;
  }
}

function sessionStorageOrNone() {
  try {
    return sessionStorage;
  } catch {
    return null;
  }
}

function read(storage, name) {
  return storage?.getItem(name) ?? null;
}

function write(storage, name, text) {
  try {
    storage?.setItem(name, text);
  } catch {
    // The storage is full.
  }
}

function remove(storage, name) {
  storage?.removeItem(name);
}

// The person entered a token in another window.
addEventListener("storage", (event) => {
  if (event.storageArea !== localStorageOrNone() || linked !== null) return;
  if (event.key !== key || event.newValue === token) return;
  token = event.newValue;
  access.dispatchEvent(new Event("changed"));
});
// The person opened a link in this window. It begins again as another person.
addEventListener("hashchange", () => {
  if (takeLink() !== null) location.reload();
});
