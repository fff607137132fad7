// What a person has typed in this window and not saved: for each list the title of a new task with its place, the title that replaces
// another one, and a field of a task’s details. It survives another list and a reload.
import { windowTexts } from "./storage.js";
import { storeValue, storedValue } from "./stored-values.js";

const key = "reorderd drafts";
/** The time in which the browser has stored a step. */
const millisecondsUntilStored = 1_000;
const drafts = new Map(Object.entries(storedValue(windowTexts, key, {})));

/**
 * @returns `text`, `target` and `due` of the new task, `rename`: `key` (of a row; null: the list) and `text`, and `detail`: `task`, the
 *   `name` of the field, and `text`
 */
export function draftOf(list) {
  return { text: "", target: null, due: null, rename: null, detail: null, ...drafts.get(list) };
}

/** Keeps some members of a draft. */
export function keepDraft(list, change) {
  setDraft(list, change);
  store();
}

/**
 * Forgets a text that was saved: `rename` or `detail`. The browser forgets it a moment later: a field that loses the focus because the page is being closed
 * saves a title too, and then the step is perhaps not stored.
 */
export function forgetDraft(list, name) {
  setDraft(list, { [name]: null });
  setTimeout(store, millisecondsUntilStored);
}

function setDraft(list, change) {
  const draft = { ...draftOf(list), ...change };
  if (draft.text || draft.rename || draft.detail) drafts.set(list, draft);
  else drafts.delete(list);
}

function store() {
  storeValue(windowTexts, key, drafts.size === 0 ? null : Object.fromEntries(drafts));
}

/** The title that a step gives something; undefined if a person did not type one. */
export function typedIn({ kind, task, set, title }) {
  switch (kind) {
    case "create":
      return task.title;
    case "update":
      return set.title ?? set.data?.notes ?? undefined;
    case "list":
      return set.title;
    case "section-create":
    case "section-rename":
      return title;
    default:
      return undefined;
  }
}
