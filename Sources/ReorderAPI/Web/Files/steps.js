// Steps: the actions of a person, as plain data that can be stored while the server is unreachable. Each step is one request to the
// server and one change of the list.
import * as rules from "./rules.js";

/**
 * Applies a step to a list.
 * @returns the operations that undo it
 * @throws {rules.Refusal} if the rules refuse it; the list is then unchanged
 */
export function perform(list, step) {
  const back = [];
  const apply = (operation) => back.unshift(...list.apply(operation));
  try {
    act(list, step, apply);
  } catch (error) {
    takeBack(list, back);
    throw error;
  }
  return back;
}

export function takeBack(list, operations) {
  for (const operation of operations) list.apply(operation);
}

function act(list, step, apply) {
  switch (step.kind) {
    case "move":
      return rules.move(list, step.tasks, step.to, apply);
    case "create":
      return rules.create(list, step.task, step.to, apply);
    case "update":
      return rules.update(list, step.task, step.set, apply);
    case "collapse":
      return rules.collapse(list, step.task, step.collapsed, apply);
    case "delete":
      return rules.remove(list, step.tasks, apply);
    case "section-create":
      return rules.createSection(list, step.section, step.title, step.position, apply);
    case "section-rename":
      return rules.renameSection(list, step.section, step.title, apply);
    case "section-move":
      return rules.moveSection(list, step.section, step.position, apply);
    case "section-delete":
      return rules.removeSection(list, step.section, apply);
    case "list":
      return apply({ op: "list", set: step.set });
    default:
      return undefined;
  }
}

/** The request for a step. */
export function request(listID, step) {
  const list = `/lists/${encodeURIComponent(listID)}`;
  const section = `${list}/sections/${encodeURIComponent(step.section)}`;
  switch (step.kind) {
    case "move": {
      if (step.drag) return { method: "POST", path: `${dragPath(step.drag)}/drop`, body: step.to };
      const subject = step.tasks.length === 1 ? { task: step.tasks[0] } : { tasks: step.tasks };
      return { method: "POST", path: `${list}/move`, body: { ...subject, ...step.to } };
    }
    case "create":
      return { method: "POST", path: `${list}/tasks`, body: { ...step.task, ...step.to } };
    case "update":
      return { method: "PATCH", path: taskPath(step.task), body: step.set };
    case "collapse": {
      const body = { collapsed: step.collapsed };
      return { method: "POST", path: `${taskPath(step.task)}/collapse`, body };
    }
    case "delete": {
      const ops = step.tasks.map((task) => ({ op: "delete", task }));
      return ops.length === 1
        ? { method: "DELETE", path: taskPath(step.tasks[0]) }
        : { method: "POST", path: `${list}/batch`, body: { ops } };
    }
    case "section-create": {
      const body = { id: step.section, title: step.title, position: step.position };
      return { method: "POST", path: `${list}/sections`, body };
    }
    case "section-rename":
      return { method: "PATCH", path: section, body: { title: step.title } };
    case "section-move":
      return { method: "POST", path: `${section}/move`, body: { position: step.position } };
    case "section-delete":
      return { method: "DELETE", path: section };
    case "list":
      return { method: "PATCH", path: list, body: step.set };
    case "undo":
      return { method: "POST", path: `${list}/undo`, body: { version: step.version } };
    default:
      throw new TypeError(step.kind);
  }
}

export function dragPath(drag) {
  return `/drags/${encodeURIComponent(drag)}`;
}

function taskPath(task) {
  return `/tasks/${encodeURIComponent(task)}`;
}

/** Whether a refusal shows that the step was applied before, and that only its response was lost. */
export function wasDone(step, code) {
  switch (step.kind) {
    case "create":
    case "section-create":
      return step.tries > 1 && code === "id_taken";
    case "delete":
      return code === "task_not_found";
    case "section-delete":
      return code === "section_not_found";
    default:
      return false;
  }
}

/** The announcement of a step after it was applied, with titles in “quotes”. */
export function describe(list, step) {
  switch (step.kind) {
    case "move":
      return `Moved ${names(list, step.tasks)}`;
    case "create":
      return `Added ${quoted(step.task.title)}`;
    case "update":
      if (step.set.title !== undefined) return `Renamed to ${quoted(step.set.title)}`;
      return `${names(list, [step.task])} ${step.set.done ? "is done" : "is not done"}`;
    case "collapse":
      return `${step.collapsed ? "Folded" : "Unfolded"} ${names(list, [step.task])}`;
    case "delete":
      return `Deleted ${names(list, step.tasks)}`;
    case "section-create":
      return `Added the section ${quoted(step.title)}`;
    case "section-rename":
      return `Renamed to ${quoted(step.title)}`;
    case "section-move":
      return `Moved the section ${quoted(list.section(step.section)?.title)}`;
    case "section-delete":
      return `Deleted the section ${quoted(list.section(step.section)?.title)}`;
    case "undo":
      return "Undone";
    default:
      return "Changed the settings of the list";
  }
}

export function names(list, tasks) {
  if (tasks.length > 1) return `${tasks.length} tasks`;
  return quoted(list.tasks.get(tasks[0])?.title);
}

export function quoted(title) {
  const text = title ?? "";
  // Isolates prevent a right-to-left title from reversing the sentence.
  return `“\u2068${text.length > 40 ? `${text.slice(0, 39)}…` : text}\u2069”`;
}

const reasons = {
  cycle: "A task can’t move into its own subtasks.",
  locked: "A locked row can’t be moved, deleted or displaced.",
  not_siblings: "In this list, tasks can only be moved among their siblings.",
  depth_limit: "Tasks can be nested at most 16 levels deep.",
  anchor_gone: "That place does not exist any more.",
  task_not_found: "That task was deleted.",
  section_not_found: "That section was deleted.",
  forbidden: "The token does not allow that.",
  list_not_found: "This list was deleted.",
  list_full: "The list is full.",
  undo_conflict: "That can’t be undone any more.",
  history_gone: "That can’t be undone any more.",
  body_too_large: "The text is too long.",
};

/** The reason of a refusal, as a sentence. */
export function reason(code, detail) {
  return reasons[code] ?? detail ?? "The server refused that.";
}
