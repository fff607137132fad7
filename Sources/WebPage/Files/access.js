// The token for a server that requires one.
//
// This browser stores it until it is removed or replaced. The page sends it only in the Authorization field of requests to its
// own server. A link to a list has its token after the # of the address, from where it is removed at once. If the browser has
// another token, the link is only for this window.

const key = "reorderd token";
const link = /^#([^/]+)\/([A-Za-z0-9._~+/-]+=*)$/;
let token = takeLink() ?? read();

/** Events: `wanted` (detail: why the server did not accept the token), `changed`. */
export const access = new EventTarget();

export function currentToken() {
  return token || null;
}

export function hasToken() {
  return Boolean(token);
}

/** Whether the token is only for this window. */
export function isForWindow() {
  try {
    return sessionStorage.getItem(key) !== null;
  } catch {
    return false;
  }
}

/** @param text the new token; null removes the old one */
export function setToken(text) {
  const wasForWindow = isForWindow();
  token = text;
  try {
    if (wasForWindow) sessionStorage.removeItem(key);
    if (text !== null) localStorage.setItem(key, text);
    else if (!wasForWindow) localStorage.removeItem(key);
  } catch {
    // Without storage, the token is lost when the window closes.
  }
  if (wasForWindow) location.reload();
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

function read() {
  try {
    return sessionStorage.getItem(key) ?? localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Stores the token of a link. @returns it; null if the address has none */
function takeLink() {
  const [, list, text] = link.exec(location.hash) ?? [];
  if (!text) return null;
  history.replaceState(history.state, "", `#${list}`);
  try {
    const own = localStorage.getItem(key) ?? text;
    if (own === text) sessionStorage.removeItem(key);
    (own === text ? localStorage : sessionStorage).setItem(key, text);
  } catch {
    // Without storage, the link is lost when the window closes.
  }
  return text;
}

// The person entered a token in another window.
addEventListener("storage", (event) => {
  if (event.storageArea !== localStorage || isForWindow()) return;
  if (event.key !== key || event.newValue === token) return;
  token = event.newValue;
  access.dispatchEvent(new Event("changed"));
});
// The person opened a link in this window. It begins again as another person.
addEventListener("hashchange", () => {
  if (takeLink() !== null) location.reload();
});
