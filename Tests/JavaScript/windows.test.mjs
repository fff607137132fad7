// What a window stores for the next one.
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { connect } from "../../clients/javascript/client.js";
import { installStorage, removeStorage } from "./fake-indexeddb.mjs";
import { FakeServer, until } from "./fake-server.mjs";

let records, server, list;

beforeEach(async () => {
  records = installStorage();
  server = new FakeServer();
  server.make("list", ["a", "b"], { version: 3, epoch: "111111111111" });
  await open();
});

afterEach(() => {
  list.close();
  removeStorage();
});

/** A new window, with the storage of the windows before it. */
async function open() {
  const lists = connect({ url: server.url, clientID: "test" });
  list = lists.list("list");
  await until(() => list.rows.length > 0 && (list.state === "live" || !server.isReachable));
}

const ids = () => list.rows.map(({ id }) => id);

function change(version, ops) {
  server.send("list", "change", { version, at: "2026-01-01T00:00:00.000Z", client: "x", ops });
}

const insert = (id, position) => ({
  op: "insert",
  task: { id, title: id, section: null, parent: null, position },
});

test(
  "the changes of several windows are stored, one window after the other",
  { timeout: 60_000 },
  async () => {
    const added = ["c", "d", "e"];
    for (const [index, id] of added.entries()) {
      await until(() => list.state === "live");
      change(4 + index, [insert(id, 2 + index)]);
      await until(() => ids().includes(id));
      list.close();
      await open();
    }
    list.close();
    server.isReachable = false;
    await open();
    assert.deepEqual(ids(), ["a", "b", ...added]);
  },
);

test("steps made before the stored undo is read are undone first", async () => {
  let version = 3;
  server.respond = () => [200, { version: (version += 1), results: [{}, {}, {}] }];
  const title = () => list.rows[0].title;
  for (const wanted of ["first", "second"]) {
    list.update("a", { title: wanted });
    await until(() => list.waiting === 0);
    change(version, [{ op: "update", task: "a", set: { title: wanted } }]);
    await until(() => list.version === version);
  }
  await until(() => records("undo").length === 2);
  list.close();
  const release = records.hold("undo");
  await open();
  list.update("a", { title: "third" });
  release();
  await new Promise((resolve) => setTimeout(resolve));
  for (const wanted of ["second", "first", "a"]) {
    assert.ok(list.undo());
    assert.equal(title(), wanted);
  }
  assert.ok(!list.canUndo);
  for (const wanted of ["first", "second", "third"]) {
    assert.ok(list.redo());
    assert.equal(title(), wanted);
  }
  await until(() => list.waiting === 0);
});
