// What a person has typed in this window and not saved: for each list the title of a new task with its place, the title that replaces
// another one, and the fields of a task’s details. It survives another list and a reload. If the window is closed, the next one takes it.
import { currentLink } from "./access.js";
import { sharedTexts, windowTexts } from "./storage.js";
import { storeValue, storedValue } from "./stored-values.js";

const key = "reorderd drafts";
/** For the drafts of closed windows. Those of a link are not for the person. */
const leftKey = `reorderd left drafts ${currentLink()?.slice(-8) ?? ""}`.trim();
/** The fields of the details whose text is kept if their task has gone. */
export const prose = ["title", "notes", "url", "label"];
/** The time in which the browser has stored a step. */
const millisecondsUntilStored = 1_000;
const drafts = new Map(Object.entries(stored()));
/** If the browser has no room, it asks before it closes the page. */
let isStored = true;
addEventListener("beforeunload", (event) => isStored || event.preventDefault());
takeLeft();
addEventListener("pagehide", () => storeLeft([...left(), ...Object.entries(stored())]));
addEventListener("pageshow", ({ persisted }) => persisted && takeLeft());

function stored() {
  return storedValue(windowTexts, key, {});
}

/** The lists and drafts of closed windows. */
function left() {
  return storedValue(sharedTexts, leftKey, []);
}

function storeLeft(some) {
  storeValue(sharedTexts, leftKey, some.length === 0 ? null : some);
}

/** Takes the drafts of closed windows, except for lists for which this window has another draft. */
function takeLeft() {
  const others = left().filter(([list, draft]) => {
    const own = drafts.get(list);
    if (!own) drafts.set(list, draft);
    return own && JSON.stringify(own) !== JSON.stringify(draft);
  });
  store();
  storeLeft(others);
}

/**
 * @returns `text`, `target`, `section` and `due` of the new task, the id of what was `made` of the text, `rename`: `key` (of a row; null: the list) and `text`, and `fields`
 *   of the details: their `task`, their `texts` by their names, and the `name` of the last one
 */
export function draftOf(list) {
  const none = { text: "", target: null, section: null, due: null, made: null };
  return { ...none, rename: null, fields: null, ...drafts.get(list) };
}

/** All texts of a draft. */
export function textsOf(list) {
  const { text, rename, fields } = draftOf(list);
  const typed = [text, rename?.text, ...prose.map((name) => fields?.texts[name])];
  return typed.filter(Boolean);
}

/** Keeps some members of a draft. */
export function keepDraft(list, change) {
  setDraft(list, change);
  store();
}

/**
 * Changes some members of a draft whose text was saved. The browser changes them a moment later: if the page is being closed, the step
 * is perhaps not stored.
 */
export function forgetDraft(list, change) {
  setDraft(list, change);
  setTimeout(store, millisecondsUntilStored);
}

function setDraft(list, change) {
  const draft = { ...draftOf(list), ...change };
  if (draft.text || draft.rename || draft.fields) drafts.set(list, draft);
  else drafts.delete(list);
}

function store() {
  isStored = storeValue(windowTexts, key, drafts.size === 0 ? null : Object.fromEntries(drafts));
}

/** The text that a step gives something; undefined if a person did not type one. */
export function typedIn({ kind, task, set, title, steps, isTyped }) {
  switch (kind) {
    case "create":
      return task.title;
    case "update":
      return set.title ?? set.data?.notes ?? set.data?.url ?? undefined;
    case "list":
      return set.title;
    case "section-create":
      return `# ${title}`;
    case "section-rename":
      return title;
    case "group":
      return isTyped ? steps.map((one) => (one.task ?? one).title).join(" ") : undefined;
    default:
      return undefined;
  }
}
