// The token for a server that requires one.
//
// This browser stores it until it is removed or replaced. The page sends it only in the Authorization field of requests to its
// own server.

const key = "reorderd token";
let token = read();

/** Events: `wanted` (detail: why the server did not accept the token), `changed`. */
export const access = new EventTarget();

export function currentToken() {
  return token || null;
}

export function hasToken() {
  return Boolean(token);
}

/** @param text the new token; null removes the old one */
export function setToken(text) {
  token = text;
  try {
    if (text === null) localStorage.removeItem(key);
    else localStorage.setItem(key, text);
  } catch {
    // Without storage, the token is lost when the window closes.
  }
  access.dispatchEvent(new Event("changed"));
}

/**
 * Asks the person for a token.
 * @param refused the token that the server refused. If the page has another one by now, this does nothing.
 */
export function wantToken(why, refused) {
  if (refused !== currentToken()) return;
  access.dispatchEvent(new CustomEvent("wanted", { detail: why }));
}

function read() {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

// The person entered a token in another window.
addEventListener("storage", (event) => {
  if (event.key !== key || event.newValue === token) return;
  token = event.newValue;
  access.dispatchEvent(new Event("changed"));
});
