// The end of a drag: which tasks it moves, and where to. Its rows are those that the person saw.
import { highestLevel } from "./limits.js";
import { depthOf, placeBesideNeighbors, sectionOf } from "./list.js";
import { Refusal } from "./refusal.js";
import { RowLayout } from "./row-layout.js";
import { rootsOf } from "./rules.js";
import { sectionsOfShown, withHiddenParents } from "./shown-rows.js";
import { sectionsOf } from "./visible-rows.js";

/**
 * Where tasks can be dropped.
 * @param tree the list
 * @param rows the rows that the person sees, now or earlier: `id`, `section`, `depth` and `collapsed`
 * @param sections the ids of the sections at that time
 * @param roots the moved tasks, of this or of another list; none of them is inside another one
 * @param options `tasks`: the ids of the moved tasks, if some of them are inside others now, but not in `rows`; `depth`: their lowest
 *   level, if they are not in `rows`; `own`, `sectionOf` and `areStaying`: see `RowLayout`
 */
export function layoutOf(tree, rows, sections, roots, options = {}) {
  const { tasks = roots.map(({ id }) => id), depth, ...others } = options;
  return new RowLayout(rows, sections, tasks, {
    depth: depth ?? lowestLevel(rows, roots),
    highest: highestLevel(tree, roots),
    siblingsOf: tree.settings.moves === "siblings" ? commonPlace(roots) : undefined,
    ...others,
  });
}

/** The lowest level of tasks in the rows, or in the list if they are not shown. */
function lowestLevel(rows, roots) {
  const moved = new Set(roots.map(({ id }) => id));
  const shown = new Map(rows.filter(({ id }) => moved.has(id)).map(({ id, depth }) => [id, depth]));
  const depths = roots.map((root) => shown.get(root.id) ?? depthOf(root));
  return depths.reduce((one, other) => Math.min(one, other), depths[0] ?? 0);
}

/**
 * The same for the rows that an app shows: the value of `rows` of the list, now or earlier, or some of these rows.
 * @throws {Refusal} if they are not such rows
 */
export function layoutOfShown(tree, shown, roots, tasks) {
  const sections = sectionsOf(shown);
  if (sections) return layoutOf(tree, shown, sections, roots, { tasks });
  const rows = withHiddenParents(tree, shown);
  const [one] = roots;
  const isAlone = roots.length === 1 && tree.tasks.get(one.id) === one;
  const own = isAlone ? placeBesideNeighbors(one) : undefined;
  return layoutOf(tree, rows, sectionsOfShown(tree, shown), roots, { tasks, own });
}

/** The parent and the section of tasks that are siblings; null if they are not. */
function commonPlace(roots) {
  const [first] = roots;
  if (roots.length === 0 || roots.some(({ parent }) => parent !== first.parent)) return null;
  return { section: sectionOf(first).id, parent: first.parent.isSection ? null : first.parent.id };
}

/**
 * The ids of the tasks that a drop names, by ids or by rows.
 * @throws {Refusal} if there is no such row
 */
export function tasksOf(shown, { task, tasks, row, rows }) {
  const idOf = (index) => {
    if (shown[index]) return shown[index].id;
    const count = shown.length === 1 ? "is 1 visible row" : `are ${shown.length} visible rows`;
    const detail = `Row ${index} does not exist: there ${count}.`;
    throw new Refusal("anchor_gone", detail);
  };
  const named = [];
  if (task !== undefined) named.push([task]);
  if (tasks) named.push(tasks);
  if (row !== undefined) named.push([idOf(row)]);
  // Tasks that are named by rows have the order of the rows.
  if (rows) named.push([...rows].sort((one, other) => one - other).map(idOf));
  if (named.length !== 1)
    throw new Refusal("invalid_body", "A drop needs one of “task”, “tasks”, “row” and “rows”.");
  return named[0];
}

/** Whether a place is between rows. @throws {Refusal} if it is named in two ways */
export function isBetweenRows({ toRow, to, toOffset }) {
  const named = [toRow, to, toOffset].filter((one) => one !== undefined);
  if (named.length > 1)
    throw new Refusal("invalid_body", "A place has one of “toRow”, “to” and “toOffset”.");
  return named.length === 1;
}

/**
 * The destination of a drop, by the ids of tasks and sections.
 * @param shown the rows in which `place` counts, see `layoutOfShown`
 * @param tasks the ids of the moved tasks
 * @param roots the moved tasks, which can be in another list; none of them is inside another one
 * @throws {Refusal} if the tasks cannot be dropped there
 */
export function destinationOf(tree, shown, tasks, place, roots = rootsOf(tree, tasks)) {
  if (!isBetweenRows(place))
    throw new Refusal("invalid_body", "A drop needs one of “toRow”, “to” and “toOffset”.");
  const layout = layoutOfShown(tree, shown, roots, tasks);
  const to = layout.destination(layout.gap(place), place.level);
  return { ...to, position: positionIn(tree, to, roots) };
}

/** The index of a destination among the siblings: some of them are perhaps not shown. */
function positionIn(tree, to, roots) {
  const neighbor = tree.tasks.get(to.after ?? to.before);
  const parent = to.parent === undefined ? tree.section(to.section) : tree.tasks.get(to.parent);
  if (!neighbor || neighbor.parent !== parent) return to.position;
  const staying = parent.children.filter((child) => !roots.includes(child));
  const index = staying.indexOf(neighbor);
  if (index < 0) return to.position;
  return to.after === undefined ? index : index + 1;
}
