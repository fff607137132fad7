// Steps: the actions of a person, as plain data that can be stored while the server is unreachable.
import { makeID } from "./ids.js";
import * as rules from "./rules.js";

/**
 * Applies a step to a list.
 * @param isNew whether the step is applied for the first time. Then a group, which is an undo, must not overwrite what others changed.
 * @returns `back`: the operations that take it back; `undo`: the steps that undo it later, when the list may have changed
 * @throws {rules.Refusal} if the rules refuse it; the list is then unchanged
 */
export function perform(list, step, isNew = false) {
  const back = [];
  const undo = [];
  const apply = (operation) => {
    undo.unshift(...list.undoOf(operation));
    back.unshift(...list.apply(operation));
  };
  try {
    act(list, step, apply, isNew);
  } catch (error) {
    takeBack(list, back);
    throw error;
  }
  return { back, undo };
}

export function takeBack(list, operations) {
  for (const operation of operations) list.apply(operation);
}

function act(list, step, apply, isNew, isUndo = false) {
  switch (step.kind) {
    case "move":
      return rules.move(list, step.tasks, step.to, apply, isUndo);
    case "create":
      return rules.create(list, step.task, step.to ?? {}, apply, isUndo);
    case "update":
      return rules.update(list, step.task, step.set, apply);
    case "collapse":
      return rules.collapse(list, step.task, step.collapsed, apply);
    case "delete":
      return rules.deleteTasks(list, step.tasks, apply);
    case "section-create":
      return rules.createSection(list, step, apply);
    case "section-rename": // and its data
      return rules.updateSection(list, step, apply);
    case "section-move":
      return rules.moveSection(list, step.section, step.position, apply);
    case "section-delete":
      return rules.deleteSection(list, step.section, apply);
    case "list":
      return rules.settings(list, step.set, apply);
    case "group":
      for (const one of step.steps) {
        if (isNew) rules.checkUnchanged(list, one);
        act(list, one, apply, isNew, step.undo);
      }
      return undefined;
    default:
      throw new TypeError(step.kind);
  }
}

/** The operations of a step in a batch. All windows make the same ones, because an `opId` stands for the same text. */
export function operationsOf(step) {
  switch (step.kind) {
    case "move": {
      const subject = step.tasks.length === 1 ? { task: step.tasks[0] } : { tasks: step.tasks };
      return [{ op: "move", ...subject, ...step.to }];
    }
    case "create":
      return [{ op: "create", ...step.task, ...step.to }];
    case "update":
      return [{ op: "update", task: step.task, set: step.set }];
    case "collapse":
      return [{ op: "collapse", task: step.task, collapsed: step.collapsed }];
    case "delete":
      return step.tasks.map((task) => ({ op: "delete", task }));
    case "section-create":
      return [
        {
          op: "section-create",
          section: step.section,
          title: step.title,
          position: step.position,
          data: step.data,
          maxTasks: step.maxTasks,
        },
      ];
    case "section-rename": {
      const { section, title, data, maxTasks } = step;
      return [{ op: "section-update", section, title, data, maxTasks }];
    }
    case "section-move":
      return [{ op: "section-move", section: step.section, position: step.position }];
    case "section-delete":
      return [{ op: "section-delete", section: step.section }];
    case "list":
      return [{ op: "list", set: step.set }];
    case "group": {
      const operations = step.steps.flatMap(operationsOf);
      if (!step.undo) return operations;
      const putBack = ["move", "create"];
      return operations.map((one) => (putBack.includes(one.op) ? { ...one, undo: true } : one));
    }
    default:
      throw new TypeError(step.kind);
  }
}

/**
 * What is left of a step when the list contains its first operations; of a deletion, the tasks that the list still has.
 * @param count the number of these operations
 */
export function restOf(list, step, count) {
  if (step.kind === "delete")
    return { ...step, tasks: step.tasks.filter((id) => list.tasks.has(id)) };
  if (count === 0) return step;
  if (step.kind !== "group") return { kind: "group", steps: [] };
  let left = count;
  const steps = [];
  for (const one of step.steps) {
    const { length } = operationsOf(one);
    if (left < length) steps.push(restOf(list, one, left));
    left = Math.max(0, left - length);
  }
  return { ...step, steps };
}

/** Whether a refusal shows that the list is already as the step wanted it. */
export function isDoneAnyway(step, code) {
  switch (step.kind) {
    case "delete":
      return code === "task_not_found";
    case "section-delete":
      return code === "section_not_found";
    default:
      return false;
  }
}

/** New ids for the tasks that a step brings back, as an undo does; null for other steps. */
export function newIDs(step) {
  const ids = new Map();
  for (const { kind, task } of step.kind === "group" ? step.steps : [])
    if (kind === "create") ids.set(task.id, makeID());
  return ids.size > 0 ? ids : null;
}

/** Whether a step names a task that has another id now. @param ids a map, as for `withIDs` */
export function namesFormer(step, ids) {
  return JSON.stringify(withIDs(step, ids)) !== JSON.stringify(step);
}

/** The same step, or part of a transfer, for a list in which tasks have other ids. @param ids a map */
export function withIDs(step, ids) {
  const named = (id) => ids.get(id) ?? id;
  const copy = { ...step };
  if (step.steps) copy.steps = step.steps.map((one) => withIDs(one, ids));
  if (step.kind === "create") copy.task = { ...step.task, id: named(step.task.id) };
  else if (step.task !== undefined) copy.task = named(step.task);
  if (step.tasks) copy.tasks = step.tasks.map(named);
  if (step.expects?.id !== undefined)
    copy.expects = { ...step.expects, id: named(step.expects.id) };
  if (step.to) copy.to = { ...step.to };
  for (const name of ["after", "before", "parent"])
    if (ids.has(step.to?.[name])) copy.to[name] = ids.get(step.to[name]);
  return copy;
}
