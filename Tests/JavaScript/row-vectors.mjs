// The drops in Tests/Fixtures/row-layout.json, which the engine has made.
import { readFileSync } from "node:fs";
import { List } from "../../clients/javascript/list.js";
import { documentOf } from "./outlines.mjs";

export const { lists } = JSON.parse(
  readFileSync(new URL("../Fixtures/row-layout.json", import.meta.url)),
);

/** The list of an outline such as `a! b+(b1) #s c`: locked tasks, collapsed tasks, subtasks, and sections. */
export function listOf(outline, moves) {
  const entries = [];
  let depth = 0;
  for (const [, hash, id, flags, parenthesis] of outline.matchAll(/(#?)(\w+)([!+]*)|([()])/g)) {
    if (parenthesis) depth += parenthesis === "(" ? 1 : -1;
    else if (hash) entries.push({ section: id });
    else entries.push({ id, depth, locked: flags.includes("!"), isFolded: flags.includes("+") });
  }
  const document = documentOf(entries, { moves });
  for (const [index, { isFolded }] of entries.filter(({ id }) => id).entries())
    document.tasks[index].collapsed = isFolded;
  return new List(document);
}

/** The code of a refusal, from the engine's name of it. */
export function codeOf(name) {
  return name?.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) ?? null;
}
