// The steps in Tests/Fixtures/moves.json, as the engine decides them, with the rules of the client.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { List } from "../../clients/javascript/list.js";
import { Refusal } from "../../clients/javascript/refusal.js";
import { perform, takeBack } from "../../clients/javascript/steps.js";
import { documentOf, outlineOf, stepOf } from "./short-documents.mjs";

const lists = JSON.parse(readFileSync(new URL("../Fixtures/moves.json", import.meta.url)));

/** @returns `back`, or the code of a refusal (`refused`) and the index of the operation (`at`) */
function attempt(tree, operations) {
  const back = [];
  for (const [at, operation] of operations.entries()) {
    try {
      back.unshift(...perform(tree, stepOf(operation)).back);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      takeBack(tree, back);
      return { refused: error.code, at };
    }
  }
  return { back };
}

for (const [index, { list, steps }] of lists.entries()) {
  test(`steps of list ${index}`, () => {
    const tree = new List(documentOf(list));
    const before = outlineOf(tree);
    for (const { step, after = before, refused, at = 0 } of steps) {
      // The client cannot delete a section with its tasks.
      if (step.some(({ op, tasks }) => op === "section-delete" && tasks === "delete")) continue;
      const result = attempt(tree, step);
      const message = JSON.stringify({ list, step });
      if (refused) assert.deepEqual(result, { refused, at }, message);
      else {
        assert.ok(result.back, `${result.refused} ${message}`);
        assert.equal(outlineOf(tree), after, message);
        takeBack(tree, result.back);
      }
      assert.equal(outlineOf(tree), before, message);
    }
  });
}
