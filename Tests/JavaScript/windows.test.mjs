// What a window stores for the next one, also if the store of the server is restored meanwhile: a new epoch with earlier versions.
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

/** The server has the state of a backup, at the same version as the stored document. */
function restore() {
  server.make("list", ["a", "old"], { version: 3, epoch: "222222222222" });
}

test("a window without a network shows the stored document and the changes after it", async () => {
  change(4, [insert("c", 2)]);
  await until(() => records("changes").length === 1);
  list.close();
  server.isReachable = false;
  await open();
  assert.deepEqual(ids(), ["a", "b", "c"]);
});

test("the changes of several windows are stored, one window after the other", async () => {
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
});

test("steps made before the stored undo is read are undone first", async () => {
  let version = 3;
  server.respond = () => [200, { version: (version += 1) }];
  const title = () => list.rows[0].title;
  for (const wanted of ["first", "second"]) {
    list.update("a", { title: wanted });
    await until(() => list.waiting === 0);
    change(version, [{ op: "update", task: "a", set: { title: wanted } }]);
    await until(() => list.version === version);
  }
  await until(() => records("undoable").length === 2);
  list.close();
  const release = records.hold("undoable");
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

test("stored changes of an earlier epoch are not applied to the restored list", async () => {
  change(4, [insert("c", 2)]);
  await until(() => records("changes").length === 1);
  restore();
  server.send("list", "refetch", { version: 3, epoch: "222222222222" });
  await until(() => ids().includes("old"));
  assert.deepEqual(ids(), ["a", "old"]);
  await until(() => records("documents")[0].epoch === "222222222222");
  list.close();
  server.isReachable = false;
  await open();
  assert.deepEqual(ids(), ["a", "old"]);
});

test("steps that waited during a restore are sent, and are shown on the restored list", async () => {
  server.isReachable = false;
  list.update("a", { title: "mine" });
  list.create({ id: "d", title: "d" }, { after: "a" });
  await until(() => list.isFailing && records("waiting").length === 2);
  list.close();
  const former = list;
  restore();
  let version = 3;
  server.respond = () => [200, { version: (version += 1) }];
  server.isReachable = true;
  await open();
  server.send("list", "refetch", { version: 3, epoch: "222222222222" });
  await until(() => list.waiting === 0 && ids().includes("old"));
  // Without locks, the window before may send its steps too: the same operations, with the same ids.
  await former.flush();
  assert.equal(former.waiting, 0);
  const sent = server.requests.filter((request) => request.startsWith("POST /lists/list/batch"));
  const operations = sent.flatMap((request) =>
    JSON.parse(request.slice(request.indexOf("{"))).steps.flat(),
  );
  const kinds = new Map(operations.map(({ op, opId }) => [opId, op]));
  assert.deepEqual([...kinds.values()], ["update", "create"]);
  await until(() => records("waiting").length === 0);
});

test("after 200 changes, the document is stored again", async () => {
  await until(() => records("documents").length === 1);
  for (let version = 4; version <= 208; version += 1)
    change(version, [{ op: "update", task: "a", set: { title: `a${version}` } }]);
  await until(() => list.version === 208);
  await until(() => records("changes").length === 4);
  list.close();
  server.isReachable = false;
  await open();
  assert.equal(list.rows[0].title, "a208");
});
