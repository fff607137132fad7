// Rows that an app has chosen from the rows of a list, for example without completed tasks.
import { Refusal } from "./refusal.js";

/**
 * Adds the tasks that contain a chosen row and are not chosen themselves, marked `isHidden`, directly above these rows. So each row comes after
 * its parent. O(rows), and O(levels) for each added task
 * @param tree the list, as it is now: the rows can be older
 * @throws {Refusal} if the chosen are not rows in the order of a list
 */
export function withHiddenParents(tree, chosen) {
  if (!Array.isArray(chosen) || !chosen.every(isRow))
    throw new Refusal("invalid_body", "The shown rows must be rows of the list.");
  if (chosen.length > 0 && !chosen.some(({ id }) => tree.tasks.has(id)))
    throw new Refusal("anchor_gone");
  const complete = [];
  const seen = new Set();
  /** The ids of the last row and of what contains it, and the position of each; null for a hidden one. */
  let [path, positions, section] = [[], [], null];
  const add = (row) => {
    if (row.id !== null) seen.add(row.id);
    complete.push(row);
    path.length = row.depth;
    path.push(row.id);
    positions.length = row.depth + 1;
  };
  for (const row of chosen) {
    const { id, depth, parent, position } = row;
    if (row.section !== section) [path, positions, section] = [[], [], row.section];
    if (depth > 0 && path[depth - 1] !== parent) {
      if (seen.has(parent)) refuseOrder();
      for (const hidden of hiddenAbove(tree, row, path)) add(hidden);
    }
    if (seen.has(id) || positions[depth] >= position) refuseOrder();
    add(row);
    positions[depth] = position;
  }
  return complete;
}

function refuseOrder() {
  throw new Refusal("invalid_body", "The shown rows must have the order of the list.");
}

function isRow(row) {
  const { id, section, parent, depth, position } = row ?? {};
  if (typeof id !== "string" || section === undefined) return false;
  if (!Number.isInteger(depth) || !Number.isInteger(position)) return false;
  return depth === 0 ? parent === null : depth > 0 && typeof parent === "string";
}

/**
 * The tasks that contain a row and are not in the path, from the top. Above the parent, they are as they are now; their `id` is null if that
 * does not fit.
 */
function hiddenAbove(tree, { parent, depth: below, section }, path) {
  const above = [];
  let id = parent;
  for (let depth = below - 1; depth >= 0 && path[depth] !== (id ?? path[depth]); depth -= 1) {
    above.unshift({ id, section, depth, isHidden: true });
    const container = tree.tasks.get(id)?.parent;
    id = container && !container.isSection ? container.id : null;
  }
  return above;
}

/**
 * The ids of the sections: those of the rows in the order of the rows, and between them the others, which the list has now. O(rows +
 * sections²)
 */
export function sectionsOfShown(tree, chosen) {
  const named = [...new Set(chosen.map(({ section }) => section))].filter((id) => id !== null);
  const present = tree.sections.map(({ id }) => id);
  for (const [index, id] of present.entries())
    if (!named.includes(id)) named.splice(named.indexOf(present[index - 1]) + 1, 0, id);
  return named;
}
