// The client of the recipes of docs/clients/javascript.md, for their test: a list without a server. `run` does in all small lists what
// the library of a recipe does at the end of a drag, and compares the list with a plain array of rows.
import { AppList } from "/clients/javascript/app-list.js";
import { makeJournal } from "/clients/javascript/journal.js";
import { List } from "/clients/javascript/list.js";
import { Refusal } from "/clients/javascript/refusal.js";
import { perform } from "/clients/javascript/steps.js";
import { expected, indexOfRow, takeOut } from "/Tests/JavaScript/model.mjs";
import {
  documentOf,
  isRow,
  lists,
  pathOf,
  textOf,
  variants,
} from "/Tests/JavaScript/small-lists.mjs";

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
let code = null;
list.on("refused", (refused) => {
  ({ code } = refused);
});
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

/** Drops rows while somebody else adds one at the start. @returns the results: the titles after each drop, and those that are right */
export async function runMeanwhile(recipe) {
  const outline = ["a", "b", "c"].map((id) => ({ id, depth: 0 }));
  const results = [];
  for (const from of outline.keys()) {
    for (const { act, above } of drops[recipe](outline, from)) {
      show(documentOf(outline));
      await Promise.resolve();
      const end = act();
      const task = { id: "x", title: "x", section: null, parent: null, position: 0 };
      list.tree.apply({ op: "insert", task });
      list.emit("change");
      await Promise.resolve();
      await end();
      const staying = outline.filter((_, index) => index !== from);
      const index = above.filter((row) => staying.includes(row)).length;
      staying.splice(index, 0, outline[from]);
      results.push([titles().join(" "), `x ${staying.map(({ id }) => id).join(" ")}`]);
    }
  }
  return results;
}

/**
 * Drops rows in small lists.
 * @param share see `lists`
 * @param every only each drop with a multiple of this number
 * @returns the number of drops, or a fault
 */
export async function run(recipe, share, every = 1) {
  let [count, number] = [0, 0];
  for (const outline of lists(share)) {
    for (const variant of variants(outline)) {
      const document = documentOf(variant.outline, variant.settings);
      const rows = variant.outline.filter(isRow);
      for (const from of rows.keys()) {
        const subject = [variant.outline.indexOf(rows[from])];
        const taken = takeOut(variant.outline, subject);
        for (const { act, above, section } of drops[recipe](variant.outline, from)) {
          number += 1;
          if (number % every !== 0) continue;
          show(document);
          code = null;
          await Promise.resolve(); // React shows it
          const end = act();
          if (!end) continue;
          await end();
          const staying = above.filter((entry) => taken.rest.includes(entry)).length;
          const index =
            section === undefined ? indexOfRow(variant.outline, subject, taken, staying) : staying;
          const [[, wanted]] = expected(variant, taken, index);
          const is = code ?? textOf(list.rows);
          const shown = list.rows.map(({ title }) => title);
          if (is !== wanted || titles().join() !== shown.join()) {
            const what = { ...variant, from, above, section };
            return `${JSON.stringify(what)}: ${is}, not ${wanted}; the page shows ${titles()}`;
          }
          count += 1;
        }
      }
    }
  }
  return count;
}
