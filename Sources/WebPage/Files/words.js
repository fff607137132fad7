// Sentences for people.
import { words } from "./language.js";

const { common, reasons, refusals, steps: texts, titles: lists } = words;

/** The announcement of a step after it was applied, with titles in “quotes”. */
export function describe(list, step) {
  switch (step.kind) {
    case "move":
      return texts.moved(names(list, step.tasks));
    case "create":
      return texts.added(quoted(step.task.title));
    case "update":
      if (step.set.title !== undefined) return texts.renamed(quoted(step.set.title));
      if (step.set.done === undefined) return texts.changed(names(list, [step.task]));
      return (step.set.done ? texts.done : texts.notDone)(names(list, [step.task]));
    case "collapse":
      return (step.collapsed ? texts.folded : texts.unfolded)(names(list, [step.task]));
    case "delete":
      return texts.deleted(names(list, step.tasks));
    case "section-create":
      return texts.addedSection(quoted(step.title));
    case "section-rename":
      return step.title === undefined
        ? texts.changedSection(quoted(list.section(step.section)?.title))
        : texts.renamed(quoted(step.title));
    case "section-move":
      return texts.movedSection(quoted(list.section(step.section)?.title));
    case "section-delete":
      return texts.deletedSection(quoted(list.section(step.section)?.title));
    case "group":
      return describeGroup(list, step.steps);
    default:
      return texts.changedSettings;
  }
}

/** A group is several tasks that were added or completed, or an undo. */
function describeGroup(list, steps) {
  if (steps.length === 1) return describe(list, steps[0]);
  const tasks = common.tasks(steps.length);
  const [{ set }] = steps;
  if (steps.every((one) => one.set?.data)) return texts.changed(tasks);
  if (steps.every(({ kind }) => kind === "create")) return texts.added(tasks);
  if (steps.every(({ kind }) => kind === "create" || kind === "section-create")) {
    const all = steps.map((one) => (one.task ?? one).title);
    return texts.added(titles(all, all.length));
  }
  if (set?.done === undefined || steps.some((one) => one.set?.done !== set.done))
    return texts.undidChange;
  return (set.done ? texts.completed : texts.reopened)(tasks);
}

export function names(list, tasks) {
  if (tasks.length > 1) return common.tasks(tasks.length);
  const task = list.tasks.get(tasks[0]);
  return task ? quoted(task.title) : common.aTask;
}

export function quoted(title) {
  const text = title ?? "";
  // Isolates prevent a right-to-left title from reversing the sentence.
  return common.quoted(`\u2068${text.length > 40 ? `${text.slice(0, 39)}…` : text}\u2069`);
}

/** Two tasks, or more, by the titles of the first. @param count the number of all */
export function titles(known, count) {
  const [first, second] = known.map((title) =>
    title === undefined ? common.aTask : quoted(title),
  );
  if (count === 1) return first;
  return count === 2 ? lists.two(first, second) : lists.several(first, second, count - 2);
}

/** Why a row is not shown any more. */
export function whyGone(list, { task, section }) {
  const { title } = task ?? section;
  const isThere = task ? list.tasks.has(task.id) : list.section(section.id) !== undefined;
  return isThere ? refusals.hidden(quoted(title)) : whyDeleted(title);
}

/** Why something can't be done with tasks or a section: the first one that has left the list. Null if all are there. */
export function whyMissing(list, nodes) {
  const isThere = ({ id, isSection }) => (isSection ? list.section(id) : list.tasks.has(id));
  const node = nodes.find((one) => !isThere(one));
  return node ? whyDeleted(node.title) : null;
}

export function whyDeleted(title) {
  return refusals.deleted(quoted(title));
}

/** A refused change, as a sentence. */
export function refusal(tree, { tasks, code, detail }) {
  const what = tree?.tasks.has(tasks[0]) ? `${names(tree, tasks)}: ` : "";
  return `${what}${reason(code, detail)}`;
}

/** The last of several refused changes, and how many there are. */
export function lastRefusal(count, text) {
  return count > 1 ? refusals.last(count, text) : text;
}

/** The sentences about the newest of several refused changes. @param count the number of all */
export function allRefusals(count, sentences) {
  const text = sentences.join(" ");
  if (count <= 1) return text;
  return count > sentences.length
    ? refusals.newest(count, sentences.length, text)
    : refusals.several(count, text);
}

/** The reason of a refusal, as a sentence. */
export function reason(code, detail) {
  return reasons[code] ?? detail ?? refusals.refused;
}
