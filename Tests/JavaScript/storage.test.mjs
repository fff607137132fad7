// What the client keeps while the browser's clock is wrong, and while its storage is deleted, closed, forbidden, silent or full.
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { connect } from "../../clients/javascript/client.js";
import { sharedTexts } from "../../clients/javascript/storage.js";
import { installStorage, removeStorage } from "./fake-indexeddb.mjs";
import { FakeServer, until } from "./fake-server.mjs";

let records, server, lists, list;
/** The lists of all windows so far. */
let windows = [];

beforeEach(() => {
  records = installStorage();
  server = new FakeServer();
  server.make("list", ["a", "b"], { epoch: "111111111111" });
});

afterEach(() => {
  // No window tries again to send.
  for (const one of new Set([...windows, list])) {
    one.discardWaiting();
    one.close();
  }
  windows = [];
  removeStorage();
});

/** A new window, with the storage of the windows before it. */
async function open() {
  list?.close();
  lists = connect({ url: server.url, clientID: "test" });
  list = lists.list("list");
  windows.push(list);
  await until(() => list.rows.length > 0 && (list.state === "live" || !server.isReachable));
}

const titles = () => list.rows.map(({ title }) => title);

/** The operations that the server got. */
const sent = () =>
  server.requests
    .filter((request) => request.includes("/batch"))
    .flatMap((request) => JSON.parse(request.slice(request.indexOf("{"))).steps.flat())
    .map(({ op, set, id }) => set?.title ?? id ?? op);

/** The ids of stored steps become those of a clock that is far ahead. */
function makeLater(name) {
  for (const record of records(name)) {
    record.id = `f${record.id.slice(1)}`;
    (record.step ?? record.entry).id = record.id;
  }
}

test("steps are sent in the order in which they were made, whatever the clock says", async () => {
  await open();
  server.isReachable = false;
  list.create({ id: "new", title: "new" });
  list.update("a", { title: "a1" });
  await until(() => records("waiting").length === 2);
  makeLater("waiting");
  await open();
  await until(() => list.waiting === 2);
  list.update("new", { title: "renamed" });
  list.update("a", { title: "a2" });
  await until(() => records("waiting").length === 4);
  await open();
  await until(() => list.waiting === 4);
  assert.deepEqual(titles(), ["a2", "b", "renamed"]);
  server.isReachable = true;
  await list.flush();
  assert.deepEqual(sent(), ["new", "a1", "renamed", "a2"]);
});

test("the last step is undone first, whatever the clock says", async () => {
  await open();
  server.isReachable = false;
  list.update("a", { title: "first" });
  await until(() => records("undoable").length === 1 && records("waiting").length === 1);
  makeLater("undoable");
  makeLater("waiting");
  await open();
  await until(() => list.canUndo);
  list.update("a", { title: "second" });
  await until(() => records("undoable").length === 2 && records("waiting").length === 2);
  await open();
  await until(() => list.canUndo && list.waiting === 2);
  assert.ok(list.undo());
  assert.deepEqual(titles(), ["first", "b"]);
  assert.ok(list.undo());
  assert.deepEqual(titles(), ["a", "b"]);
});

test("what other windows can undo is kept, whatever the clock says", async (context) => {
  await open();
  list.update("a", { title: "first" });
  await until(() => records("undoable").length === 1 && list.waiting === 0);
  list.close();
  const later = Date.now() + 400 * 86_400_000;
  context.mock.method(Date, "now", () => later);
  const other = connect({ url: server.url, clientID: "other" }).list("list");
  await until(() => other.state === "live");
  other.update("a", { title: "second" });
  await until(() => records("undoable").length === 2 && other.waiting === 0);
  other.close();
  await open();
  await until(() => list.canUndo);
});

