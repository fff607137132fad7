// What needs no browser of the page's files.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { contains, foundParts } from "../../Sources/WebPage/Files/fold-text.js";
import { Layout } from "../../Sources/WebPage/Files/layout.js";
import { markdownOf, linesOf } from "../../Sources/WebPage/Files/pasted.js";
import { randomOf, seed } from "./random.mjs";

const folder = new URL("../../Sources/WebPage/Files/", import.meta.url);
const files = readdirSync(folder).map((name) => [
  name,
  readFileSync(new URL(name, folder), "utf8"),
]);

test("the search finds what the server finds", () => {
  const path = new URL("../Fixtures/search.json", import.meta.url);
  for (const { query, title, found } of JSON.parse(readFileSync(path)))
    assert.equal(contains(title, query), found, `${query} in ${title}`);
});

test("the marked parts of a title are what a search has found", () => {
  const marked = (title, text) =>
    foundParts(title, text).map(([part, isFound]) => (isFound ? `[${part}]` : part));
  for (const [title, text, expected] of [
    ["Un café, deux cafe\u0301s", "CAFE", "Un [café], deux [cafe\u0301]s"],
    ["Straße", "ss", "Stra[ß]e"],
    ["Straße", "s", "[S]tra[ß]e"],
    ["aaa", "aa", "[aa]a"],
    ["👍🏽 done", "done", "👍🏽 [done]"],
    ["tea", "coffee", "tea"],
    ["tea", "", "tea"],
    ["", "", ""],
  ])
    assert.equal(marked(title, text).join(""), expected);
});

test("tasks that are written as Markdown are the same when they are read", () => {
  const tasks = [
    { title: "a", done: false, depth: 0 },
    { title: "two lines", done: true, depth: 1 },
    { title: "# no heading", done: false, depth: 2 },
    { title: "b", done: false, depth: 0 },
  ];
  const text = markdownOf(tasks.with(1, { ...tasks[1], title: "two \r\nlines" }));
  assert.equal(text, "- [ ] a\n  - [x] two lines\n    - [ ] # no heading\n- [ ] b\n");
  assert.deepEqual(linesOf(text), tasks);
});

test("marks of pasted lines are no part of titles", () => {
  const lines =
    "☐ one|☑ two|☒ three|◦ four|– five|  ▪ six|— seven|1. ☐ eight|- [x] nine|• ✓ ten|☐eleven" +
    "|⬜️ twelve|✅ thirteen|2–3 eggs|-5 degrees|*not a mark*|✓||\t\t- deep";
  const outline = linesOf(lines.replaceAll("|", "\n")).map(
    ({ title, done, depth }) => `${"  ".repeat(depth)}${title}${done ? " x" : ""}`,
  );
  assert.equal(
    outline.join("|"),
    "one|two x|three x|four|five|  six|seven|eight|nine x|ten x|eleven" +
      "|twelve|thirteen x|2–3 eggs|-5 degrees|*not a mark*|  deep",
  );
});

test("headings of pasted lines are sections, and what follows begins at the first level", () => {
  const lines = linesOf("a\n  b\n# Home\n    c\n  ## Work \n#tag\n#\n- # d");
  const section = (title) => ({ title, isSection: true });
  const task = (title, depth = 0) => ({ title, done: false, depth });
  assert.deepEqual(lines, [
    task("a"),
    task("b", 1),
    section("Home"),
    task("c"),
    section("Work"),
    task("#tag"),
    task("#"),
    task("# d"),
  ]);
});

test("rows are placed by their heights, for every gap", () => {
  const { below } = randomOf(seed);
  const layout = new Layout();
  const heights = new Map();
  const heightOf = ({ key }) => heights.get(key) ?? 48;
  const make = (count, name) =>
    Array.from({ length: count }, (_, index) => ({ key: `${name}${index}`, kind: "task" }));
  let [rows, gap] = [[], { index: 0, rows: [] }];
  for (let round = 0; round < 400; round += 1) {
    const about = `seed ${seed}, round ${round}`;
    const kind = below(6);
    if (kind === 0) rows = make(below(40), "row");
    // Most of the objects stay, as if some rows were moved, added or removed.
    if (kind >= 4) {
      const [taken, given] = [below(rows.length + 1), below(rows.length + 1)];
      const moved = rows.slice(taken, taken + below(3));
      rows = rows.toSpliced(taken, kind === 4 ? moved.length : below(3));
      rows = rows.toSpliced(given, 0, ...(kind === 4 ? moved : make(below(3), `new${round} `)));
      gap = { ...gap, index: below(rows.length + 1) };
    }
    if (below(20) === 0) {
      layout.forgetHeights();
      heights.clear();
      rows = rows.slice(0, -1);
      gap = { ...gap, index: below(rows.length + 1) };
    }
    if (kind <= 1) gap = { index: below(rows.length + 1), rows: make(below(4), "gap") };
    else if (kind === 2) gap = { ...gap, index: below(rows.length + 1) };
    layout.set(rows, gap);
    if (kind === 3) {
      const measured = new Map();
      for (let count = below(5); count > 0; count -= 1)
        measured.set(`${below(3) ? "row" : "gap"}${below(40)}`, 20 + below(80));
      layout.measured(measured);
      for (const [key, height] of measured) heights.set(key, height);
    }
    const all = [...rows.slice(0, gap.index), ...gap.rows, ...rows.slice(gap.index)];
    let top = 8;
    for (const [index, row] of all.entries()) {
      const is = [layout.row(index), layout.indexOf(row.key), layout.top(index)];
      assert.deepEqual(is, [row, index, top], about);
      top += heightOf(row);
      assert.equal(layout.at(top - 1), index, about);
    }
    assert.deepEqual(
      [layout.height, layout.length, layout.indexOf("none")],
      [top, all.length, -1],
      about,
    );
    const y = below(2_000);
    let [edge, above] = [8, 0];
    for (const row of rows) {
      if (edge + heightOf(row) / 2 <= y) above += 1;
      edge += heightOf(row);
    }
    assert.equal(layout.gapAt(y), above, about);
  }
});

// The properties that name a side of the window instead of a side of the text.
const physical =
  /(?<![\w-])(?:(?:margin|padding|border|scroll-margin|scroll-padding)-(?:left|right)|left|right|text-align: *(?:left|right)|inset:(?: +[^;\s]+){4,})(?=[ :;])/;

test("styles name no side of the window", () => {
  const lines = files
    .filter(([name]) => name.endsWith(".css"))
    .flatMap(([, text]) => text.split("\n").map((line) => line.replace(/\/\*.*?\*\//g, "")));
  assert.deepEqual(
    lines.filter((line) => physical.test(line)),
    [],
  );
});

test("only one file listens for keys: it ignores those of input methods", () => {
  const isListening = ([name, text]) => name.endsWith(".js") && /keydown|keyup|keypress/.test(text);
  assert.deepEqual(
    files.filter(isListening).map(([name]) => name),
    ["key.js"],
  );
});
