// The elements of the lists in the sidebar. An element stays the same while its row exists, so it keeps the focus.
import { element, icon, iconButton } from "./icons.js";
import { words } from "./language.js";
import { quoted } from "./words.js";

const { common, lists } = words;

const glideMilliseconds = 200;
/** With more rows, moves are not animated. */
const mostGliding = 200;

export class ListRows {
  items;
  #rows = [];
  /** The elements by the rows' keys. */
  #made = new Map();
  /** What each element shows. */
  #shown = new WeakMap();

  /** @param items the element for all rows */
  constructor(items) {
    this.items = items;
  }

  /**
   * Shows rows of a `ListOrder`, and marks the open list. O(rows), and only elements that change are touched
   * @returns the row that had the focus, if it has gone. Then the list of all rows has the focus
   */
  show(rows, current) {
    const focused = this.of(document.activeElement);
    this.#rows = rows;
    const before = [...this.#made.keys()];
    const made = new Map();
    for (const row of rows) {
      const item = this.#made.get(row.key) ?? make(row);
      made.set(row.key, item);
      const { entry, ...plain } = row;
      const isCurrent = row.list !== undefined && row.list.id === current;
      const text = JSON.stringify([plain, isCurrent]);
      if (this.#shown.get(item) === text) continue;
      this.#shown.set(item, text);
      update(item, row, isCurrent);
    }
    const isSame = before.length === rows.length && rows.every(({ key }, at) => key === before[at]);
    if (!isSame) this.#arrange([...made.values()]);
    this.#made = made;
    return focused && !made.has(focused.key) ? focused : null;
  }

  #arrange(wanted) {
    const { items } = this;
    const focused = items.contains(document.activeElement) ? document.activeElement : null;
    const tops = this.#tops();
    for (const [index, item] of wanted.entries()) {
      const here = items.children[index];
      if (here !== item) items.insertBefore(item, here ?? null);
    }
    while (items.children.length > wanted.length) items.lastChild.remove();
    // An element that moves in the document loses the focus. If its list has gone, no other list gets the focus.
    if (focused && focused !== document.activeElement)
      (focused.isConnected ? focused : items).focus({ preventScroll: true });
    this.#glide(tops);
  }

  /** The row of an element inside it. */
  of(target) {
    const key = target.closest("[data-part=items] > li")?.dataset.key;
    return this.#rows.find((row) => row.key === key);
  }

  /** The place of a row among all rows, from 1. */
  placeOf(key) {
    return this.#rows.findIndex((row) => row.key === key) + 1;
  }

  #tops() {
    if (this.#made.size > mostGliding) return new Map();
    return new Map([...this.#made.values()].map((item) => [item, top(item)]));
  }

  #glide(before) {
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    for (const [item, from] of before) {
      const way = item.isConnected ? from - top(item) : 0;
      if (way === 0) continue;
      const frames = [{ transform: `translateY(${way}px)` }, { transform: "none" }];
      item.animate(frames, { duration: glideMilliseconds, easing: "cubic-bezier(.2,.7,.2,1)" });
    }
  }
}

function top(item) {
  return item.getBoundingClientRect().top;
}

function make({ key, list, section }) {
  const item = element("li", {}, content(list, section));
  item.dataset.key = key;
  if (!list && section === undefined) item.append(iconButton("plain more", "more"));
  return item;
}

function content(list, section) {
  const name = element("span", { className: "name", dir: "auto" });
  if (section !== undefined) return element("h2", {}, name);
  const keys = { "aria-keyshortcuts": "Alt+ArrowUp Alt+ArrowDown" };
  if (!list) return element("button", { type: "button", ...keys }, icon("fold"), name);
  const link = { href: `#${list.id}`, draggable: false, ...keys };
  return element("a", link, name, element("span", { className: "count" }));
}

function update(item, { depth, list, folder, collapsed, section }, isCurrent) {
  item.style.setProperty("--depth", depth);
  item.setAttribute("aria-level", depth + 1);
  const [main, more] = item.children;
  main.querySelector(".name").textContent =
    (list ? list.title : (folder ?? section)) || common.untitled;
  if (folder !== undefined) main.setAttribute("aria-expanded", String(!collapsed));
  more?.setAttribute("aria-label", common.actions(quoted(folder)));
  if (!list) return;
  const open = list.open ?? null; // an older program did not count them
  main.lastChild.textContent = open === null ? "" : String(open);
  main.lastChild.setAttribute("aria-label", lists.open(open));
  main.lastChild.hidden = open === null;
  if (isCurrent) main.setAttribute("aria-current", "page");
  else main.removeAttribute("aria-current");
}