test("a database of the version before keeps what waits, and what can be undone", async () => {
  const opening = indexedDB.open(`reorderd ${server.url} `, 2);
  opening.onupgradeneeded = () => {
    const { result } = opening;
    result.createObjectStore("steps", { keyPath: ["list", "id"] });
    result.createObjectStore("undo", { keyPath: ["list", "client", "stack", "id"] });
    result.createObjectStore("documents", { keyPath: ["list"] });
    result.createObjectStore("changes", { keyPath: ["list", "version"] });
  };
  await new Promise((resolve) => (opening.onsuccess = resolve));
  const stores = opening.result.transaction();
  for (const [id, title] of Object.entries({ id2: "second", id1: "first" })) {
    const step = { id, kind: "update", task: "a", set: { title } };
    stores.objectStore("steps").put({ list: "list", id, step });
    const entry = { id, steps: [{ kind: "update", task: "a", set: { title: `before ${title}` } }] };
    stores.objectStore("undo").put({ list: "list", client: "test", stack: "done", id, entry });
  }
  opening.result.close();
  await open();
  await until(() => list.waiting === 0);
  assert.deepEqual(sent(), ["first", "second"]);
  assert.ok(list.undo());
  assert.deepEqual(titles(), ["before second", "b"]);
  assert.ok(list.undo());
  assert.deepEqual(titles(), ["before first", "b"]);
});

test("what is made after the person has deleted the browser's data is kept, as is what waited before", async () => {
  await open();
  server.isReachable = false;
  list.update("a", { title: "before" });
  await until(() => records("waiting").length === 1);
  records.clear();
  list.create({ id: "c", title: "after" });
  await until(() => records("waiting").length === 2 && records("documents").length === 1);
  assert.ok(lists.isKept);
  await open();
  await until(() => list.waiting === 2);
  assert.deepEqual(titles(), ["before", "b", "after"]);
  await until(() => list.canUndo);
  server.isReachable = true;
  await list.flush();
  assert.deepEqual(sent(), ["before", "c"]);
});

for (const isQuiet of [false, true])
  test(`a database that the browser has closed is opened again, ${isQuiet ? "without" : "with"} an event`, async () => {
    await open();
    server.isReachable = false;
    records.close({ isQuiet });
    list.create({ id: "c", title: "c" });
    await until(() => records("waiting").length === 1);
    assert.ok(lists.isKept);
    await open();
    await until(() => list.waiting === 1);
    assert.deepEqual(titles(), ["a", "b", "c"]);
  });

/** The values of `isKept`, as the event says. */
function keptValues() {
  const values = [];
  lists.on("storage", () => values.push(lists.isKept));
  return values;
}

for (const name of ["indexedDB", "localStorage", "sessionStorage"])
  test(`a browser that throws at ${name} shows and sends everything`, async () => {
    const former = Object.getOwnPropertyDescriptor(globalThis, name);
    const get = () => {
      throw new DOMException("It is forbidden.", "SecurityError");
    };
    Object.defineProperty(globalThis, name, { get, configurable: true });
    try {
      lists = connect({ url: server.url });
      list = await lists.open("list");
      assert.equal(lists.isKept, name !== "indexedDB");
      list.update("a", { title: "x" });
      await until(() => list.waiting === 0);
      assert.ok(!sharedTexts.set("key", "text"));
      assert.equal(sharedTexts.get("key"), "text"); // until the page is closed
      sharedTexts.remove("key");
      assert.equal(sharedTexts.get("key"), null);
    } finally {
      delete globalThis[name];
      if (former) Object.defineProperty(globalThis, name, former);
    }
  });

test("a database that never opens delays nothing for long, and is used when it opens", async (context) => {
  const { setTimeout } = globalThis;
  const limit = 3_000;
  context.mock.method(globalThis, "setTimeout", (act, milliseconds) =>
    setTimeout(act, milliseconds === limit ? 1 : milliseconds),
  );
  const { open: openLater } = indexedDB;
  let answer;
  indexedDB.open = (...parts) => {
    const request = {};
    answer = () => {
      const real = openLater(...parts);
      real.onupgradeneeded = (event) => {
        Object.assign(request, { result: real.result, transaction: real.transaction });
        request.onupgradeneeded(event);
      };
      real.onsuccess = () => {
        request.result = real.result;
        request.onsuccess();
      };
    };
    return request;
  };
  lists = connect({ url: server.url, clientID: "test" });
  const kept = keptValues();
  list = await lists.open("list");
  await until(() => kept.length === 1); // before anything waits
  assert.ok(!lists.isKept);
  server.isReachable = false;
  list.update("a", { title: "x" });
  answer();
  await until(() => records("waiting").length === 1);
  await until(() => lists.isKept);
  assert.deepEqual(kept, [false, true]);
});

