// The history of a list in words.
import { dateOf, locale, quoted, titles } from "./app.js";
import { words } from "./later-words.js";

const { changes } = words;

/**
 * A change as a sentence: Anna moved “Milk” below “Bread”.
 * @param name of the person who made it; null if it is unknown
 */
export function sentenceOf(change, name) {
  // Isolates prevent a name from reversing the sentence.
  return changes.sentence(name ? `\u2068${name}\u2069` : changes.somebody, actionOfChange(change));
}

function actionOfChange({ kind, toList, fromList, steps, stepCount }) {
  if (kind === "created") return changes.created;
  if (kind === "deleted") return changes.deletedList;
  const [first] = steps;
  if (!first) return changes.changedList;
  const what = titles(
    steps.map(({ title }) => title),
    stepCount,
  );
  if (toList) return changes.movedAway(what);
  if (fromList) return changes.movedHere(what);
  const isOne =
    stepCount === 1 || (stepCount === steps.length && steps.every((step) => isLike(step, first)));
  if (isOne) return actionOf(first, what);
  return changes.andMore(actionOf(first, titles([first.title], 1)), stepCount - 1);
}

/** @param what the titles of the tasks */
function actionOf(step, what) {
  const { op, title, oldTitle, done, locked, collapsed } = step;
  switch (op) {
    case "move":
      return moved(step, what);
    case "insert":
      return added(step, what);
    case "update":
      if (oldTitle !== undefined) return changes.renamed(quoted(oldTitle), quoted(title));
      if (done !== undefined) return (done ? changes.completed : changes.reopened)(what);
      if (locked !== undefined) return (locked ? changes.locked : changes.unlocked)(what);
      return changes.changed(what);
    case "collapse":
      return (collapsed ? changes.folded : changes.unfolded)(what);
    case "delete":
      return changes.deleted(what);
    case "list":
      return oldTitle === undefined ? changes.changedSettings : changes.renamedList(quoted(title));
    case "section-insert":
      return changes.addedSection(what);
    case "section-update":
      return oldTitle === undefined
        ? changes.changedSection(what)
        : changes.renamedSection(quoted(oldTitle), quoted(title));
    case "section-move":
      return changes.movedSection(what);
    case "section-delete":
      return changes.deletedSection(what);
    default:
      return changes.replaced;
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

function added({ to }, what) {
  if (to?.parent !== undefined) return changes.addedInto(what, quoted(to.parent));
  if (to?.section !== undefined) return changes.addedTo(what, quoted(to.section));
  return changes.added(what);
}

/** Of the place, only the part that changed most is told. */
function moved({ from, to }, what) {
  if (!to) return changes.moved(what);
  if (to.parent !== undefined && to.parent !== from?.parent)
    return changes.movedInto(what, quoted(to.parent));
  if (to.section !== undefined && to.section !== from?.section)
    return changes.movedTo(what, quoted(to.section));
  if (from && from.section !== to.section) return changes.movedOut(what, quoted(from.section));
  if (from && from.parent !== to.parent) return changes.movedOut(what, quoted(from.parent));
  return to.below === undefined
    ? changes.movedToTop(what)
    : changes.movedBelow(what, quoted(to.below));
}

const relative = new Intl.RelativeTimeFormat(locale, { numeric: "auto" });
const units = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];

/** How long ago a time was: 5 minutes ago. Before the last week: the date. */
export function ago(time, now) {
  const seconds = Math.max(0, (now - time) / 1000);
  if (seconds >= 7 * 86_400) return dateOf(time);
  const [unit, length] = units.find(([, one]) => seconds >= one) ?? [];
  return unit ? relative.format(-Math.floor(seconds / length), unit) : changes.justNow;
}
