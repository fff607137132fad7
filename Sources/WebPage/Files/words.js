// Sentences for people.

/** The announcement of a step after it was applied, with titles in “quotes”. */
export function describe(list, step) {
  switch (step.kind) {
    case "move":
      return `Moved ${names(list, step.tasks)}`;
    case "create":
      return `Added ${quoted(step.task.title)}`;
    case "update":
      if (step.set.title !== undefined) return `Renamed to ${quoted(step.set.title)}`;
      if (step.set.done === undefined) return `Changed ${names(list, [step.task])}`;
      return `${names(list, [step.task])} ${step.set.done ? "is done" : "is not done"}`;
    case "collapse":
      return `${step.collapsed ? "Folded" : "Unfolded"} ${names(list, [step.task])}`;
    case "delete":
      return `Deleted ${names(list, step.tasks)}`;
    case "section-create":
      return `Added the section ${quoted(step.title)}`;
    case "section-rename":
      return step.title === undefined
        ? `Changed the section ${quoted(list.section(step.section)?.title)}`
        : `Renamed to ${quoted(step.title)}`;
    case "section-move":
      return `Moved the section ${quoted(list.section(step.section)?.title)}`;
    case "section-delete":
      return `Deleted the section ${quoted(list.section(step.section)?.title)}`;
    case "group":
      return describeGroup(list, step.steps);
    default:
      return "Changed the settings of the list";
  }
}

/** A group is several tasks that were added or completed, or an undo. */
function describeGroup(list, steps) {
  if (steps.length === 1) return describe(list, steps[0]);
  const count = `${steps.length} tasks`;
  const [{ set }] = steps;
  if (steps.every((one) => one.set?.data)) return `Changed ${count}`;
  if (steps.every(({ kind }) => kind === "create")) return `Added ${count}`;
  if (set?.done === undefined || steps.some((one) => one.set?.done !== set.done))
    return "Undid a change";
  return set.done ? `Completed ${count}` : `${count} are not completed`;
}

export function names(list, tasks) {
  if (tasks.length > 1) return `${tasks.length} tasks`;
  const task = list.tasks.get(tasks[0]);
  return task ? quoted(task.title) : "a task";
}

export function quoted(title) {
  const text = title ?? "";
  // Isolates prevent a right-to-left title from reversing the sentence.
  return `“\u2068${text.length > 40 ? `${text.slice(0, 39)}…` : text}\u2069”`;
}

/** Two tasks, or more, by the titles of the first. @param count the number of all */
export function titles(known, count) {
  const [first, second] = known.map((title) => (title === undefined ? "a task" : quoted(title)));
  if (count === 1) return first;
  if (count === 2) return `${first} and ${second}`;
  return `${first}, ${second} and ${count - 2} more`;
}

/** Why a row is not shown any more. */
export function whyGone(list, { task, section }) {
  const { title } = task ?? section;
  const isThere = task ? list.tasks.has(task.id) : list.section(section.id) !== undefined;
  return isThere ? `${quoted(title)} is hidden now.` : whyDeleted(title);
}

/** Why something can't be done with tasks or a section: the first one that has left the list. Null if all are there. */
export function whyMissing(list, nodes) {
  const isThere = ({ id, isSection }) => (isSection ? list.section(id) : list.tasks.has(id));
  const node = nodes.find((one) => !isThere(one));
  return node ? whyDeleted(node.title) : null;
}

export function whyDeleted(title) {
  return `${quoted(title)} was deleted, or moved to another list.`;
}

const reasons = {
  cycle: "A task can’t move into its own subtasks.",
  locked: "A locked row can’t be moved, deleted or displaced.",
  not_siblings: "In this list, tasks can only be moved among their siblings.",
  depth_limit: "Tasks can be nested at most 16 levels deep.",
  max_depth: "In this list, tasks can’t be nested so deep.",
  section_full: "The section is full.",
  parent_full: "A task would have too many subtasks for this list.",
  anchor_gone: "That place does not exist any more.",
  task_not_found: "That task was deleted.",
  section_not_found: "That section was deleted.",
  forbidden: "The token does not allow that.",
  share_limit: "There are too many links. Take one back first.",
  list_not_found: "This list was deleted.",
  list_full: "The list is full.",
  undo_conflict: "That can’t be undone any more.",
  history_gone: "That can’t be undone any more.",
  unreachable: "That is possible only while the server can be reached.",
  body_too_large: "The text is too long.",
};

/** A refused change, as a sentence. */
export function refusal(tree, { tasks, code, detail }) {
  const what = tree?.tasks.has(tasks[0]) ? `${names(tree, tasks)}: ` : "";
  return `${what}${reason(code, detail)}`;
}

/** The last of several refused changes, and how many there are. */
export function lastRefusal(count, text) {
  return count > 1 ? `${count} changes were refused. The last one: ${text}` : text;
}

/** The sentences about the newest of several refused changes. @param count the number of all */
export function allRefusals(count, sentences) {
  const text = sentences.join(" ");
  if (count <= 1) return text;
  const which = count > sentences.length ? ` The last ${sentences.length}:` : "";
  return `${count} changes were refused.${which} ${text}`;
}

/** The reason of a refusal, as a sentence. */
export function reason(code, detail) {
  return reasons[code] ?? detail ?? "The server refused that.";
}
