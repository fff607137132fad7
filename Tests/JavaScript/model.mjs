// The rules of drops for a plain array of rows: too simple to be wrong. See small-lists.mjs for its entries.
import { textOf } from "./small-lists.mjs";

/** The entries of a row and of its visible subtasks. */
export function blockAt(outline, index) {
  let end = index + 1;
  while (outline[end]?.depth > outline[index].depth) end += 1;
  return outline.slice(index, end);
}

/**
 * Takes rows with their subtasks out of an outline: `blocks`, one for each row that is not inside another, the `rest`, and the `places`
 * of the rest.
 */
export function takeOut(outline, subject) {
  const blocks = [];
  const gone = new Set();
  for (const index of subject) {
    if (gone.has(outline[index])) continue;
    const block = blockAt(outline, index);
    for (const entry of block) gone.add(entry);
    blocks.push(block);
  }
  const rest = outline.filter((entry) => !gone.has(entry));
  return { blocks, rest, places: places(rest) };
}

/**
 * Puts the blocks before `rest[index]`, at a level.
 * @returns null if that is not possible: it would be no outline, or another row would get another parent
 */
export function putBack({ blocks, rest, places: before }, index, level) {
  const after = rest.slice(0, index);
  for (const block of blocks) {
    for (const entry of block)
      after.push({ ...entry, depth: entry.depth - block[0].depth + level });
  }
  for (const entry of rest.slice(index)) after.push(entry);
  const found = places(after);
  if (!found) return null;
  for (const [id, place] of before) if (found.get(id) !== place) return null;
  return after;
}

/** The place of each task, `section/parent`; null if this is no outline of a list that shows all these rows. */
function places(outline) {
  const found = new Map();
  let section = "";
  let path = [];
  for (const [index, entry] of outline.entries()) {
    if (entry.id === undefined) {
      [section, path] = [entry.section, []];
      continue;
    }
    const above = outline[index - 1];
    const parent = path[entry.depth - 1];
    if (entry.depth > path.length || entry.depth > 15) return null;
    if (above && above.id === parent && parent !== undefined && above.collapsed) return null;
    found.set(entry.id, `${section}/${parent ?? ""}`);
    path = [...path.slice(0, entry.depth), entry.id];
  }
  return found;
}

/** The first top-level tasks, which `elementsOffset` locks. */
function lockedTop(outline, { elementsOffset = 0 }) {
  return outline.filter(({ depth }) => depth === 0).slice(0, elementsOffset);
}

/** Whether a moved row is locked. */
function isLocked(outline, { blocks }, settings) {
  const fixed = new Set(lockedTop(outline, settings));
  return blocks.some(([root]) => root.locked || fixed.has(root));
}

/** The reason to refuse a move of rows that are not locked to another outline, or null. */
function refusal(outline, { blocks }, after, settings) {
  const [was, is] = [places(outline), places(after)];
  const isElsewhere = blocks.some(([{ id }]) => was.get(id) !== is.get(id));
  if (settings.moves === "siblings" && isElsewhere) return "not_siblings";
  const limit = limitRefusal(outline, after, was, is, settings);
  if (limit) return limit;
  const [fixed, top] = [outline, after].map((one) => lockedTop(one, settings));
  return fixed.every(({ id }, index) => id === top[index].id) ? null : "locked";
}

/** The limit that a move exceeds; null if it exceeds none, or adds nothing to an excess. */
function limitRefusal(outline, after, was, is, { maxDepth, maxTasksPerSection, tasksPerParent }) {
  const depthOf = (id) => outline.find((entry) => entry.id === id).depth;
  if (after.some(({ id, depth }) => depth >= maxDepth && depth > depthOf(id))) return "max_depth";
  if (!maxTasksPerSection && !tasksPerParent) return null;
  const count = (found, isCounted) => [...found.values()].filter(isCounted).length;
  for (const { id, section } of after) {
    const isInside = (place) =>
      id === undefined ? place === `${section}/` : place.endsWith(`/${id}`);
    const limit = id === undefined ? maxTasksPerSection : tasksPerParent;
    const tasks = limit ? count(is, isInside) : 0;
    if (tasks > limit && tasks > count(was, isInside))
      return id === undefined ? "section_full" : "parent_full";
  }
  return null;
}

/** The index in `rest` for a plain row: at the border of sections the row stays with the row that it passes, or in its own section. */
export function indexOfRow(outline, subject, { rest }, row) {
  const rowsAbove = (entries, index) =>
    entries.slice(0, index).filter(({ id }) => id !== undefined).length;
  const gaps = [...rest.keys(), rest.length].filter((index) => rowsAbove(rest, index) === row);
  const from = rowsAbove(outline, subject[0]);
  if (row > from) return gaps[0]; // directly after the row that it passed
  if (row < from) return gaps.at(-1); // directly before it
  return subject[0]; // nothing above the first moved row was taken out
}

/** All levels of small lists, and one that is too deep everywhere. */
const levels = [0, 1, 2, 3, 4, 5];

/**
 * What the results of drops before `rest[index]` must be, as text: for the level `undefined`, and for each level. A refusal is its code.
 */
export function expected({ outline, settings }, taken, index) {
  const isHeld = isLocked(outline, taken, settings);
  const own = Math.min(...taken.blocks.map(([root]) => root.depth));
  let nearest;
  let lowest;
  const results = levels.map((level) => {
    const after = putBack(taken, index, level);
    if (!after) return [level, "level_not_possible"];
    const code = isHeld ? "locked" : refusal(outline, taken, after, settings);
    lowest ??= level;
    if (code !== "max_depth" && !(Math.abs(level - own) >= Math.abs(nearest - own)))
      nearest = level;
    return [level, code ?? textOf(after)];
  });
  return [[undefined, results[nearest ?? lowest][1]], ...results];
}
