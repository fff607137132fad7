// The server's rules of places and locks. With commands.js, they turn a request into operations in normal form, or throw the reason to
// refuse it. The page follows them until the server responds; the server's decision is final.
import { checkMoveLimits, checkNewTask } from "./limits.js";
import { depthOf, placement, sectionOf, subtree } from "./list.js";
import { isEqual } from "./merge-patch.js";
import { Refusal } from "./refusal.js";

/**
 * Moves tasks: calls `apply` with each operation of the move.
 *
 * @param {string[]} ids the tasks, in the order that they will have
 * @param to `after`, `before`, `parent`, `section`, `position`: as in a request
 * @param isUndo whether the tasks are put back: then the limits of the list do not count
 */
export function move(list, ids, to, apply, isUndo = false) {
  const roots = rootsOf(list, ids);
  const gap = checkMove(list, roots, to, isUndo);
  if (!gap) return;
  const folding = list.settings.collapseSubElements ? roots.filter(showsSubtasks) : [];
  if (isInPlace(roots, gap)) return;
  for (const root of folding) apply({ op: "collapse", task: root.id, collapsed: true });
  let previous = stayingAbove(gap, roots);
  for (const root of roots) {
    const siblings = gap.parent.children;
    const current = root.parent === gap.parent ? siblings.indexOf(root) : Infinity;
    let position = previous ? siblings.indexOf(previous) + 1 : 0;
    if (current < position) position -= 1;
    if (current !== position) {
      const parent = gap.parent.isSection ? null : gap.parent.id;
      apply({ op: "move", task: root.id, section: sectionOf(gap.parent).id, parent, position });
    }
    previous = root;
  }
}

/** The named tasks that have no named ancestor. The other named tasks move with their ancestors. */
export function rootsOf(list, ids) {
  const named = new Set();
  for (const id of ids) named.add(existing(list, id));
  return [...named].filter((node) => {
    for (let above = node.parent; above; above = above.parent) if (named.has(above)) return false;
    return true;
  });
}

/** Returns the destination of a move, or null if the tasks stay at their place. Throws a `Refusal` if the rules forbid the move. */
export function checkMove(list, roots, to, isUndo = false) {
  const gap = resolve(list, to, roots);
  if (roots.some((root) => isLocked(list, root))) throw new Refusal("locked");
  if (!gap) return null;
  if (list.settings.moves === "siblings" && roots.some((root) => root.parent !== gap.parent))
    throw new Refusal("not_siblings");
  checkMoveLimits(list, roots, gap.parent, isUndo);
  if (displacesLocked(list, gap)) throw new Refusal("locked");
  return gap;
}

/**
 * The first destination that exists and is not inside a moved task: `after`, `before`, or the place. If the neighbors have parted, the one
 * that is still in the place decides: the other one has moved to where the person has not pointed.
 */
function resolve(list, to, roots) {
  const going = new Set(roots);
  const carries = (node) => {
    for (let above = node; above; above = above.parent) if (going.has(above)) return true;
    return false;
  };
  const anchors = [
    { node: list.tasks.get(to.after), offset: 1 },
    { node: list.tasks.get(to.before), offset: 0 },
  ];
  const [after, before] = anchors;
  const isUsable = ({ node }) => node && !carries(node);
  const place = isUsable(after) && isUsable(before) ? placeNamed(list, to) : undefined;
  const haveParted = place && before.node.parent === place && after.node.parent !== place;
  const anchor = haveParted ? before : anchors.find(isUsable);
  if (anchor) {
    const { node, offset } = anchor;
    return { parent: node.parent, position: indexAmongStaying(node, roots) + offset };
  }
  const inside = after.node ?? before.node;
  const parent = namedContainer(list, to, roots);
  if (parent) {
    if (!carries(parent)) {
      const most = parent.children.length - roots.filter((root) => root.parent === parent).length;
      return { parent, position: Math.min(to.position ?? Infinity, most) };
    }
    if (!inside) throw new Refusal("cycle");
  }
  if (!inside) throw new Refusal("anchor_gone");
  if (!roots.includes(inside)) throw new Refusal("cycle");
  return null;
}

/** The indices of the moved tasks among the children of `parent`, in ascending order. O(children), without a copy of them */
function indicesIn({ children }, roots) {
  if (roots.length === 1) return [children.indexOf(roots[0])].filter((index) => index >= 0);
  const going = new Set(roots);
  const indices = [];
  for (let index = 0; index < children.length; index += 1)
    if (going.has(children[index])) indices.push(index);
  return indices;
}

/** The index of a task among its siblings that do not move. */
function indexAmongStaying(node, roots) {
  const index = node.parent.children.indexOf(node);
  return index - indicesIn(node.parent, roots).filter((one) => one < index).length;
}

