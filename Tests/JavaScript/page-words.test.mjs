// The words of the page: each language has all of them, and no other file has words.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";

const folder = new URL("../../Sources/WebPage/Files/", import.meta.url);
const names = readdirSync(folder);
const languages = names.filter((name) => /^[a-z]{2}\.js$/.test(name));
const textOf = (name) => readFileSync(new URL(name, folder), "utf8");
const wordsOf = async (name) => {
  const language = name.slice(0, 2);
  return [language, (await import(new URL(name, folder)))[language]];
};
const [[, first], ...others] = await Promise.all(
  ["en.js", ...languages.filter((name) => name !== "en.js")].map(wordsOf),
);
const later = (await import(new URL("en-later.js", folder))).english;
const english = { ...first, ...later };
const html = textOf("index.html");
const isWords = (name) => [...languages, "en-later.js", "format-names.js"].includes(name);
const modules = names.filter((name) => name.endsWith(".js") && !isWords(name));

/** The members with their paths. */
function* members(words, prefix = "") {
  for (const [name, value] of Object.entries(words)) {
    if (typeof value === "object") yield* members(value, `${prefix}${name}.`);
    else yield [`${prefix}${name}`, value];
  }
}

test("each language has all words", () => {
  const kinds = (words) =>
    [...members(words)]
      .map(
        ([path, value]) => `${path} ${typeof value} ${value.length * (typeof value !== "string")}`,
      )
      .sort();
  assert.ok(others.length > 0);
  for (const [language, words] of others) {
    assert.equal(words.language, language);
    assert.deepEqual(kinds(words), kinds(english), language);
  }
});

test("sentences use their values", () => {
  for (const [language, words] of [["en", english], ...others]) {
    for (const [path, value] of members(words)) {
      for (const count of typeof value === "function" ? [1, 2] : []) {
        const text = value(...Array(value.length).fill(count));
        assert.match(text, /\S/, `${language} ${path}`);
        assert.doesNotMatch(text, /undefined|NaN|\[object/, `${language} ${path}`);
      }
    }
  }
});

test("the document has no words, and names only words that exist", () => {
  const all = new Map(members(english));
  for (const [, path] of html.matchAll(/ data-words[\w-]*="([^"]*)"/g))
    assert.equal(typeof all.get(path), "string", path);
  const [, body] = html.split("<body");
  const texts = [...body.matchAll(/>([^<]*\p{L}{2}[^<]*)</gu)].map(([, text]) => text.trim());
  assert.deepEqual(texts, []);
  const labels = body.match(/ (aria-label|placeholder|title)="[^"]*\p{L}{2}[^"]*"/gu);
  assert.equal(labels, null);
});

test("the document names the languages", () => {
  const named = [...html.matchAll(/ hreflang="(\w+)" href="web\/BUILD\/(\w+\.js)"/g)];
  assert.deepEqual(
    named.map(([, language, file]) => [`${language}.js`, file]),
    others.map(([language]) => [`${language}.js`, `${language}.js`]),
  );
});

/** A string that begins a sentence. What is thrown is for programmers. */
const sentence = /(?<!Error\()["`](?:[A-Z][a-z’]*|\$\{[^}]*\}) [A-Za-z][^"`]*["`]/g;

test("no module has sentences", () => {
  for (const name of modules) {
    const code = textOf(name)
      .replaceAll(/\/\*[\s\S]*?\*\//g, "")
      .replaceAll(/(?<=^|\s)\/\/.*/g, "");
    assert.equal(code.match(sentence), null, name);
  }
});

test("the first script has the words that it uses", () => {
  for (const name of modules) {
    const code = textOf(name);
    if (/from "\.\/later-words\.js"/.test(code)) continue;
    const groups = [...code.matchAll(/(?<![\w./-])words\.(\w+)/g)].map(([, group]) => group);
    for (const [, list] of code.matchAll(/const \{([^}]*)\} = words;/g))
      groups.push(...list.split(",").map((one) => one.trim().split(":")[0]));
    assert.deepEqual(
      groups.filter((group) => group && !(group in first)),
      [],
      name,
    );
  }
  assert.deepEqual(
    Object.keys(later).filter((group) => group in first),
    [],
  );
});

/** Groups whose members are looked up by a code or a state. */
const lookedUp = ["reasons", "state"];

test("all words are used", () => {
  const used = new Set([html, ...modules.map(textOf)].join("\n").match(/\w+/g));
  const unused = [...members(english)]
    .map(([path]) => path.split("."))
    .filter(([group, member]) => member && !lookedUp.includes(group) && !used.has(member));
  assert.deepEqual(unused, []);
});
