// Writing directions.

const letter = /\p{L}/u;
/** Hebrew, Arabic, and the other scripts that are written from right to left. */
const rightToLeft =
  /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
/** The first titles decide the direction of a list. */
const mostTitles = 100;

/** The direction of a list: that of most of its titles. O(1) */
export function directionOf({ settings, tasks }) {
  const titles = [settings.title];
  for (const { title } of tasks.values()) {
    if (titles.push(title) === mostTitles) break;
  }
  return directionOfMost(titles);
}

/** Sets the direction of an element. The browser would compute the styles of all elements inside again even if it is the same. */
export function direct(element, direction) {
  if (element.dir !== direction) element.dir = direction;
}

/** The direction of most of the texts: `rtl` or `ltr`. The first letter of a text decides. */
export function directionOfMost(texts) {
  let balance = 0;
  for (const text of texts) {
    const [first] = text.match(letter) ?? [];
    if (first) balance += rightToLeft.test(first) ? 1 : -1;
  }
  return balance > 0 ? "rtl" : "ltr";
}
