// The limits of a list: its levels, the tasks of a section, and the subtasks of a task. A list can exceed a limit that was set later.
// Then only what adds to the excess is refused. An undo puts back, so it is not refused.
import { depthOf } from "./list.js";
import { Refusal } from "./refusal.js";

/** The levels that every list can have. */
const mostLevels = 16;

/** The number of levels in a task's subtree: 1 if it has no subtasks. */
export function height(node) {
  return 1 + node.children.reduce((most, child) => Math.max(most, height(child)), 0);
}

/** The level of the children of `parent`, which can be a section. */
const levelIn = (parent) => (parent.isSection ? 0 : depthOf(parent) + 1);

/** Whether a list has limits. */
export function hasLimits({ settings, sections }) {
  const { maxDepth, maxTasksPerSection, tasksPerParent } = settings;
  const ofList = maxDepth ?? maxTasksPerSection ?? tasksPerParent;
  return ofList !== null || sections.some((section) => section.maxTasks !== undefined);
}

/** The member of what is put back into a list. Only if it matters: earlier servers refuse it. */
export function undoIn(list) {
  return hasLimits(list) ? { undo: true } : {};
}

/** Checks a move of tasks in this list. @throws {Refusal} */
export function checkMoveLimits({ settings }, roots, parent, isUndo) {
  const arriving = roots.filter((root) => root.parent !== parent);
  const level = levelIn(parent);
  if (arriving.some((root) => level + height(root) > mostLevels)) throw new Refusal("depth_limit");
  if (isUndo) return;
  if (arriving.some((root) => level > highestBelow(settings.maxDepth, root)))
    throw new Refusal("max_depth");
  checkRoom(settings, arriving.length, parent);
}

/** Checks an addition of a task without subtasks. @throws {Refusal} */
export function checkNewTask({ settings }, parent, isUndo) {
  const level = levelIn(parent);
  if (level >= mostLevels) throw new Refusal("depth_limit");
  if (isUndo) return;
  if (level >= (settings.maxDepth ?? mostLevels)) throw new Refusal("max_depth");
  checkRoom(settings, 1, parent);
}

function checkRoom({ maxTasksPerSection, tasksPerParent }, arriving, parent) {
  if (arriving === 0) return;
  const count = parent.children.length + arriving;
  if (!parent.isSection) {
    if (count > (tasksPerParent ?? Infinity)) throw new Refusal("parent_full");
  } else if (parent.id !== null && count > (parent.maxTasks ?? maxTasksPerSection ?? Infinity)) {
    throw new Refusal("section_full");
  }
}

/** The highest level that `maxDepth` allows for a task of the list: at least the level that it has. */
function highestBelow(maxDepth, root) {
  return maxDepth === null ? Infinity : Math.max(depthOf(root), maxDepth - height(root));
}

/**
 * The highest level that the limits allow for tasks.
 * @param roots the tasks, of this or of another list
 */
export function highestLevel({ settings, tasks }, roots) {
  const levels = roots.map((root) => {
    const isHere = tasks.get(root.id) === root;
    const below = isHere
      ? highestBelow(settings.maxDepth, root)
      : (settings.maxDepth ?? mostLevels) - height(root);
    return Math.min(mostLevels - height(root), below);
  });
  return Math.min(mostLevels - 1, ...levels);
}
