// What a person has typed in this window and not saved: for each list the title of a new task with its place, and the title that
// replaces another one. It survives another list and a reload.

const key = "reorderd drafts";
const drafts = new Map(Object.entries(stored()));

/** @returns `text` and `target` of the new task, and `rename`: `key` (of a row; null: the list) and `text` */
export function draftOf(list) {
  return { text: "", target: null, rename: null, ...drafts.get(list) };
}

/** Keeps some members of a draft. */
export function keepDraft(list, change) {
  const draft = { ...draftOf(list), ...change };
  if (draft.text || draft.rename) drafts.set(list, draft);
  else drafts.delete(list);
  try {
    if (drafts.size === 0) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, JSON.stringify(Object.fromEntries(drafts)));
  } catch {
    // Without storage, drafts are lost when the window is reloaded.
  }
}

/** The title that a step gives something; undefined if a person did not type one. */
export function typedIn({ kind, task, set, title }) {
  switch (kind) {
    case "create":
      return task.title;
    case "update":
    case "list":
      return set.title;
    case "section-create":
    case "section-rename":
      return title;
    default:
      return undefined;
  }
}

function stored() {
  try {
    return JSON.parse(sessionStorage.getItem(key)) ?? {};
  } catch {
    return {};
  }
}
