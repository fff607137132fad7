// The elements of rows, and their contents.
import { countDescendants, isLocked } from "./client.js";
import { foundParts } from "./fold-text.js";
import { element, icon, iconButton } from "./icons.js";
import { words } from "./language.js";
import { rights } from "./rights.js";
import { showLine } from "./task-line.js";
import { quoted } from "./words.js";

const { common, row: texts } = words;

const address = /https?:\/\/[^\s<>"“”]+/giu;
/** Punctuation after an address. A closing bracket belongs to it if it has an opening one. */
const after = /(?:[.,;:!?'’»…]|\)(?<!\([^()]*\))|\](?<!\[[^[\]]*\]))+$/u;

const taskTemplate = (() => {
  const cell = element(
    "div",
    { className: "cell", role: "gridcell" },
    iconButton("delete", "remove"),
    element("button", { type: "button", className: "tick", role: "checkbox" }, icon("tick")),
    element("span", { className: "title", dir: "auto" }),
    element(
      "button",
      { type: "button", className: "fold" },
      element("span", { className: "count" }),
      icon("fold"),
    ),
    iconButton("add", "add"),
    iconButton("info", "info", { "aria-haspopup": "dialog" }),
    iconButton("more", "more", { "aria-haspopup": "menu" }),
    element(
      "button",
      { type: "button", className: "handle", "data-handle": "" },
      icon("handle"),
      icon("lock"),
    ),
    element("div", { className: "line", "aria-hidden": "true" }),
  );
  return element("div", { className: "row task", role: "row" }, cell);
})();

const sectionTemplate = element(
  "div",
  { className: "row section", role: "row" },
  element(
    "div",
    { className: "cell", role: "gridcell" },
    iconButton("delete", "remove"),
    element("h2", { className: "title", dir: "auto" }),
    element("span", { className: "count" }),
    iconButton("add", "add"),
    iconButton("more", "more", { "aria-haspopup": "menu" }),
    element("button", { type: "button", className: "handle", "data-handle": "" }, icon("handle")),
  ),
);

const adderTemplate = element(
  "div",
  { className: "row adder", role: "row" },
  element(
    "div",
    { className: "cell", role: "gridcell" },
    element("button", { type: "button", className: "append" }, icon("add"), common.addTask),
  ),
);

/** The parts of each row's element, in their order. */
const partsOf = new WeakMap();

function makeFrom(template, key) {
  const made = template.cloneNode(true);
  made.dataset.key = key;
  partsOf.set(made, [...made.firstChild.children]);
  return made;
}

const adders = new WeakMap();

/** The row at the end of a section that adds a task there. It is always the same object. */
export function adderOf(section) {
  const made = { key: `add ${section.id ?? ""}`, kind: "adder", section, depth: 0 };
  if (!adders.has(section)) adders.set(section, made);
  return adders.get(section);
}

/** Creates the element of a row; `updateRow` fills it. */
export function makeRow({ kind, key, task, section }) {
  switch (kind) {
    case "task": {
      const made = makeFrom(taskTemplate, key);
      made.dataset.task = task.id;
      return made;
    }
    case "section": {
      const made = makeFrom(sectionTemplate, key);
      made.dataset.section = section.id;
      return made;
    }
    case "adder":
      return makeFrom(adderTemplate, key);
    default:
      return element("div", { className: "row blank", role: "presentation" });
  }
}

/**
 * Brings an element up to date.
 * @param page knows the selected, active and lifted rows, and the mode
 * @returns whether the height may have changed
 */
export function updateRow(made, row, index, page) {
  moveRow(made, row, index, page);
  setDepth(made, row.depth);
  switch (row.kind) {
    case "task":
      return updateTask(made, row, page);
    case "section":
      return updateSection(made, row, page);
    case "adder":
      return updateAdder(made, row, page);
    default:
      made.style.height = `${row.height}px`;
      setFlags(made, { refused: row.isRefused, empty: row.isTask });
      return false;
  }
}

/** Brings an element up to date of which only the index has changed, and whether the lifted rows would land in it. */
export function moveRow(made, { key, kind }, index, page) {
  const place = String(index + 1);
  if (kind !== "blank" && made.ariaRowIndex !== place) made.ariaRowIndex = place;
  made.classList.toggle("onto", page.isOnto(key));
}

function setDepth(made, depth) {
  if (made.dataset.depth === String(depth)) return;
  made.dataset.depth = depth;
  made.style.setProperty("--depth", depth);
}

/** What the element of each task shows. */
const shownStates = new WeakMap();

function updateTask(made, { key, task, depth, position }, page) {
  const [remove, tick, title, fold, add, info, more, handle, line] = partsOf.get(made);
  const { mayEdit, mode } = page;
  const { isOn: isSelecting } = page.selected;
  const siblings = task.parent.children.length;
  const hasSubtasks = task.children.length > 0;
  const isFolded = page.folding.isFolded(task);
  const hidden = isFolded && hasSubtasks ? countDescendants(task) : 0;
  const locked = isLocked(page.list, task);
  const active = page.cursor.key === key;
  const selected = page.selected.has(key);
  const [lifted, held] = [page.isLifted(key), page.isHeld(key)];
  const elsewhere = page.dragElsewhere(key);
  const dragged = elsewhere && draggedBy(elsewhere);
  const said = [task.done && texts.done, locked && texts.locked, dragged, showLine(line, task)];
  // To set what is shown already would take most of the time of a change.
  const state = [task.title, depth, position, siblings, hasSubtasks, isFolded, hidden, active];
  state.push(selected, isSelecting, lifted, held, mayEdit, mode, page.search.text, ...said);
  const before = shownStates.get(made);
  if (before && state.every((value, index) => value === before[index])) return false;
  shownStates.set(made, state);
  made.setAttribute("aria-level", depth + 1);
  made.setAttribute("aria-posinset", position + 1);
  made.setAttribute("aria-setsize", siblings);
  if (hasSubtasks) made.setAttribute("aria-expanded", String(!isFolded));
  else made.removeAttribute("aria-expanded");
  made.setAttribute("aria-selected", String(selected));
  made.tabIndex = active ? 0 : -1;
  label(made, [task.title, ...said].filter(Boolean).join(", "));
  setFlags(made, {
    done: task.done,
    locked,
    selected,
    found: page.search.isOn,
    lifted,
    held,
    away: elsewhere !== undefined,
  });
  const inner = active ? 0 : -1;
  for (const button of [remove, tick, fold, add, info, more, handle]) button.tabIndex = inner;
  fold.hidden = !hasSubtasks;
  tick.setAttribute("aria-checked", String(isSelecting ? selected : task.done));
  tick.ariaReadOnly = mayEdit ? null : "true";
  fold.firstChild.textContent = hidden > 0 ? String(hidden) : "";
  const name = quoted(task.title);
  label(remove, texts.delete(name));
  label(tick, (isSelecting ? texts.select : texts.doneBox)(name));
  label(fold, isFolded ? texts.showSubtasks(name, hidden) : texts.hideSubtasks(name));
  if (hasSubtasks) fold.setAttribute("aria-expanded", String(!isFolded));
  label(add, texts.addSubtask(name));
  label(info, words.detail.open(name));
  label(more, common.actions(name));
  label(handle, (locked ? texts.isLocked : texts.move)(name));
  if (locked) handle.setAttribute("aria-disabled", "true");
  else handle.removeAttribute("aria-disabled");
  const beside = `${mode} ${hasSubtasks} ${hidden} ${depth} ${line.hidden}`;
  const differs = setTitle(made, title, task.title, beside, page.search.text);
  for (const link of title.querySelectorAll("a")) link.tabIndex = inner;
  return differs;
}

function draggedBy(drag) {
  return texts.draggedBy(rights.nameOf(drag) ?? texts.somebody);
}

function updateSection(made, { key, section }, page) {
  const active = page.cursor.key === key;
  made.tabIndex = active ? 0 : -1;
  made.setAttribute("aria-level", 1);
  const states = { found: page.search.isOn, lifted: page.isLifted(key), held: page.isHeld(key) };
  setFlags(made, states);
  const [remove, title, count, add, more, handle] = partsOf.get(made);
  showCount(made, count, section, page);
  for (const button of [remove, add, more, handle]) button.tabIndex = active ? 0 : -1;
  const name = quoted(section.title);
  label(remove, texts.deleteSection(name));
  label(add, common.addTaskTo(name));
  label(more, texts.sectionActions(name));
  label(handle, texts.moveSection(name));
  return setTitle(made, title, section.title, page.mode);
}

/** Shows the limit of a section, and on a board the number of its tasks. */
function showCount(made, count, { children, maxTasks }, { list, rows }) {
  const { length } = children;
  const most = maxTasks ?? list.settings.maxTasksPerSection;
  made.classList.toggle("full", Boolean(most) && length >= most);
  count.hidden = !rows.isBoard && !most;
  const text = most ? `${length}/${most}` : String(length);
  if (count.textContent !== text) count.textContent = text;
}

function updateAdder(made, { key, section }, page) {
  const active = page.cursor.key === key;
  made.setAttribute("aria-level", 1);
  made.tabIndex = active ? 0 : -1;
  const [add] = partsOf.get(made);
  add.tabIndex = made.tabIndex;
  label(add, section.id === null ? texts.addTaskAbove : common.addTaskTo(quoted(section.title)));
  return false;
}

function setFlags(made, flags) {
  for (const [name, isSet] of Object.entries(flags)) made.classList.toggle(name, isSet);
}

function label(button, text) {
  if (button.ariaLabel !== text) button.ariaLabel = text;
}

/** @returns whether the height may have changed: the title changed, or the elements next to it */
function setTitle(made, title, text, beside, found = "") {
  const differs = title.textContent !== text || made.dataset.beside !== beside;
  if (title.textContent !== text || (title.dataset.found ?? "") !== found) {
    title.replaceChildren(...titleNodes(text, found));
    title.dataset.found = found;
  }
  made.dataset.beside = beside;
  return differs;
}

/** The text of a title, with links for addresses, and marks on what a search for the text `found` finds. */
function titleNodes(title, found) {
  const nodes = [];
  let end = 0;
  const addText = (to) => nodes.push(...marked(title.slice(end, to), found));
  for (const match of title.matchAll(address)) {
    const href = match[0].replace(after, "");
    if (!URL.canParse(href)) continue;
    addText(match.index);
    const link = element("a", { href, target: "_blank", rel: "noopener noreferrer" });
    link.draggable = false; // the row is
    link.append(...marked(href, found));
    nodes.push(link);
    end = match.index + href.length;
  }
  addText(title.length);
  return nodes;
}

function marked(text, found) {
  return foundParts(text, found).map(([part, isFound]) =>
    isFound ? element("mark", {}, part) : part,
  );
}
