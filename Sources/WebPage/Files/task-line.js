// The quiet line below a task's title: when it is due, its priority, marks for notes and a link, and its labels.
import { element, icon } from "./icons.js";
import { locale, words } from "./language.js";
import { dateWords, daysUntil, dueOf, isOverdue, valueIn } from "./task-data.js";

const minuteMilliseconds = 60_000;
/** What each line shows: the `data`, whether the task is done, the minute, and what a screen reader says. */
const shown = new WeakMap();

/** Shows the line of a task. @returns what a screen reader says of it; empty if there is nothing to show */
export function showLine(line, { data, done }) {
  const minute = Math.floor(Date.now() / minuteMilliseconds);
  const before = shown.get(line) ?? {};
  const isSame = before.data === data && before.done === done && before.minute === minute;
  if (isSame) return before.said;
  const parts = partsOf(data, done, new Date());
  if (parts.length > 0 || !line.hidden) line.replaceChildren(...parts.map(({ node }) => node));
  line.hidden = parts.length === 0;
  const said = parts.map((part) => part.said).join(", ");
  shown.set(line, { data, done, minute, said });
  return said;
}

function partsOf(data, done, now) {
  const parts = [];
  const add = (className, said, ...content) => {
    const node = element("span", { className }, ...content);
    parts.push({ node, said });
    return node;
  };
  const due = dueOf(valueIn(data, "due"));
  if (due) {
    const isLate = isOverdue(due, now);
    const text = dateWords(due, now, locale);
    const isToday = daysUntil(due.date, now) === 0;
    const state = done ? "" : isLate ? "late" : isToday ? "today" : "";
    add(
      `due ${state}`,
      words.data[state === "late" ? "overdue" : "due"](text),
      icon("due"),
      capital(text),
    );
  }
  const priority = valueIn(data, "priority");
  if (priority) {
    const name = words.data.priorities[priority];
    add(`priority-${priority}`, words.data.priority(name), icon("flag"), name);
  }
  for (const [name, said] of Object.entries(words.data.marks))
    if (valueIn(data, name)) add("mark", said, icon(name));
  for (const label of valueIn(data, "labels") ?? []) paint(add("label", label, label), label);
  return parts;
}

/** A text with a capital first letter. */
export function capital(text) {
  const [first, ...rest] = text;
  return [first.toLocaleUpperCase(locale), ...rest].join("");
}

/** Gives a label its color, which its text decides (the FNV-1a hash). */
export function paint(node, label) {
  let hash = 2_166_136_261;
  for (const character of label) hash = Math.imul(hash ^ character.codePointAt(0), 16_777_619);
  node.dir = "auto";
  node.style.setProperty("--hue", (hash >>> 9) % 360);
}
