// Steps: the actions of a person, as plain data that can be stored while the server is unreachable.
import { commands } from "./commands.js";
import { plain } from "./forms.js";
import { makeID } from "./ids.js";
import { checkUnchanged } from "./rules.js";

/**
 * Applies a step to a list.
 * @param isNew whether the step is applied for the first time. Then a group, which is an undo, must not overwrite what others changed.
 * @returns `back`: the operations that take it back; `undo`: the steps that undo it later, when the list may have changed
 * @throws {Refusal} if the rules refuse it; the list is then unchanged
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
  if (step.kind !== "group") return commandOf(step).act(list, step, apply, isUndo);
  for (const one of step.steps) {
    if (isNew) checkUnchanged(list, one);
    act(list, one, apply, isNew, step.undo);
  }
  return undefined;
}

/** The operations of a step in a batch. */
export function operationsOf(step) {
  if (step.kind === "group") {
    const operations = step.steps.flatMap(operationsOf);
    if (!step.undo) return operations;
    const putBack = ["move", "create"];
    return operations.map((one) => (putBack.includes(one.op) ? { ...one, undo: true } : one));
  }
  const { op = step.kind, members, operations } = commandOf(step);
  if (operations) return operations(step);
  return [{ op, ...Object.fromEntries(members.map((name) => [name, step[name]])) }];
}

/**
 * Checks the form of a step.
 * @param list the list, for titles and for data that is changed; null if it is not known
 * @returns the step as plain JSON, as it is stored and sent
 * @throws {Refusal}
 */
export function checkedStep(list, step) {
  check(list, step);
  return plain(step);
}

function check(list, step) {
  if (step.kind !== "group") return commandOf(step).check(step, list);
  for (const one of step.steps) check(list, one);
  return undefined;
}

function commandOf({ kind }) {
  const command = commands[kind];
  if (!command) throw new TypeError(kind);
  return command;
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
export function isDoneAnyway({ kind }, code) {
  return code !== undefined && commands[kind]?.doneIf === code;
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
