// The words of the page: in the first of the browser's languages that the page has, otherwise in English.
import { en } from "./en.js";

/** The files of the other languages, which the document names. */
const files = new Map();
for (const { hreflang, href } of globalThis.document?.querySelectorAll("link[rel=words]") ?? [])
  files.set(hreflang, href);

/** Some browsers have tags such as `en-US@posix`, which no format accepts. */
function isTag(tag) {
  try {
    return Intl.getCanonicalLocales(tag).length > 0;
  } catch {
    return false;
  }
}

/** The language of a tag such as `de-AT`. */
function languageOf(tag) {
  return tag.split("-")[0].toLowerCase();
}

/** The languages of the person. */
export const tags = (globalThis.navigator?.languages ?? []).filter(isTag);
const wanted = tags.find((tag) => languageOf(tag) === "en" || files.has(languageOf(tag))) ?? "en";

async function load(language) {
  if (!files.has(language)) return en;
  try {
    return (await import(files.get(language)))[language];
  } catch {
    return en;
  }
}

export const words = await load(languageOf(wanted));

/** For dates and numbers: the words' language, as the browser names it. */
export const locale = languageOf(wanted) === words.language ? wanted : words.language;

/** @param time a `Date`, or milliseconds */
export function dateOf(time) {
  return new Intl.DateTimeFormat(locale, { dateStyle: "medium" }).format(time);
}
