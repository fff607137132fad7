// The client of the examples in Examples/web and docs/clients/javascript.md, for their test: a list without a server. `run` does in
// two lists what the library of an example does at the end of a drag, and compares the rows with a plain array.
import { AppList } from "/clients/javascript/app-list.js";
import { makeJournal } from "/clients/javascript/journal.js";
import { List } from "/clients/javascript/list.js";
import { Refusal } from "/clients/javascript/refusal.js";
import { perform } from "/clients/javascript/steps.js";
import { documentOf, isRow, pathOf } from "/Tests/JavaScript/outlines.mjs";

/** Its steps are not sent. */
class LocalList extends AppList {
  make(step) {
    try {
      return { id: "step", steps: perform(this.tree, step, true).undo };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.refuse(step, error);
      return null;
    }
  }
}

const server = { clientID: "recipes", on() {}, emit() {} };
export const list = new LocalList(null, "list", server, makeJournal("memory"), {}, {});
globalThis.alert = () => {};

function show(document) {
  list.tree = new List(document);
  list.emit("change");
}

show(documentOf([]));

export function connect() {
  return { open: async () => list, sendPending() {} };
}

const items = () => [...document.querySelectorAll("li")];
/** What the page shows. Some recipes show a title beside other elements. */
const titles = () => items().map(({ textContent }) => textContent.trim());

/** A drag of the browser's own kind, onto the upper or the lower half of a row. Its place is given: measuring it would take long. */
function dragOnto({ from, onto, isBelow }) {
  const dragged = items()[from];
  if (!dragged.draggable) return null;
  dragged.dispatchEvent(new DragEvent("dragstart", { bubbles: true }));
  return () => {
    const item = items()[titles().indexOf(onto)];
    Object.defineProperty(item, "offsetHeight", { value: 40, configurable: true });
    const drop = new DragEvent("drop", { bubbles: true, cancelable: true });
    item.dispatchEvent(Object.defineProperty(drop, "offsetY", { value: isBelow ? 30 : 10 }));
  };
}

/** Moves an element as SortableJS does, and reports the same. */
function sort(item, to, newIndex) {
  const from = item.parentElement;
  const oldIndex = [...from.children].indexOf(item);
  const { onStart, onEnd } = from.sortable;
  onStart({ item, from, oldIndex });
  return () => {
    item.remove();
    to.insertBefore(item, to.children[newIndex] ?? null);
    onEnd({ item, from, to, oldIndex, newIndex });
  };
}

const tick = () => new Promise((resolve) => setTimeout(resolve));

/** The same with SortableJS itself, which gets the events of a browser's own drag. */
function dragTo(item, to, newIndex) {
  const event = (type, target, y) => {
    const { right, top } = target.getBoundingClientRect();
    const place = { clientX: right - 5, clientY: top + y, bubbles: true, cancelable: true };
    const isPointer = type.startsWith("pointer");
    const made = isPointer ? new PointerEvent(type, place) : new DragEvent(type, place);
    target.dispatchEvent(made);
    return tick();
  };
  return async () => {
    await event("pointerdown", item, 5);
    await event("dragstart", item, 5);
    // After it has moved an element, SortableJS ignores events for a moment. First into an empty container, or behind its rows.
    while (item.parentElement !== to) await event("dragover", to, to.clientHeight - 1);
    while (to.children[newIndex] !== item) await event("dragover", to.children[newIndex], 5);
    await event("drop", item, 5);
  };
}

/**
 * The drops that a recipe can make of the shown row `from`: each has `act`, which begins the drag and returns its end, and `above`: the
 * shown rows above the new place, with `section` if the place names it.
 */
const drops = {
  *plain(outline, from) {
    const rows = outline.filter(isRow);
    for (const [index, { id: onto }] of rows.entries())
      for (const isBelow of [false, true]) {
        const act = () => dragOnto({ from, onto, isBelow });
        yield { act, above: rows.slice(0, isBelow ? index + 1 : index) };
      }
  },
  *sortable(outline, from) {
    const others = outline.filter(isRow).filter((_, index) => index !== from);
    for (let index = 0; index <= others.length; index += 1) {
      const act = () => sort(items()[from], items()[from].parentElement, index);
      yield { act, above: others.slice(0, index) };
    }
  },
  *sections(outline, from) {
    const dragged = outline.filter(isRow)[from];
    const others = outline.filter((entry) => entry !== dragged);
    for (let index = 0; index <= others.length; index += 1) {
      const { section, row } = pathOf(others, index);
      const to = () => [...document.querySelectorAll("ul")].find((one) => one.section === section);
      const act = () => sort(items()[from], to(), row);
      yield { act, above: others.slice(0, index), section, to, row };
    }
  },
  *sortablejs(outline, from) {
    for (const { to, row, ...drop } of drops.sections(outline, from))
      yield { ...drop, act: () => dragTo(items()[from], to(), row) };
  },
  *arrayMove(outline, from) {
    const rows = outline.filter(isRow);
    const others = rows.filter((_, index) => index !== from);
    for (const [index, { id }] of rows.entries()) {
      const end = { active: { id: rows[from].id }, over: { id } };
      const act = () => globalThis.beginDrag(end);
      yield { act, above: others.slice(0, index) };
    }
  },
};
drops.react = drops.plain;

/** A list without sections, and one with an empty section. */
const [a, b, c] = ["a", "b", "c"].map((id) => ({ id, depth: 0 }));
const outlines = [
  [a, b, c],
  [a, b, { section: "s0" }, c, { section: "s1" }],
];

/** Each drop in the outlines, mostly also while somebody else adds a row at the start. @returns the rows after each drop, and those that are right */
export async function run(recipe, every = 1) {
  const results = [];
  let number = 0;
  for (const outline of outlines)
    for (const [from, dragged] of outline.filter(isRow).entries())
      for (const { act, above, section } of drops[recipe](outline, from))
        for (const isAdded of recipe === "sortablejs" ? [false] : [false, true]) {
          number += 1;
          if (number % every !== 0) continue;
          show(documentOf(outline));
          await Promise.resolve(); // React shows it
          const end = act();
          if (isAdded) {
            const task = { id: "x", title: "x", section: null, parent: null, position: 0 };
            list.tree.apply({ op: "insert", task });
            list.emit("change");
            await Promise.resolve();
          }
          await end();
          const staying = outline.filter((entry) => isRow(entry) && entry !== dragged);
          staying.splice(above.filter((entry) => staying.includes(entry)).length, 0, dragged);
          const wanted = [...(isAdded ? ["x"] : []), ...staying.map(({ id }) => id)];
          if (section !== undefined) wanted.push(`in ${section}`);
          const shown = titles();
          if (section !== undefined)
            shown.push(`in ${list.rows.find(({ id }) => id === dragged.id).section}`);
          results.push([shown.join(" "), wanted.join(" ")]);
        }
  return results;
}
