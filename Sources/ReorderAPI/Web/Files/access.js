// The token that the page shows to a server that asks for one.
//
// It is kept in this browser until it is forgotten or replaced, as the steps are that wait to be sent.
// It goes nowhere but into the Authorization field of requests to the page's own server.

const key = "reorderd token";
let token = read();

/** Events: `wanted` (detail: why the server did not take what it was shown), `changed`. */
export const access = new EventTarget();

/** The fields that let a request in. */
export function credentials() { return token ? { Authorization: `Bearer ${token}` } : {}; }

export function hasToken() { return Boolean(token); }

/** @param text the new one; null forgets the old one */
export function setToken(text) {
  token = text;
  try {
    if (text === null) localStorage.removeItem(key);
    else localStorage.setItem(key, text);
  } catch {
    // Without storage it lives as long as the window.
  }
  access.dispatchEvent(new Event("changed"));
}

/**
 * Asks for one, or for another.
 * @param shown the fields with which the server refused; it may have been shown another one since
 */
export function wantToken(why, shown) {
  if (shown.Authorization !== credentials().Authorization) return;
  access.dispatchEvent(new CustomEvent("wanted", { detail: why }));
}

function read() {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

// Another window has been given one.
addEventListener("storage", (event) => {
  if (event.key !== key || event.newValue === token) return;
  token = event.newValue;
  access.dispatchEvent(new Event("changed"));
});
