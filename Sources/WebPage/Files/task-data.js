// What the page knows of a task's `data`: `notes`, `due`, `labels`, `priority` and `url`. `data` can be any JSON: members of another form
// belong to an app, and are not shown.

const day = /^\d{4}-\d\d-\d\d$/;
const dateTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?$/i;
/** The days that a person can enter. While a year is typed, fields have years such as 0002. */
export const firstDay = "1000-01-01";
export const lastDay = "9999-12-31";
const dayMilliseconds = 24 * 60 * 60 * 1000;
const mostDataBytes = 8_192;

const isText = (value) => typeof value === "string" && value !== "";

/** The form of each member. */
const forms = {
  notes: isText,
  due: (value) => dueOf(value) !== null,
  labels: (value) => Array.isArray(value) && value.length > 0 && value.every(isText),
  priority: (value) => [1, 2, 3].includes(value),
  url: (value) => isLink(value),
};

/** Whether members can be set without the loss of what an app stores. */
export function hasMembers(data) {
  return data === undefined || data === null || (typeof data === "object" && !Array.isArray(data));
}

/** The value of a member; undefined if it is missing, or has another form. */
export function valueIn(data, name) {
  const value = data && hasMembers(data) && Object.hasOwn(data, name) ? data[name] : undefined;
  return value !== undefined && forms[name](value) ? value : undefined;
}

/** Whether a row has something to show of `data`. */
export function hasValues(data) {
  return Boolean(data) && Object.keys(forms).some((name) => valueIn(data, name) !== undefined);
}

/** Whether a merge patch of some members would make `data` larger than the server allows. */
export function isTooLarge(data, patch) {
  const after = Object.entries({ ...data, ...patch }).filter(([, value]) => value !== null);
  const text = JSON.stringify(Object.fromEntries(after));
  return new TextEncoder().encode(text).length > mostDataBytes;
}

export function isLink(text) {
  return typeof text === "string" && /^https?:\/\//i.test(text) && URL.canParse(text);
}

/** What `due` means here: its `date`, and whether it has a time (`hasTime`). Null if it has another form. */
export function dueOf(due) {
  if (typeof due !== "string") return null;
  const hasTime = dateTime.test(due);
  if (!hasTime && !day.test(due)) return null;
  // Without a time, it is the whole day, wherever the reader is.
  const date = new Date(hasTime ? due : `${due}T00:00:00`);
  const isReal = !Number.isNaN(date.getTime()) && isDay(due.slice(0, 10));
  return isReal ? { date, hasTime } : null;
}

/** Browsers take 30 February for a day in March. */
function isDay(text) {
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

/** The days from today to a date, in local time. */
export function daysUntil(date, now) {
  const [there, here] = [date, now].map((one) =>
    Date.UTC(one.getFullYear(), one.getMonth(), one.getDate()),
  );
  return (there - here) / dayMilliseconds;
}

/** The form of a local date in `due`. */
export function dayText(date) {
  const part = (number) => String(number).padStart(2, "0");
  return `${String(date.getFullYear()).padStart(4, "0")}-${part(date.getMonth() + 1)}-${part(date.getDate())}`;
}

const formats = new Map();

/** Formats take long to make. */
function formatOf(kind, locale, options) {
  const key = JSON.stringify([kind, locale, options]);
  if (!formats.has(key)) formats.set(key, new Intl[kind](locale, options));
  return formats.get(key);
}

/** A date as a reader calls it: tomorrow, Mon, 3 Dec. */
export function dateWords({ date, hasTime }, now, locale) {
  const days = daysUntil(date, now);
  const words = (options) => formatOf("DateTimeFormat", locale, options).format(date);
  const isNear = Math.abs(days) < 2;
  const isThisYear = date.getFullYear() === now.getFullYear();
  const text = isNear
    ? formatOf("RelativeTimeFormat", locale, { numeric: "auto" }).format(days, "day")
    : days > 0 && days < 7
      ? words({ weekday: "short" })
      : words({ day: "numeric", month: "short", ...(!isThisYear && { year: "numeric" }) });
  return hasTime ? `${text}, ${words({ timeStyle: "short" })}` : text;
}

export function isOverdue({ date, hasTime }, now) {
  return hasTime ? date < now : daysUntil(date, now) < 0;
}

/** The group of a due date: overdue, today, tomorrow, later this week (which ends on Sunday), or later. */
export function dueGroup(due, now) {
  const days = daysUntil(due.date, now);
  if (isOverdue(due, now)) return 0;
  if (days < 2) return 1 + days;
  return days <= (7 - now.getDay()) % 7 ? 3 : 4;
}

/** The `due` for a date and a time as fields have them; null without both. A former value keeps its form: with an offset, or local. */
export function dueFrom(date, time, former, now) {
  if (date === "" && time === "") return null;
  const day = date || dayText(now);
  if (time === "") return day;
  const local = `${day}T${time.length === 5 ? `${time}:00` : time}`;
  const hasOffset = /T.*(Z|[+-]\d\d:\d\d)$/i.test(former ?? "");
  return hasOffset ? new Date(local).toISOString().replace(".000Z", "Z") : local;
}
