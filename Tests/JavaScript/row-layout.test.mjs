// Drops by rows, beside those of Tests/Fixtures/row-layout.json (vectors.test.mjs).
import assert from "node:assert/strict";
import { test } from "node:test";
import { destinationOf, layoutOf, tasksOf } from "../../clients/javascript/drops.js";
import { List } from "../../clients/javascript/list.js";
import { perform, takeBack } from "../../clients/javascript/steps.js";
import { visibleRows } from "../../clients/javascript/visible-rows.js";
import { documentOf } from "./outlines.mjs";

/** The tasks and the destination of a drop. */
function moveOf(tree, shown, drop) {
  const tasks = tasksOf(shown, drop);
  return { tasks, to: destinationOf(tree, shown, tasks, drop) };
}

const chain = (length) => [...Array(length).keys()].map((depth) => ({ id: `d${depth}`, depth }));

test("no row gets below the sixteenth level", () => {
  const outline = [...chain(15), { id: "a", depth: 0 }, { id: "b", depth: 1 }];
  outline.push({ id: "b1", depth: 2 }, { id: "c", depth: 0 });
  const tree = new List(documentOf(outline));
  const shown = visibleRows(tree);
  const below = { to: { section: null, row: 15 } };
  const depthOf = (drop) => {
    const { tasks, to } = moveOf(tree, shown, drop);
    const { back } = perform(tree, { kind: "move", tasks, to });
    const { depth } = visibleRows(tree).find(({ id }) => id === tasks[0]);
    takeBack(tree, back);
    return depth;
  };
  assert.equal(depthOf({ task: "c", ...below, level: 15 }), 15);
  assert.equal(depthOf({ task: "a", ...below, level: 13 }), 13);
  assert.throws(() => depthOf({ task: "a", ...below, level: 14 }), { code: "depth_limit" });
  assert.throws(() => depthOf({ task: "c", ...below, level: 16 }), {
    code: "level_not_possible",
    detail: "Level 16 is not possible there: the task can have levels 0 to 15.",
  });
  // There is room for the subtasks of all moved tasks.
  const end = { to: { section: null, row: 14 } };
  assert.equal(depthOf({ tasks: ["d14", "c"], ...end, level: 14 }), 14);
  assert.throws(() => depthOf({ tasks: ["d14", "a"], ...end, level: 14 }), { code: "depth_limit" });
  // Without a level, no task goes deeper because of another one.
  assert.equal(depthOf({ tasks: ["d14", "c"], ...end }), 0);
  assert.equal(depthOf({ tasks: ["d14", "b"], ...end }), 1);
});

test("tasks without a row are dropped beside the row below, or at the end", () => {
  const outline = [
    { id: "a", depth: 0, collapsed: true },
    { section: "s0" },
    { section: "s1" },
    { id: "b", depth: 0 },
    { section: "s2" },
  ];
  const tree = new List(documentOf(outline));
  const shown = visibleRows(tree);
  // `a0` is hidden, so its level 1 is not possible above `b`.
  const at = (toRow) => moveOf(tree, shown, { task: "a0", toRow }).to;
  assert.deepEqual(at(0), { before: "a", section: null, position: 0 });
  assert.deepEqual(at(1), { before: "b", section: "s1", position: 0 });
  assert.deepEqual(at(2), { parent: "b", position: 0 });
  const empty = new List(documentOf([{ section: "s0" }]));
  assert.deepEqual(layoutOf(empty, visibleRows(empty), ["s0"], []).gap({ toRow: 3 }), {
    section: null,
    row: 0,
  });
});

test("a drop that names no rows, or rows that do not exist, is no drop", () => {
  const tree = new List(
    documentOf([{ id: "a", depth: 0 }, { section: "s0" }, { id: "b", depth: 0 }]),
  );
  const shown = visibleRows(tree);
  assert.deepEqual(tasksOf(shown, { rows: [1, 0] }), ["a", "b"]);
  const drop = (wanted) => () => moveOf(tree, shown, wanted);
  assert.throws(drop({ row: 2, toRow: 0 }), {
    code: "anchor_gone",
    detail: "Row 2 does not exist: there are 2 visible rows.",
  });
  assert.throws(drop({ task: "c", toRow: 0 }), { code: "task_not_found" });
  assert.throws(drop({ task: "a", toRow: 1, section: null }), {
    code: "anchor_gone",
    detail: "Row 1 is not in the tasks without a section: there, the task can have row 0.",
  });
  assert.throws(drop({ task: "a", to: { section: "gone", row: 0 } }), { code: "anchor_gone" });
  assert.throws(drop({ toRow: 0 }), { code: "invalid_body" });
  assert.throws(drop({ task: "a", row: 0, toRow: 0 }), { code: "invalid_body" });
  assert.throws(drop({ task: "a" }), { code: "invalid_body" });
  assert.throws(drop({ task: "a", toRow: 0, toOffset: 0 }), { code: "invalid_body" });
});

test("a drop has the level and the subtasks of the rows that the person saw", () => {
  const rows = [
    { id: "a", depth: 0 },
    { id: "b", depth: 0 },
    { id: "c", depth: 0 },
  ];
  const shown = visibleRows(new List(documentOf(rows)));
  // Meanwhile somebody else has made `b` a subtask of `a`.
  const now = new List(documentOf(rows.map((row) => ({ ...row, depth: row.id === "b" ? 1 : 0 }))));
  const place = { section: null, position: 2 };
  assert.deepEqual(moveOf(now, shown, { task: "b", toRow: 2 }).to, { after: "c", ...place });
  const both = moveOf(now, shown, { tasks: ["a", "b"], toRow: 1 });
  assert.deepEqual(both.to, { after: "c", section: null, position: 1 });
});
