// The form of steps: what the server would refuse because of its type or size is refused at once, in words for people.
import { merged } from "./merge-patch.js";
import { Refusal } from "./refusal.js";

// The server's limits.
const mostTitleBytes = 4_096;
const mostDataBytes = 8_192;
const mostDataLevels = 13;
const mostLevels = 16;

const id = /^(?!\.{1,2}$)[A-Za-z0-9._~-]{1,64}$/;

export const refuse = (detail) => {
  throw new Refusal("invalid_body", detail);
};

const isText = (value) => typeof value === "string";
export const isCount = (value) => Number.isSafeInteger(value) && value >= 0;
const bytesOf = (text) => new TextEncoder().encode(text).length;
export const quoted = (title) => `“${title.length > 40 ? `${title.slice(0, 39)}…` : title}”`;
const numbered = (count) => count.toLocaleString("en");

/** Checks a new list: its settings, sections and tasks. @returns it as plain JSON @throws {Refusal} */
export function checkedList({ id: listID, sections = [], tasks = [], ...settings }) {
  checkID(listID, "list");
  checkSettings(settings);
  if (!Array.isArray(sections)) refuse("The sections of a list must be an array.");
  for (const section of sections) {
    checkID(section?.id, "section");
    checkTitle(section.title, "section");
    checkData(section.data, `The section ${quoted(section.title)}`);
  }
  if (!Array.isArray(tasks)) refuse("The tasks of a list must be an array.");
  for (const { section, parent, position, ...task } of tasks) {
    checkNewTask(task, ["createdAt", "updatedAt", "completedAt"]);
    checkDestination({ section, parent, position });
  }
  return plain({
    id: listID,
    ...settings,
    ...(sections.length && { sections }),
    ...(tasks.length && { tasks }),
  });
}

export function plain(value) {
  try {
    return JSON.parse(JSON.stringify(value));
  } catch {
    return refuse("The data must be JSON.");
  }
}

export function checkTasks(tasks) {
  if (!Array.isArray(tasks) || !tasks.every(isText)) refuse("Tasks must be named by their ids.");
}

export function checkReference(section) {
  if (!isText(section)) refuse("A section must be named by its id.");
}

export function checkID(value, noun) {
  if (!isText(value) || !id.test(value))
    refuse(
      `The id of a ${noun} must have 1 to 64 of the characters A-Z, a-z, 0-9, “.”, “_”, “~” and “-”.`,
    );
}

export function checkTitle(title, noun) {
  if (!isText(title)) refuse(`The title of a ${noun} must be a text.`);
  if (title.includes("\0"))
    refuse(`The title ${quoted(title)} has a character that is not possible.`);
  const bytes = bytesOf(title);
  if (bytes > mostTitleBytes)
    refuse(
      `The title ${quoted(title)} is too long: it has ${numbered(bytes)} bytes, and can have ${numbered(mostTitleBytes)}.`,
    );
}

export function checkBoolean(value, name) {
  if (typeof value !== "boolean") refuse(`“${name}” must be true or false.`);
}

export function checkPosition(position) {
  if (position !== undefined && !isCount(position))
    refuse("A position must be a whole number from 0.");
}

export function checkDestination(to) {
  if (typeof to !== "object" || to === null) refuse("A destination must be an object.");
  checkNames(to, ["after", "before", "parent", "section", "position"], "A destination");
  for (const name of ["after", "before", "parent", "section"])
    if (!isText(to[name] ?? "")) refuse(`“${name}” of a destination must be an id or null.`);
  checkPosition(to.position);
}

function checkNames(value, names, subject) {
  for (const [name, one] of Object.entries(value))
    if (one !== undefined && !names.includes(name)) refuse(`${subject} has no member “${name}”.`);
}

const flags = ["done", "locked", "collapsed"];

export function checkNewTask(task, others = []) {
  checkNames(task, ["id", "title", "data", ...flags, ...others], "A new task");
  if (task.id !== undefined) checkID(task.id, "task");
  checkTitle(task.title, "new task");
  for (const name of flags) if (task[name] !== undefined) checkBoolean(task[name], name);
  checkData(task.data, `The task ${quoted(task.title)}`);
}

export function checkUpdate(set, task) {
  if (typeof set !== "object" || set === null) refuse("A change of a task must be an object.");
  checkNames(set, ["title", "done", "locked", "data"], "A change of a task");
  if (set.title !== undefined) checkTitle(set.title, "task");
  for (const name of flags) if (set[name] !== undefined) checkBoolean(set[name], name);
  checkPatch(set.data, task?.data, `The task ${quoted(task?.title ?? "")}`);
}

export function checkSettings(set, list) {
  if (typeof set !== "object" || set === null) refuse("The settings of a list must be an object.");
  const { title, elementsOffset, collapseSubElements, moves, maxDepth, data } = set;
  const names = ["title", "elementsOffset", "collapseSubElements", "moves", "maxDepth"];
  checkNames(set, [...names, "maxTasksPerSection", "tasksPerParent", "data"], "A list");
  if (title !== undefined) checkTitle(title, "list");
  if (elementsOffset !== undefined && !isCount(elementsOffset))
    refuse("The number of locked rows must be a whole number from 0.");
  if (collapseSubElements !== undefined) checkBoolean(collapseSubElements, "collapseSubElements");
  if (moves !== undefined && moves !== "anywhere" && moves !== "siblings")
    refuse("“moves” of a list must be “anywhere” or “siblings”.");
  if (maxDepth > mostLevels || !isLimit(maxDepth))
    refuse(`The levels of a list must be a whole number from 1 to ${mostLevels}, or null.`);
  for (const name of ["maxTasksPerSection", "tasksPerParent"])
    if (!isLimit(set[name])) refuse(`“${name}” of a list must be a whole number from 1, or null.`);
  checkPatch(data, list?.settings.data, `The list ${quoted(list?.settings.title ?? title ?? "")}`);
}

export const isLimit = (value) =>
  value === undefined || value === null || (isCount(value) && value > 0);

/** @param patch a merge patch of `former` */
export function checkPatch(patch, former, subject) {
  if (patch === undefined) return;
  checkData(patch, subject);
  checkData(merged(former, plain(patch)), subject);
}

export function checkData(data, subject) {
  if (data === undefined) return;
  let text;
  try {
    text = JSON.stringify(data);
  } catch {
    text = undefined; // a circle, or a number without a form in JSON
  }
  if (text === undefined) refuse(`${subject} can have only JSON as its data.`);
  const bytes = bytesOf(text);
  if (bytes > mostDataBytes)
    refuse(
      `${subject} would have ${numbered(bytes)} bytes of data. It can have ${numbered(mostDataBytes)}.`,
    );
  if (levelsOf(JSON.parse(text)) > mostDataLevels)
    refuse(`${subject} would have data in more than ${mostDataLevels} levels.`);
}

function levelsOf(value) {
  if (typeof value !== "object" || value === null) return 0;
  let most = 0;
  for (const one of Object.values(value)) most = Math.max(most, levelsOf(one));
  return most + 1;
}
