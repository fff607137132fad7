// The visible rows of a list as values that never change, and what differs between two states of them.
import { lockedTopLevel } from "./rules.js";

/** The ids of the sections of each array of rows, in their order at that time. */
const sections = new WeakMap();

/**
 * The visible tasks of a list, from top to bottom. Section headers are not rows. O(visible rows)
 * @param before the previous rows: those that did not change are the same objects
 * @param folds the person who sees the rows (`Folds`); null: tasks are folded as stored
 */
export function visibleRows(tree, before = [], folds = null) {
  const known = new Map(before.map((row) => [row.id, row]));
  const atTheTop = new Set(lockedTopLevel(tree));
  const rows = [];
  const add = (children, section, depth) => {
    for (const [position, task] of children.entries()) {
      const { id, title, done, locked, data, parent } = task;
      const collapsed = folds?.stateOf(id) ?? task.collapsed;
      const { createdAt, updatedAt, completedAt, createdBy, updatedBy, completedBy } = task;
      const row = {
        id,
        title,
        done,
        locked,
        lockedByOffset: atTheTop.has(task),
        collapsed,
        data,
        createdAt,
        updatedAt,
        completedAt: done ? completedAt : undefined,
        createdBy,
        updatedBy,
        completedBy: done ? completedBy : undefined,
        section,
        parent: parent.isSection ? null : parent.id,
        position,
        depth,
        subtasks: task.children.length,
      };
      const old = known.get(id);
      rows.push(old && isEqual(old, row) ? old : Object.freeze(row));
      if (!collapsed) add(task.children, section, depth + 1);
    }
  };
  for (const section of tree.containers) add(section.children, section.id, 0);
  sections.set(
    rows,
    tree.sections.map(({ id }) => id),
  );
  return Object.freeze(rows);
}

/** The ids of the sections that the list had when it had these rows; undefined if an app has chosen some of them. */
export function sectionsOf(rows) {
  return sections.get(rows);
}

function isEqual(one, other) {
  return Object.keys(other).every((name) => one[name] === other[name]);
}

/**
 * What leads from one array of rows to another, as a table view animates it:
 * - `removed`: indices in `before`, in descending order;
 * - `inserted`: indices in `after`, in ascending order;
 * - `moved`: `{ from, to }`, as few as possible; `from` is an index in `before`, `to` one in `after`;
 * - `changed`: indices in `after` of rows that exist in both, and whose values differ.
 *
 * O(rows · log rows)
 */
export function difference(before, after) {
  const oldIndex = new Map(before.map(({ id }, index) => [id, index]));
  const newIDs = new Set(after.map(({ id }) => id));
  const removed = [];
  for (let index = before.length - 1; index >= 0; index -= 1) {
    if (!newIDs.has(before[index].id)) removed.push(index);
  }
  const inserted = [];
  const changed = [];
  const kept = [];
  for (const [to, row] of after.entries()) {
    const from = oldIndex.get(row.id);
    if (from === undefined) inserted.push(to);
    else {
      kept.push({ from, to });
      if (before[from] !== row) changed.push(to);
    }
  }
  const staying = longestAscending(kept.map(({ from }) => from));
  const moved = kept.filter((_, index) => !staying.has(index));
  return { removed, inserted, moved, changed };
}

/** The indices of a longest ascending subsequence. */
function longestAscending(numbers) {
  const ends = []; // ends[n]: the index of the smallest number that ends a subsequence of length n + 1
  const previous = [];
  for (const [index, number] of numbers.entries()) {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (numbers[ends[middle]] < number) low = middle + 1;
      else high = middle;
    }
    previous.push(ends[low - 1]);
    ends[low] = index;
  }
  const found = new Set();
  for (let index = ends.at(-1); index !== undefined; index = previous[index]) found.add(index);
  return found;
}
