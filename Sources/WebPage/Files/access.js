// The token for a server that requires one.
//
// This browser stores it until it is removed or replaced. The page sends it only in the Authorization field of requests to its
// own server. A link to a list has its token after the # of the address, from where it is removed at once. It never replaces
// a token that the person has entered: then it is only for this window. Without storage, tokens and links are lost when the window
// closes.
import { sharedTexts, windowTexts } from "./storage.js";

const key = "reorderd token";
const linkKey = "reorderd link";
const link = /^#([^/]+)\/([A-Za-z0-9._~+/-]+=*)$/;
/** The token of a link; null without one. */
let linked = takeLink() ?? windowTexts.get(linkKey);
let token = sharedTexts.get(key);
if (token === null) linked ??= sharedTexts.get(linkKey);

/** Events: `wanted` (detail: why the server did not accept the token), `ended` (the link), `changed`. */
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
  windowTexts.remove(linkKey);
  if (wasLinked) sharedTexts.remove(linkKey);
  linked = null;
  if (text !== null || !wasLinked) {
    token = text;
    if (text === null) sharedTexts.remove(key);
    else sharedTexts.set(key, text);
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
  access.dispatchEvent(new CustomEvent(linked ? "ended" : "wanted", { detail: why }));
}

/** Stores the token of a link. @returns it; null if the address has none */
function takeLink() {
  const [, list, text] = link.exec(location.hash) ?? [];
  if (!text) return null;
  history.replaceState(history.state, "", `#${list}`);
  windowTexts.remove("reorderd me"); // the rights of an earlier link
  const isOnly = sharedTexts.get(key) === null;
  windowTexts.set(linkKey, text);
  if (isOnly) sharedTexts.set(linkKey, text);
  return text;
}

// The person entered a token in another window.
addEventListener("storage", (event) => {
  if (!sharedTexts.isSourceOf(event, key) || linked !== null || event.newValue === token) return;
  token = event.newValue;
  access.dispatchEvent(new Event("changed"));
});
// The person opened a link in this window. It begins again as another person.
addEventListener("hashchange", () => {
  if (takeLink() !== null) location.reload();
});
