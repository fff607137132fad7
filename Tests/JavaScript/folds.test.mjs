// What one person has folded is an own list, and is not folded for others.
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { connect } from "../../clients/javascript/client.js";
import { FakeServer, until } from "./fake-server.mjs";

let server, lists, list;

beforeEach(() => {
  server = new FakeServer();
  server.make("list", ["a", "  a1", "b", "  b1"]);
  server.respond = (method, path, body) => {
    if (path !== "/lists") return [200, { version: 2 }];
    server.make(JSON.parse(body).id, []);
    return [201, {}];
  };
});

afterEach(() => {
  list.close();
  lists.list("folds").close();
});

const ids = () => list.rows.map(({ id }) => id);

/** Opens the list, and waits until the folds are loaded. */
async function open() {
  lists = connect({ url: server.url, storage: "memory", clientID: "test", folds: "folds" });
  list = await lists.open("list");
  await until(() => server.open("folds") === 1);
}

test("the list of folds is created when it is needed", async () => {
  await open();
  assert.equal(server.requests.length, 1);
  assert.match(server.requests[0], /^POST \/lists \{"id":"folds",/);
  let changes = 0;
  list.on("change", () => (changes += 1));
  assert.ok(list.collapse("a"));
  assert.deepEqual([ids(), changes > 0], [["a", "b", "b1"], true]);
  await until(() => server.requests.length === 2);
  assert.match(server.requests[1], /^POST \/lists\/folds\/batch .*"data":\{"task":"a"\}/);
  assert.ok(list.collapse("a", false));
  assert.deepEqual(ids(), ["a", "a1", "b", "b1"]);
  await until(() => server.requests.length === 3);
  assert.match(server.requests[2], /^POST \/lists\/folds\/batch .*"op":"collapse"/);
});

test("another window has created the list of folds meanwhile", async () => {
  server.respond = (method, path) => {
    if (path !== "/lists") return [200, { version: 2 }];
    server.make("folds", []);
    return [409, { code: "id_taken", detail: "It exists." }];
  };
  await open();
  assert.ok(list.collapse("a"));
});

test("folds of earlier and of other devices are shown, before and after the list is loaded", async () => {
  server.make("folds", ["x"], {
    tasks: [{ id: "f", title: "a", collapsed: true, data: { task: "a" } }],
  });
  await open();
  await until(() => ids().length === 3);
  assert.deepEqual(ids(), ["a", "b", "b1"]);
  const task = { id: "g", title: "b", section: null, parent: null, position: 1 };
  const insert = { op: "insert", task: { ...task, collapsed: true, data: { task: "b" } } };
  server.send("folds", "change", { version: 2, at: "2026-01-01T00:00:00.000Z", ops: [insert] });
  await until(() => ids().length === 2);
  assert.deepEqual(ids(), ["a", "b"]);
});

test("a fold of everyone does not change the one of a person, and a drop counts the rows that the person sees", async () => {
  await open();
  const plain = await connect({ url: server.url, storage: "memory" }).open("list");
  assert.ok(list.collapse("a") && plain.collapse("b"));
  assert.deepEqual(ids(), ["a", "b", "b1"]);
  assert.deepEqual(
    plain.rows.map(({ id }) => id),
    ["a", "a1", "b"],
  );
  assert.ok(list.collapse("b", false));
  server.send("list", "change", {
    version: 2,
    at: "2026-01-01T00:00:00.000Z",
    ops: [{ op: "collapse", task: "b", collapsed: true }],
  });
  await until(() => list.version === 2);
  assert.deepEqual(ids(), ["a", "b", "b1"]);
  assert.ok(list.drop({ row: 1, toRow: 0 }));
  assert.deepEqual(ids(), ["b", "b1", "a"]);
  await until(() => list.waiting === 0);
  plain.close();
});
