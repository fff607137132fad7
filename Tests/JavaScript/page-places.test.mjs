// The places at which the page can drop rows: those of Tests/Fixtures/row-layout.json.
import assert from "node:assert/strict";
import { register } from "node:module";
import { test } from "node:test";
import { List } from "../../clients/javascript/list.js";
import { documentOf } from "./outlines.mjs";
import { codeOf, listOf, lists } from "./row-vectors.mjs";

// The server has the files of the page and of the client in one folder.
const folder = new URL("../../clients/javascript/client.js", import.meta.url);
const hooks = `export const resolve = (name, context, next) =>
  next(name === "./client.js" ? ${JSON.stringify(folder)} : name, context);`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);
const { Lift } = await import("../../Sources/WebPage/Files/places.js");

/** The rows of the page: each section but the last one ends with a row that adds tasks. */
function rowsOf(tree) {
  return tree.rows().flatMap((row, index, rows) => {
    const { section } = row;
    const next = rows[index + 1];
    if (!next || next.section === section) return [row];
    return [row, { key: `add ${section.id}`, kind: "adder", section, depth: 0 }];
  });
}

/** @returns the number of places */
function check(tree, { tasks, gaps, refusals }) {
  const lift = new Lift(tree, rowsOf(tree), tasks, tasks[0]);
  const codes = refusals.map((levels) => levels.map(codeOf));
  if (lift.refusal) return assert.ok(codes.flat().every((code) => code === "locked")) ?? 0;
  let count = 0;
  for (let index = 0; index <= lift.rest.length; index += 1) {
    const isAdder = (row) => row?.kind === "adder";
    // A section ends before the row that adds tasks to it.
    const end = isAdder(lift.rest[index - 1]) ? index - 1 : index;
    const number = lift.rest.slice(0, end).filter((row) => !isAdder(row)).length;
    const { levels, places } = gaps[number];
    const possible = codes[number].flatMap((code, at) => (code === null ? [levels[0] + at] : []));
    for (let depth = 0; depth <= 4; depth += 1) {
      const about = JSON.stringify({ tasks, index, depth });
      const place = lift.place(index, depth);
      assert.equal(place.index, end, about);
      const nearest = Math.min(...possible.map((level) => Math.abs(level - depth)));
      if (possible.length === 0) assert.notEqual(place.code, null, about);
      else {
        assert.equal(place.code, null, about);
        assert.ok(possible.includes(place.depth), about);
        assert.equal(Math.abs(place.depth - depth), nearest, about);
        const { after = null, before = null, parent = null, position } = lift.step(place).to;
        assert.deepEqual({ after, before, parent, position }, places[place.depth - levels[0]]);
      }
      count += 1;
    }
  }
  return count;
}

for (const { outline, moves, drops } of lists) {
  test(`places in "${outline}", moves: ${moves}`, (t) => {
    const tree = listOf(outline, moves);
    let count = 0;
    for (const drop of drops.filter(({ tasks }) => tasks)) count += check(tree, drop);
    t.diagnostic(`${count} places`);
  });
}

test("a place has a level that the limits of the list allow", () => {
  const rows = ["a", "b", "c"].map((id) => ({ id, depth: id === "b" ? 1 : 0 }));
  const depthAfter = (index, settings) => {
    const tree = new List(documentOf(rows, settings));
    const { code, depth } = new Lift(tree, rowsOf(tree), ["c"], "c").place(index, 2);
    return code ?? depth;
  };
  assert.equal(depthAfter(2, {}), 2);
  assert.equal(depthAfter(2, { maxDepth: 2 }), 1);
  assert.equal(depthAfter(2, { maxDepth: 2, tasksPerParent: 1 }), 0);
  assert.equal(depthAfter(1, { maxDepth: 2, tasksPerParent: 1 }), "parent_full");
});