test("what waits in a database that opens late is shown, and can be undone", async (context) => {
  server.respond = () => [503, {}];
  await open();
  list.update("a", { title: "x" });
  await until(() => records("waiting").length === 1 && records("undoable").length === 1);
  const { setTimeout } = globalThis;
  const limit = 3_000;
  context.mock.method(globalThis, "setTimeout", (act, milliseconds) =>
    setTimeout(act, milliseconds === limit ? 1 : milliseconds),
  );
  const { open: openDatabase } = indexedDB;
  let answer;
  const answers = new Promise((resolve) => (answer = resolve));
  indexedDB.open = (...parts) => {
    const late = {};
    answers.then(() => {
      const opening = openDatabase(...parts);
      opening.onsuccess = () => {
        late.result = opening.result;
        late.onsuccess();
      };
    });
    return late;
  };
  await open();
  assert.deepEqual([titles(), list.waiting, list.canUndo], [["a", "b"], 0, false]);
  list.update("b", { title: "y" });
  answer();
  await until(() => list.waiting === 2 && list.canUndo);
  assert.deepEqual(titles(), ["x", "y"]);
  list.undo();
  list.undo();
  assert.deepEqual(titles(), ["a", "b"]);
});

test("a step for which there is no room is announced, and stored before the next one", async () => {
  await open();
  const kept = keptValues();
  server.isReachable = false;
  records.refuse("waiting", new DOMException("It is full.", "QuotaExceededError"));
  list.create({ id: "c", title: "c" });
  await until(() => kept.length === 1);
  assert.ok(!lists.isKept);
  assert.deepEqual(titles(), ["a", "b", "c"]);
  records.refuse("waiting", null);
  list.update("c", { title: "d" });
  await until(() => records("waiting").length === 2);
  assert.deepEqual(
    records("waiting").map(({ step }) => step.kind),
    ["create", "update"],
  );
  await until(() => lists.isKept);
});

test("a step for which there is no room is not missing any more when it is sent", async () => {
  await open();
  server.isReachable = false;
  records.refuse("waiting", new DOMException("It is full.", "QuotaExceededError"));
  list.create({ id: "c", title: "c" });
  await until(() => !lists.isKept);
  server.isReachable = true;
  await list.flush();
  assert.ok(lists.isKept);
  assert.deepEqual(sent(), ["c"]);
});

test("the browser is asked once to keep the storage, when something waits", async (context) => {
  const former = Object.getOwnPropertyDescriptor(globalThis, "navigator");
  context.after(() => {
    delete globalThis.navigator;
    if (former) Object.defineProperty(globalThis, "navigator", former);
  });
  let count = 0;
  const storage = { persisted: async () => false, persist: async () => (count += 1) };
  Object.defineProperty(globalThis, "navigator", { value: { storage }, configurable: true });
  await open();
  assert.equal(count, 0);
  list.update("a", { title: "x" });
  await until(() => count === 1);
  list.update("a", { title: "y" });
  await until(() => list.waiting === 0);
  assert.equal(count, 1);
});

test("the stored list has the author of each change", async () => {
  await open();
  const set = { done: true };
  const at = "2026-01-01T00:00:00.000Z";
  server.send("list", "change", {
    version: 2,
    at,
    by: "Anna",
    ops: [{ op: "update", task: "a", set }],
  });
  await until(() => records("changes").length === 1);
  server.isReachable = false;
  await open();
  assert.equal(list.rows[0].completedBy, "Anna");
  assert.equal(list.rows[0].updatedBy, "Anna");
});
