// How much can be undone, and until when it can be redone.
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { connect } from "../../clients/javascript/client.js";
import { FakeServer, until } from "./fake-server.mjs";

let server, list;

beforeEach(async () => {
  server = new FakeServer();
  server.make("list", ["a", "b"]);
  list = await connect({ url: server.url, storage: "memory", clientID: "me" }).open("list");
  await until(() => list.state === "live");
});

afterEach(() => list.close());

const title = () => list.rows[0].title;

test("a new step ends what can be redone", () => {
  list.update("a", { title: "x" });
  assert.ok(list.undo());
  assert.ok(list.canRedo);
  list.update("b", { title: "y" });
  assert.ok(!list.canRedo && !list.redo());
  assert.equal(title(), "a");
});

test("a step that changes nothing is no step of an undo", () => {
  list.update("a", { title: "x" });
  list.update("a", { title: "x" });
  assert.ok(list.undo());
  assert.equal(title(), "a");
  assert.ok(!list.canUndo);
});

test("the last 100 steps can be undone", async () => {
  for (let count = 0; count <= 100; count += 1) list.update("a", { title: `x${count}` });
  await until(() => list.waiting === 0);
  for (let count = 0; count < 50; count += 1) assert.ok(list.undo());
  await until(() => list.waiting === 0);
  assert.equal(title(), "x50");
  let count = 0;
  while (list.undo()) count += 1;
  assert.deepEqual([count, title()], [50, "x0"]);
  await until(() => list.waiting === 0);
});
