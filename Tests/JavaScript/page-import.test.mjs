// Files on the page: what the answer to an import says, and the requests of imports and exports.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  groupsOf,
  nameFor,
  nameIn,
  queryOf,
  rangesOf,
  rowsOf,
} from "../../Sources/WebPage/Files/import-report.js";

test("remarks with the same text are one group, and what is left out comes first", () => {
  const remark = (kind, text, firstLine, lastLine = firstLine) => ({
    kind,
    text,
    firstLine,
    lastLine,
  });
  const groups = groupsOf([
    remark("changed", "a level", 2),
    remark("left_out", "a picture", 3),
    remark("shortened", "a picture", 4),
    remark("left_out", "a picture", 7, 9),
  ]);
  assert.deepEqual(
    groups.map(({ kind, text, lines }) => `${kind} ${text} ${rangesOf(lines)}`),
    ["left_out a picture 3, 7–9", "shortened a picture 4", "changed a level 2"],
  );
});

test("the first rows are in the order of the list, with sections", () => {
  const task = (title, section, depth = 0) => ({ title, section, depth, done: title === "b" });
  const document = {
    sections: [
      { id: "s", title: "S" },
      { id: "t", title: "T" },
    ],
    tasks: [task("a", null), task("b", null, 1), task("c", "t"), task("d", "t")],
  };
  const shown = (most) =>
    rowsOf(document, most).map(
      ({ title, depth, isSection, done }) =>
        `${isSection ? "# " : "  ".repeat(depth)}${title}${done ? " x" : ""}`,
    );
  assert.deepEqual(shown(10), ["a", "  b x", "# S", "# T", "c", "d"]);
  assert.deepEqual(shown(5), ["a", "  b x", "# S", "# T", "c"]);
  assert.deepEqual(shown(1), ["a"]);
});

test("a long file name keeps its end, and has whole characters", () => {
  const size = (text) => new TextEncoder().encode(text).length;
  assert.equal(nameFor("a.b.md"), "a.b.md");
  assert.equal(nameFor(`${"a".repeat(252)}.md`), `${"a".repeat(252)}.md`);
  assert.equal(nameFor(`${"a".repeat(253)}.md`), `${"a".repeat(252)}.md`);
  const emoji = nameFor(`x${"😀".repeat(70)}.csv`);
  assert.equal(emoji, `x${"😀".repeat(62)}.csv`);
  assert.ok(size(emoji) <= 255);
  assert.equal(size(nameFor("é".repeat(200))), 254);
});

test("the query of an import has what the person chose", () => {
  const columns = ["title=Task & more", "done=Done=?"];
  const query = queryOf("a b.csv", {
    columns,
    list: "l",
    replace: true,
    keep: false,
    dryRun: true,
  });
  assert.deepEqual(Object.fromEntries(new URLSearchParams(`${query}`)), {
    name: "a b.csv",
    list: "l",
    column: "done=Done=?",
    replace: "true",
    dryRun: "true",
  });
  assert.deepEqual(new URLSearchParams(`${query}`).getAll("column"), columns);
  assert.equal(`${queryOf("a.md", { replace: false })}`, "name=a.md");
});

test("the name of an exported file is the one of the server", () => {
  const of = (text) => nameIn(`attachment; ${text}`);
  assert.equal(of(`filename="Z.md"; filename*=UTF-8''Zo%C3%AB%20%F0%9F%98%80.md`), "Zoë 😀.md");
  assert.equal(of(`filename="a \\"b\\" \\\\c.md"`), 'a "b" \\c.md');
  assert.equal(of(`filename="Z.md"; filename*=UTF-8''%E0%A4%A`), "Z.md");
  assert.equal(of(""), null);
  assert.equal(nameIn(null), null);
});
