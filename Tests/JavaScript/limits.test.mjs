// The limits of a list: an undo puts back also into a full section, and a section has a limit of its own.
import assert from "node:assert/strict";
import { test } from "node:test";
import { List } from "../../clients/javascript/list.js";
import { Refusal } from "../../clients/javascript/refusal.js";
import { operationsOf, perform } from "../../clients/javascript/steps.js";
import { hasLimits } from "../../clients/javascript/limits.js";
import { partsBack } from "../../clients/javascript/transfer.js";

const task = (id, section = null, parent = null) => ({ id, title: id, section, parent });
const documentOf = (sections, tasks, settings = {}) => ({
  id: "list",
  title: "",
  elementsOffset: 0,
  collapseSubElements: false,
  moves: "anywhere",
  ...settings,
  sections,
  tasks,
});
const code = (wanted) => (error) => error instanceof Refusal && error.code === wanted;

test("an undo puts back into an over-full section", () => {
  const list = new List(
    documentOf([{ id: "s", title: "S" }], [task("a", "s"), task("b", "s"), task("c", "s")], {
      maxTasksPerSection: 1,
    }),
  );
  assert.ok(hasLimits(list));
  const moved = perform(list, { kind: "move", tasks: ["a"], to: { section: null } }, true);
  const deleted = perform(list, { kind: "delete", tasks: ["b"] }, true);
  const steps = [...deleted.undo, ...moved.undo];
  assert.throws(() => perform(list, { kind: "group", steps }), code("section_full"));
  const undo = { kind: "group", steps, undo: true };
  assert.deepEqual(
    operationsOf(undo).map((one) => [one.op, one.undo]),
    [
      ["create", true],
      ["move", true],
    ],
  );
  perform(list, undo, true);
  assert.deepEqual(
    list.section("s").children.map(({ id }) => id),
    ["a", "b", "c"],
  );
});

test("a section's own limit counts instead of the list's", () => {
  const sections = [
    { id: "doing", title: "Doing" },
    { id: "wide", title: "Wide", maxTasks: 3 },
  ];
  const list = new List(
    documentOf(sections, [task("a"), task("b", "doing"), task("c", "wide"), task("d", "wide")], {
      maxTasksPerSection: 1,
    }),
  );
  const move = (section) => ({ kind: "move", tasks: ["a"], to: { section } });
  assert.throws(() => perform(list, move("doing")), code("section_full"));
  perform(list, move("wide"));
  perform(list, move(null));
  const limit = (maxTasks) => ({ kind: "section-rename", section: "wide", maxTasks });
  const { undo } = perform(list, limit(2), true);
  assert.deepEqual(
    list.document.sections,
    [sections[0], { ...sections[1], maxTasks: 2 }].map(withData),
  );
  assert.throws(() => perform(list, move("wide")), code("section_full"));
  perform(list, { kind: "group", steps: undo }, true);
  assert.equal(list.section("wide").maxTasks, 3);
  const removed = perform(list, limit(null), true);
  assert.equal(list.section("wide").maxTasks, undefined);
  assert.throws(() => perform(list, move("wide")), code("section_full"));
  perform(list, { kind: "group", steps: removed.undo }, true);
  // A deleted section comes back with its limit.
  const gone = perform(list, { kind: "section-delete", section: "wide" }, true);
  perform(list, { kind: "group", steps: gone.undo, undo: true }, true);
  assert.equal(list.section("wide").maxTasks, 3);
});

test("a move back from another list puts back, too", () => {
  const tasks = [task("a", "s"), task("b", "s")];
  const partOf = (settings) =>
    partsBack(new List(documentOf([{ id: "s", title: "S" }], tasks, settings)), ["b"]);
  const to = { section: "s", position: 1, after: "a" };
  assert.deepEqual(partOf({}), [{ tasks: ["b"], to }]);
  const back = { ...to, undo: true };
  assert.deepEqual(partOf({ maxTasksPerSection: 1 }), [{ tasks: ["b"], to: back }]);
});

const withData = (section) => ({ data: undefined, ...section });
