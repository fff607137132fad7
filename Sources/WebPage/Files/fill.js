// Fills the document with words. `data-words` names the words for the text of an element, `data-words-placeholder` those for its
// placeholder, and so on.
import { element } from "./icons.js";
import { words as first } from "./language.js";

const prefix = "words";

/** A text in which each part in [brackets] is the element of a key. */
function withKeys(text) {
  return text
    .split(/[[\]]/)
    .map((part, index) => (index % 2 === 0 ? part : element("kbd", {}, part)));
}

/** Fills all places of these words. Those of the second script are filled when it is loaded. */
export function fill(words) {
  for (const place of document.querySelectorAll("*")) {
    for (const [name, path] of Object.entries(place.dataset)) {
      if (!name.startsWith(prefix)) continue;
      const text = path.split(".").reduce((group, member) => group?.[member], words);
      if (text === undefined) continue;
      const property = name.slice(prefix.length);
      if (name === prefix) place.append(...withKeys(text));
      else place[property[0].toLowerCase() + property.slice(1)] = text;
      delete place.dataset[name];
    }
  }
}

fill(first);
document.documentElement.lang = first.language;
document.body.hidden = false;