/** The task that stays above a gap; undefined if there is none. */
function stayingAbove({ parent, position }, roots) {
  let index = position - 1;
  for (const one of indicesIn(parent, roots)) if (one <= index) index += 1;
  return parent.children[index];
}

/** The task or the section that a destination names, wherever the moved tasks are; undefined if there is none. */
function placeNamed(list, to) {
  if (typeof to.parent === "string") return list.tasks.get(to.parent);
  return to.section === undefined ? undefined : list.section(to.section);
}

function namedContainer(list, to, roots) {
  if (typeof to.parent === "string" || to.section !== undefined) return placeNamed(list, to);
  if (roots.length === 0 && (to.parent === null || to.position !== undefined))
    return list.unsectioned;
  if (to.parent === null) return sectionOf(roots[0]);
  return to.position === undefined ? undefined : outermost(roots).parent;
}

/** The first one of several tasks with the lowest level: no task goes deeper because of another one. */
function outermost(roots) {
  return roots.reduce((one, other) => (depthOf(other) < depthOf(one) ? other : one));
}

function isInPlace(roots, { parent, position }) {
  return roots.every((root, index) => parent.children[position + index] === root);
}

/** Creates a task. @param isUndo as for `move` */
export function create(list, task, to, apply, isUndo = false) {
  if (list.tasks.has(task.id)) throw taken(task.id);
  const gap = resolve(list, Object.keys(to).length > 0 ? to : { section: null }, []);
  checkNewTask(list, gap.parent, isUndo);
  if (displacesLocked(list, gap)) throw new Refusal("locked");
  const parent = gap.parent.isSection ? null : gap.parent.id;
  const place = { section: sectionOf(gap.parent).id, parent, position: gap.position };
  apply({ op: "insert", task: { ...task, ...place } });
}

/**
 * Checks a step of an undo before it is applied for the first time: it must not overwrite what others changed since. A neighbor
 * that is elsewhere now is no longer part of its destination.
 */
export function checkUnchanged(list, step) {
  const { expects, to } = step;
  if (to?.parent !== undefined || to?.section !== undefined) {
    const container =
      to.parent === undefined ? list.section(to.section) : list.tasks.get(to.parent);
    for (const side of ["after", "before"]) {
      const neighbor = list.tasks.get(to[side]);
      if (neighbor && neighbor.parent !== container) delete to[side];
    }
  }
  if (!expects) return;
  delete step.expects;
  let current = list.settings;
  if (step.section !== undefined) current = existingSection(list, step.section);
  else if (step.kind !== "list") current = existing(list, step.task ?? step.tasks[0]);
  const { collapsed, ...values } = expects;
  const isSame = Object.entries(values).every(([name, value]) =>
    isEqual(current[name] ?? null, value ?? null),
  );
  const isDeletion = step.kind === "delete" || step.kind === "section-delete";
  if (!isSame || (isDeletion && current.children.length > 0)) throw new Refusal("undo_conflict");
}

/** The first top-level tasks that `elementsOffset` locks, in order. */
export function lockedTopLevel(list) {
  const locked = [];
  for (const section of list.containers) {
    if (locked.length >= list.settings.elementsOffset) break;
    locked.push(...section.children.slice(0, list.settings.elementsOffset - locked.length));
  }
  return locked;
}

/** Whether the task itself cannot be moved or deleted. */
export function isLocked(list, node) {
  if (node.locked) return true;
  return Boolean(node.parent.isSection) && lockedTopLevel(list).includes(node);
}

export function holdsLocked(list, node) {
  if (isLocked(list, node)) return true;
  for (const task of subtree(node)) if (task.locked) return true;
  return false;
}

export function displacesLocked(list, { parent, position }) {
  const last = lockedTopLevel(list).at(-1);
  if (!parent.isSection || !last) return false;
  const { containers } = list;
  const [here, locked] = [containers.indexOf(parent), containers.indexOf(last.parent)];
  return here < locked || (here === locked && position <= placement(last).position);
}

function showsSubtasks(node) {
  if (node.collapsed || node.children.length === 0) return false;
  for (let above = node.parent; !above.isSection; above = above.parent) {
    if (above.collapsed) return false;
  }
  return true;
}

export function existing(list, id) {
  const node = list.tasks.get(id);
  if (!node) throw new Refusal("task_not_found", `Task "${id}" does not exist in this list.`);
  return node;
}

export function taken(id) {
  return new Refusal("id_taken", `The id "${id}" is already in use.`);
}

export function existingSection(list, id) {
  const section = list.sections.find((one) => one.id === id);
  if (!section)
    throw new Refusal("section_not_found", `Section "${id}" does not exist in this list.`);
  return section;
}
