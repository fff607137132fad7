// The history of a list in words.
import { quoted, titles } from "./words.js";

/**
 * A change as a sentence: Anna moved “Milk” below “Bread”.
 * @param name of the person who made it; null if it is unknown
 */
export function sentenceOf(change, name) {
  // Isolates prevent a name from reversing the sentence.
  return `${name ? `\u2068${name}\u2069` : "Somebody"} ${actionOfChange(change)}`;
}

function actionOfChange({ kind, toList, fromList, steps, stepCount }) {
  if (kind === "created") return "created the list";
  if (kind === "deleted") return "deleted the list";
  const [first] = steps;
  if (!first) return "changed the list";
  const what = titles(
    steps.map(({ title }) => title),
    stepCount,
  );
  if (toList) return `moved ${what} to another list`;
  if (fromList) return `moved ${what} here from another list`;
  const isOne =
    stepCount === 1 || (stepCount === steps.length && steps.every((step) => isLike(step, first)));
  if (isOne) return actionOf(first, what);
  return `${actionOf(first, titles([first.title], 1))}, and ${stepCount - 1} more`;
}

/** @param what the titles of the tasks */
function actionOf(step, what) {
  const { op, title, oldTitle, done, locked, collapsed } = step;
  switch (op) {
    case "move":
      return `moved ${what}${goal(step)}`;
    case "insert":
      return `added ${what}${goal(step)}`;
    case "update":
      if (oldTitle !== undefined) return `renamed ${quoted(oldTitle)} to ${quoted(title)}`;
      if (done !== undefined) return `${done ? "completed" : "reopened"} ${what}`;
      if (locked !== undefined) return `${locked ? "locked" : "unlocked"} ${what}`;
      return `changed ${what}`;
    case "collapse":
      return `${collapsed ? "folded" : "unfolded"} ${what}`;
    case "delete":
      return `deleted ${what}`;
    case "list":
      return oldTitle === undefined
        ? "changed the settings of the list"
        : `renamed the list to ${quoted(title)}`;
    case "section-insert":
      return `added the section ${what}`;
    case "section-update":
      return oldTitle === undefined
        ? `changed the section ${what}`
        : `renamed the section ${quoted(oldTitle)} to ${quoted(title)}`;
    case "section-move":
      return `moved the section ${what}`;
    case "section-delete":
      return `deleted the section ${what}`;
    default:
      return "replaced the whole list";
  }
}

/** Whether two steps are told as one: the same was done to two tasks. */
function isLike(one, other) {
  const isSame = (name) => one[name] === other[name];
  return (
    ["op", "done", "locked", "collapsed", "settings"].every(isSame) &&
    one.oldTitle === undefined &&
    other.oldTitle === undefined
  );
}

/** Where a task was moved or added. Of the place, only the part that changed most is told. */
function goal({ op, from, to }) {
  if (!to) return "";
  if (to.parent !== undefined && to.parent !== from?.parent) return ` into ${quoted(to.parent)}`;
  if (to.section !== undefined && to.section !== from?.section) return ` to ${quoted(to.section)}`;
  if (op === "insert") return "";
  if (from && from.section !== to.section) return ` out of ${quoted(from.section)}`;
  if (from && from.parent !== to.parent) return ` out of ${quoted(from.parent)}`;
  return to.below === undefined ? " to the top" : ` below ${quoted(to.below)}`;
}

const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const units = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];

/** How long ago a time was: 5 minutes ago. Before the last week: the date. */
export function ago(time, now) {
  const seconds = Math.max(0, (now - time) / 1000);
  if (seconds >= 7 * 86_400)
    return new Date(time).toLocaleDateString("en", { dateStyle: "medium" });
  const [unit, length] = units.find(([, one]) => seconds >= one) ?? [];
  return unit ? relative.format(-Math.floor(seconds / length), unit) : "just now";
}
