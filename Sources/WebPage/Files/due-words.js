// Finds the words for a day at the end of a typed title: tomorrow, in 3 days, Friday, 1 Dec, 2026-12-01. The browser knows the words of
// its languages.
import { dayText, dueOf } from "./task-data.js";

const mostDays = 60;
const mostWeeks = 12;
const fewestLetters = 3;

/**
 * @param text the title
 * @param now today, in local time
 * @param locales the languages of the person
 * @param before words before a day that belong to it, such as “on”
 * @returns the `due`, and the `title` without the words; null if there are none
 */
export function dueIn(text, now, locales, before = []) {
  const lower = text.trimEnd().toLowerCase();
  const found = locales.flatMap((locale) => endings(lower, now, locale));
  if (found.length === 0) return null;
  // The longest words count: “day after tomorrow”, not “tomorrow”.
  const { length, date } = found.reduce((best, one) => (one.length > best.length ? one : best));
  let title = text.trimEnd().slice(0, -length).trimEnd();
  const word = before.find((one) => ` ${title.toLowerCase()}`.endsWith(` ${one}`));
  if (word) title = title.slice(0, -word.length).trimEnd();
  return title === "" ? null : { title, due: dayText(date) };
}

/** All words for a day with which a text ends: their `length` and `date`. */
function endings(text, now, locale) {
  const found = [];
  const add = (length, date) => date && found.push({ length, date });
  const { phrases, months } = vocabularyOf(locale);
  for (const [phrase, dateOf] of phrases)
    if (endsWith(text, phrase)) add(phrase.length, dateOf(now));
  const [iso] = text.match(/(?<=^|\s)[1-9]\d{3}-\d\d-\d\d$/) ?? [];
  if (iso) add(iso.length, dueOf(iso)?.date);
  const inMonth =
    /(?<=^|\s)(?:(\d{1,2})\.?\s+(\p{L}+)|(\p{L}+)\.?\s+(\d{1,2}))\.?(?:,?\s+([1-9]\d{3}))?$/u;
  const match = text.match(inMonth);
  if (match) {
    const month = months.get(match[2] ?? match[3]);
    if (month !== undefined)
      add(match[0].length, inYear(month, Number(match[1] ?? match[4]), match[5], now));
  }
  return found;
}

function endsWith(text, phrase) {
  return (
    text.endsWith(phrase) &&
    (text.length === phrase.length || /\s/.test(text.at(-phrase.length - 1)))
  );
}

/** A day of a month: the next one, if there is no year. */
function inYear(month, day, year, now) {
  const date = new Date(Number(year ?? now.getFullYear()), month, day);
  if (year === undefined && date < after(now, 0)) date.setFullYear(date.getFullYear() + 1);
  return date.getMonth() === month ? date : undefined;
}

function after(now, days) {
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() + days);
}

const vocabularies = new Map();

/** The `phrases` of a language with functions that return their dates, and the numbers of its `months`. */
function vocabularyOf(locale) {
  let made = vocabularies.get(locale);
  if (!made) vocabularies.set(locale, (made = makeVocabulary(locale)));
  return made;
}

function makeVocabulary(locale) {
  const phrases = new Map();
  const say = (numeric, number, unit) =>
    new Intl.RelativeTimeFormat(locale, { numeric }).format(number, unit).toLowerCase();
  for (const numeric of ["always", "auto"]) {
    for (let days = 0; days <= mostDays; days += 1)
      phrases.set(say(numeric, days, "day"), (now) => after(now, days));
    for (let weeks = 1; weeks <= mostWeeks; weeks += 1)
      phrases.set(say(numeric, weeks, "week"), (now) => after(now, 7 * weeks));
  }
  // “Next week” begins on Monday.
  phrases.set(say("auto", 1, "week"), (now) => after(now, ((7 - now.getDay()) % 7) + 1));
  for (let weekday = 0; weekday < 7; weekday += 1)
    for (const name of namesOf(locale, "weekday", new Date(2023, 0, 1 + weekday)))
      phrases.set(name, (now) => after(now, ((weekday - now.getDay() + 6) % 7) + 1));
  const months = new Map();
  for (let month = 0; month < 12; month += 1)
    for (const name of namesOf(locale, "month", new Date(2023, month, 1))) months.set(name, month);
  return { phrases, months };
}

/** The long and the short name of a weekday or a month. Names of two letters are often other words, too. */
function namesOf(locale, part, date) {
  return ["long", "short"]
    .map((form) => new Intl.DateTimeFormat(locale, { [part]: form }).format(date))
    .map((name) => name.toLowerCase().replace(/\.$/, ""))
    .filter((name) => name.length >= fewestLetters);
}
