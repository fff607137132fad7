// The steps in Tests/Fixtures/moves.json, as the engine decides them, with the rules of the client.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import { List } from "../../clients/javascript/list.js";
import { Refusal } from "../../clients/javascript/refusal.js";
import { perform, takeBack } from "../../clients/javascript/steps.js";
import { documentOf, outlineOf, stepOf } from "./short-documents.mjs";

const lists = JSON.parse(readFileSync(new URL("../Fixtures/moves.json", import.meta.url)));

/** @returns `back`, `undo` and the operations, or the code of a refusal (`refused`) and the index of the operation (`at`) */
function attempt(tree, operations) {
  const [back, undo, made] = [[], [], []];
  const { apply } = List.prototype;
  tree.apply = (operation) => {
    made.push(structuredClone(operation));
    return apply.call(tree, operation);
  };
  try {
    for (const [at, operation] of operations.entries()) {
      try {
        const done = perform(tree, stepOf(operation));
        back.unshift(...done.back);
        undo.unshift(...done.undo);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        takeBack(tree, back);
        return { refused: error.code, at };
      }
    }
  } finally {
    delete tree.apply;
  }
  return { back, undo, made };
}

// What follows from the list, and what only the server knows.
const derived = ["depth", "row", "subtasks", "createdAt", "updatedAt"];

/** An operation as text, with its members in one order and without usual values. */
function normal({ title, ...operation }) {
  const named = operation.op.endsWith("delete") ? operation : { title, ...operation };
  const sorted = (value) =>
    value?.constructor === Object
      ? Object.keys(value)
          .filter((name) => value[name] !== undefined && value[name] !== false)
          .filter((name) => !derived.includes(name))
          .sort()
          .map((name) => [name, sorted(value[name])])
      : value;
  return JSON.stringify(sorted(named));
}

/** The steps that undo a step have the same effect, or the rules forbid them. */
function undoes(tree, undo, before, message) {
  const after = outlineOf(tree);
  try {
    const { back } = perform(tree, { kind: "group", steps: undo }, true);
    assert.equal(outlineOf(tree), before, message);
    takeBack(tree, back);
    undone += 1;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    notUndone += 1;
  }
  assert.equal(outlineOf(tree), after, message);
}

let [undone, notUndone] = [0, 0];
after(() => assert.ok(notUndone < undone / 10, `${notUndone} of ${undone} are not undone`));

for (const [index, { list, steps }] of lists.entries()) {
  test(`steps of list ${index}`, () => {
    const tree = new List(documentOf(list));
    const before = outlineOf(tree);
    for (const { step, ops, after: wanted = before, refused, at = 0 } of steps) {
      // The client cannot delete a section with its tasks.
      if (step.some(({ op, tasks }) => op === "section-delete" && tasks === "delete")) continue;
      const result = attempt(tree, step);
      const message = JSON.stringify({ list, step });
      if (refused) assert.deepEqual(result, { refused, at }, message);
      else {
        assert.ok(result.back, `${result.refused} ${message}`);
        assert.equal(outlineOf(tree), wanted, message);
        assert.deepEqual(result.made.map(normal), ops.map(normal), message);
        undoes(tree, result.undo, before, message);
        takeBack(tree, result.back);
        const copy = new List(documentOf(list));
        for (const operation of ops) copy.apply(operation);
        assert.equal(outlineOf(copy), wanted, message);
      }
      assert.equal(outlineOf(tree), before, message);
    }
  });
}
