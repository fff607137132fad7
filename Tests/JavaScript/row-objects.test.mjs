// The rows of `List`: a long list makes few objects for a change.
import assert from "node:assert/strict";
import { test } from "node:test";
import { List } from "../../clients/javascript/list.js";
import { documentOf } from "./outlines.mjs";

test("the row of a task is the same object after each change", () => {
  const tree = new List(documentOf(["a", "b", "c", "d"].map((id) => ({ id, depth: 0 }))));
  const before = tree.rows();
  tree.apply({ op: "move", task: "d", section: null, parent: "a", position: 0 });
  const after = tree.rows();
  assert.deepEqual(
    after.map(({ id, depth, position }) => [id, depth, position]),
    [
      ["a", 0, 0],
      ["d", 1, 0],
      ["b", 0, 1],
      ["c", 0, 2],
    ],
  );
  for (const row of after) assert.ok(before.includes(row));
});

test("the state of a list that is stored has no rows", () => {
  const tree = new List(documentOf([{ id: "a", depth: 0 }]));
  tree.rows();
  const { section, parent, ...task } = JSON.parse(JSON.stringify(tree.document.tasks[0]));
  assert.deepEqual(task, { id: "a", title: "a", done: false, locked: false, collapsed: false });
});

test("the header of a section is the same object after each change", () => {
  const sections = [{ id: "s", title: "Home" }];
  const tree = new List({ ...documentOf([{ id: "a", depth: 0 }]), sections });
  const ends = new Map();
  const last = (section) => ends.get(section) ?? ends.set(section, { section }).get(section);
  const before = tree.rows(last);
  tree.apply({ op: "section-update", section: "s", title: "Work" });
  const after = tree.rows(last);
  assert.deepEqual(
    after.map(({ kind }) => kind),
    ["task", undefined, "section", undefined],
  );
  for (const [index, row] of after.entries()) assert.equal(row, before[index]);
  assert.equal(after[2].section.title, "Work");
});
