// Steps that wait on the device: of all lists, before the database can be used, and while their responses arrive.
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { connect } from "../../clients/javascript/client.js";
import { installStorage, removeStorage } from "./fake-indexeddb.mjs";
import { FakeServer, until } from "./fake-server.mjs";

let records, server, lists, windows;

beforeEach((context) => {
  // No window tries again to send, as if it were closed.
  const { setTimeout } = globalThis;
  context.mock.method(globalThis, "setTimeout", (act, milliseconds = 0) =>
    milliseconds < 200 ? setTimeout(act, milliseconds) : undefined,
  );
  records = installStorage();
  server = new FakeServer();
  for (const id of ["list", "other"]) server.make(id, ["a", "b"], { epoch: "111111111111" });
  windows = [];
});

afterEach(async () => {
  for (const list of windows) {
    await list.discardWaiting();
    list.close();
  }
  removeStorage();
});

/** A window opens a list. */
async function open(id = "list") {
  const list = lists.list(id);
  windows.push(list);
  await until(() => list.rows.length > 0 && (list.state === "live" || !server.isReachable));
  return list;
}

const connectNew = () => (lists = connect({ url: server.url, clientID: "test" }));
const titles = (list) => list.rows.map(({ title }) => title).join(" ");
const batches = () =>
  server.requests.map((request) => /^POST \/lists\/(\w+)\/batch/.exec(request)?.[1]).sort();

/** Steps of two lists wait, and their window is closed. */
async function leaveSteps() {
  connectNew();
  server.respond = () => [503, {}];
  for (const id of ["list", "other"]) {
    const list = await open(id);
    list.update("a", { title: "x" });
    await until(() => list.isFailing);
    list.close();
  }
  await until(() => records("waiting").length === 2);
  server.requests.length = 0;
  server.respond = () => [200, { version: 2 }];
}

test("what waits on lists that are not open is sent", async () => {
  await leaveSteps();
  connectNew();
  await lists.sendPending();
  await until(() => batches().length === 2);
  assert.deepEqual(batches(), ["list", "other"]);
});

test("what waits on lists that are not open is sent when it can be read", async () => {
  await leaveSteps();
  const { open: openDatabase } = indexedDB;
  indexedDB.open = () => {
    throw new DOMException("It is busy.", "UnknownError");
  };
  connectNew();
  await lists.sendPending();
  assert.ok(!lists.isKept);
  assert.deepEqual(batches(), []);
  indexedDB.open = openDatabase;
  await open(); // the next use of the database
  await until(() => batches().length === 2);
  assert.deepEqual(batches(), ["list", "other"]);
  assert.ok(lists.isKept);
});

test("a copy and the bin have what an earlier window made", async () => {
  await leaveSteps();
  connectNew();
  server.respond = (method) => (method === "DELETE" ? [204] : [200, { version: 2 }]);
  await lists.copyList("list", { id: "copy" });
  await lists.deleteList("other");
  assert.deepEqual(
    server.requests.map((request) => request.split(" ", 2).join(" ")),
    ["list/batch", "list/copy", "other/batch", "other"].map((path, index) =>
      index < 3 ? `POST /lists/${path}` : `DELETE /lists/${path}`,
    ),
  );
});

test("a step whose response arrives before it is stored does not wait after a reload", async () => {
  connectNew();
  const list = await open();
  await until(() => records("documents").length === 1);
  const release = records.hold("waiting");
  list.update("a", { title: "x" });
  await until(() => server.requests.length === 1 && list.waiting === 0);
  release();
  await until(() => records("waiting").some(({ version }) => version === 2));
  list.close();
  server.isReachable = false;
  connectNew();
  const later = await open();
  await until(() => titles(later) === "x b");
  assert.equal(later.waiting, 0);
});

test("steps that are discarded, some or all, are not sent, also after a reload", async () => {
  connectNew();
  const list = await open();
  server.respond = () => [503, {}];
  list.update("a", { title: "x" });
  list.update("b", { title: "y" });
  list.update("a", { title: "z" });
  await until(() => records("waiting").length === 3 && list.isFailing);
  await list.discardWaiting(list.waitingSteps.slice(1, 2));
  assert.deepEqual([titles(list), list.waiting], ["z b", 2]);
  for (const wanted of ["x b", "a b"]) {
    assert.ok(list.undo());
    assert.equal(titles(list), wanted);
  }
  assert.ok(!list.canUndo);
  await until(() => records("waiting").length === 4);
  await list.discardWaiting();
  assert.deepEqual([titles(list), list.waiting, list.isFailing], ["a b", 0, false]);
  await until(() => records("waiting").length === 0);
});

const insert = (version, id) => {
  const task = { id, title: id, section: null, parent: null, position: 0 };
  const at = "2026-01-01T00:00:00.000Z";
  server.send("list", "change", { version, at, client: "else", ops: [{ op: "insert", task }] });
};

test("what is forgotten is deleted from the device, but for what waits", async () => {
  connectNew();
  const list = await open();
  insert(2, "c");
  server.respond = () => [503, {}];
  list.update("a", { title: "x" });
  const stored = () =>
    ["documents", "changes", "undoable", "waiting"].map((name) => records(name).length);
  await until(() => stored().join() === "1,1,1,1");
  await lists.forget();
  assert.deepEqual(stored(), [0, 0, 0, 1]);
});

test("a list that is deleted leaves nothing on the device, and no list keeps old changes", async () => {
  connectNew();
  const list = await open();
  insert(2, "c");
  await until(() => records("documents").length === 1 && records("changes").length === 1);
  server.make("list", ["a"], { version: 3, epoch: "111111111111" });
  server.send("list", "refetch", {});
  await until(() => list.version === 3);
  await until(() => records("changes").length === 0);
  insert(4, "d");
  await until(() => records("changes").length === 1);
  server.delete("list");
  await until(() => records("documents").length === 0 && records("changes").length === 0);
});

test("a window gives way when another one upgrades the database, and uses it again later", async () => {
  const { open: openDatabase } = indexedDB;
  const databases = [];
  indexedDB.open = (...parts) => {
    const opening = openDatabase(...parts);
    setTimeout(() => databases.push(opening.result));
    return opening;
  };
  connectNew();
  const list = await open();
  await until(() => records("documents").length === 1);
  const [database] = databases;
  let isClosed = false;
  const { close } = database;
  database.close = () => {
    isClosed = true;
    close();
  };
  database.onversionchange();
  assert.ok(isClosed);
  server.respond = () => [503, {}];
  list.update("a", { title: "x" });
  await until(() => records("waiting").length === 1);
  assert.equal(databases.length, 2);
});
