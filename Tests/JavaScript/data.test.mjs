// A change of data is shown as the server makes it: a patch is merged. An undo sends a patch, too.
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { connect } from "../../clients/javascript/client.js";
import { merged, patchBetween } from "../../clients/javascript/merge-patch.js";
import { FakeServer, until } from "./fake-server.mjs";

// The examples of RFC 7396, appendix A: the data, the patch and the result. In an array, null is a value.
const examples = [
  [{ a: "b" }, { a: "c" }, { a: "c" }],
  [{ a: "b" }, { b: "c" }, { a: "b", b: "c" }],
  [{ a: "b" }, { a: null }, {}],
  [{ a: "b", b: "c" }, { a: null }, { b: "c" }],
  [{ a: ["b"] }, { a: "c" }, { a: "c" }],
  [{ a: "c" }, { a: ["b"] }, { a: ["b"] }],
  [{ a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
  [{ a: [{ b: "c" }] }, { a: [1] }, { a: [1] }],
  [
    ["a", "b"],
    ["c", "d"],
    ["c", "d"],
  ],
  [{ a: "b" }, ["c"], ["c"]],
  [{ a: "foo" }, null, null],
  [{ a: "foo" }, "bar", "bar"],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: "b", c: null }, { a: "b" }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  [undefined, { a: 1 }, { a: 1 }],
  [{ a: 1 }, { a: undefined }, { a: 1 }],
  [{}, JSON.parse('{ "__proto__": { "a": 1 } }'), JSON.parse('{ "__proto__": { "a": 1 } }')],
];

test("patches are merged as by the server", () => {
  for (const [data, patch, result] of examples) {
    assert.equal(JSON.stringify(merged(data, patch)), JSON.stringify(result));
  }
});

test("the patch between two values leads from one to the other", () => {
  const values = examples.flatMap(([data, , result]) => [data ?? null, result]);
  for (const before of values) {
    for (const after of values.filter((value) => value?.e !== null)) {
      assert.deepEqual(merged(before, patchBetween(before, after)), after);
    }
  }
});

let server, list;

beforeEach(async () => {
  server = new FakeServer();
  server.make("list", ["a"], { data: { color: "green", icon: "cart" } });
  const lists = connect({ url: server.url, storage: "memory", clientID: "test" });
  list = await lists.open("list");
  await until(() => list.state === "live");
  server.respond = () => [200, { version: 2 }];
});

afterEach(() => list.close());

/** The data in the operations that were sent since the last call. */
async function sent() {
  await until(() => list.waiting === 0);
  const bodies = server.requests.splice(0).map((text) => JSON.parse(text.replace(/^[^{]*/, "")));
  return bodies.flatMap(({ steps }) => steps.flat().map((op) => (op.set ?? op).data));
}

test("the data of a task", async () => {
  list.update("a", { data: { due: "today", place: { city: "Ulm" } } });
  await sent();
  assert.ok(list.update("a", { data: { due: null, place: { zip: 1 } } }));
  assert.deepEqual(list.rows[0].data, { place: { city: "Ulm", zip: 1 } });
  assert.deepEqual(await sent(), [{ due: null, place: { zip: 1 } }]);
  assert.ok(list.undo());
  assert.deepEqual(list.rows[0].data, { place: { city: "Ulm" }, due: "today" });
  assert.deepEqual(await sent(), [{ due: "today", place: { zip: null } }]);
  assert.ok(list.redo());
  assert.deepEqual(list.rows[0].data, { place: { city: "Ulm", zip: 1 } });
  await sent();
  assert.ok(list.update("a", { title: "A", data: { none: null } }));
  assert.deepEqual(list.rows[0].data, { place: { city: "Ulm", zip: 1 } });
  await sent();
});

test("an undo may find the members in another order", async () => {
  for (const data of [
    { a: 1, b: { c: [1], d: 1 } },
    { a: null, b: { c: null } },
  ]) {
    list.update("a", { data });
    await sent();
  }
  assert.ok(list.undo());
  assert.equal(JSON.stringify(list.rows[0].data), '{"b":{"d":1,"c":[1]},"a":1}');
  assert.ok(list.undo());
  assert.equal(list.rows[0].data, undefined);
  await sent();
});

test("a task without data", async () => {
  list.update("a", { data: { due: "today" } });
  list.update("a", { data: null });
  assert.equal(list.rows[0].data, undefined);
  assert.ok(list.undo());
  assert.deepEqual(list.rows[0].data, { due: "today" });
  assert.deepEqual(await sent(), [{ due: "today" }, null, { due: "today" }]);
});

test("the data of a list", async () => {
  assert.ok(list.set({ data: { color: "red", icon: null } }));
  assert.deepEqual(list.settings.data, { color: "red" });
  assert.deepEqual(await sent(), [{ color: "red", icon: null }]);
  assert.ok(list.undo());
  assert.deepEqual(list.settings.data, { color: "green", icon: "cart" });
  assert.deepEqual(await sent(), [{ color: "green", icon: "cart" }]);
});

test("the data of a section", async () => {
  const section = list.createSection("S", 0, { color: "green" });
  await sent();
  assert.ok(list.updateSection(section, { data: { icon: "cart" } }));
  assert.deepEqual(list.sections[0].data, { color: "green", icon: "cart" });
  assert.deepEqual(await sent(), [{ icon: "cart" }]);
  assert.ok(list.undo());
  assert.deepEqual(list.sections[0].data, { color: "green" });
  assert.deepEqual(await sent(), [{ icon: null }]);
});
