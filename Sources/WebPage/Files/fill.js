// Fills the document with words. `data-words` names the words for the text of an element, `data-words-placeholder` those for its
// placeholder, and so on.
import { element } from "./icons.js";
import { words } from "./language.js";

const prefix = "words";

function named(path) {
  return path.split(".").reduce((group, name) => group[name], words);
}

/** A text in which each part in [brackets] is the element of a key. */
function withKeys(text) {
  return text
    .split(/[[\]]/)
    .map((part, index) => (index % 2 === 0 ? part : element("kbd", {}, part)));
}

for (const place of document.querySelectorAll("*")) {
  for (const [name, path] of Object.entries(place.dataset)) {
    const property = name.slice(prefix.length);
    if (name === prefix) place.append(...withKeys(named(path)));
    else if (name.startsWith(prefix))
      place[property[0].toLowerCase() + property.slice(1)] = named(path);
  }
}
document.documentElement.lang = words.language;
document.body.hidden = false;
