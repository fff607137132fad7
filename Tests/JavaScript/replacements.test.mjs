// The changes in Tests/Fixtures/replacements.json, which the engine has made of documents that replace lists, with the client.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { List } from "../../clients/javascript/list.js";

const replacements = JSON.parse(
  readFileSync(new URL("../Fixtures/replacements.json", import.meta.url)),
);

test("the operations of a replacement lead to the new list", () => {
  assert.ok(replacements.length >= 60);
  for (const [index, { before, change, after }] of replacements.entries()) {
    const list = new List(before);
    for (const operation of change.ops) list.applyAt(operation, change.at, change.by);
    const text = (document) => JSON.parse(JSON.stringify(document));
    assert.deepEqual(text(list.document), text(new List(after).document), `replacement ${index}`);
  }
});
