// What the client keeps is kept once, and sent and undone once, whatever happens to the storage, the windows and the server meanwhile.
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { connect } from "../../clients/javascript/client.js";
import { installStorage, removeStorage } from "./fake-indexeddb.mjs";
import { FakeServer, until } from "./fake-server.mjs";

let records, server, list;
let windows = [];

beforeEach(() => {
  records = installStorage();
  server = new FakeServer();
  server.make("list", ["a", "b"], { epoch: "111111111111" });
});

afterEach(() => {
  for (const one of windows) {
    one.discardWaiting();
    one.close();
  }
  windows = [];
  removeStorage();
});

async function open() {
  list = connect({ url: server.url, clientID: "test" }).list("list");
  windows.push(list);
  await until(() => list.rows.length > 0 && (list.state === "live" || !server.isReachable));
}

const reload = async () => {
  list.close();
  await open();
};
const full = new DOMException("It is full.", "QuotaExceededError");
const stores = ["waiting", "undoable"];
/** What can be undone is not stored again: only the steps are. */
const refuse = (error) => records.refuse("waiting", error);
const settled = () => new Promise((resolve) => setTimeout(resolve, 40));

/** What happens between two steps: `before` the first of them is made, and `after` it. */
const troubles = {
  nothing: {},
  "a reload": { after: reload },
  "a second window": { after: open },
  "a full disk": { before: () => refuse(full), after: () => refuse(null) },
  "a closed database": { after: () => records.close() },
  "a database that is closed without an event": { after: () => records.close({ isQuiet: true }) },
  "a deleted storage": { after: () => records.clear() },
  "a slow storage": {
    async before() {
      list.close();
      this.release = records.hold("undoable");
      await open();
    },
    after() {
      this.release();
    },
  },
};

/** The operations that the server got. */
const sent = () =>
  server.requests
    .filter((request) => request.includes("/batch"))
    .flatMap((request) => JSON.parse(request.slice(request.indexOf("{"))).steps.flat());

const kept = (name) => records(name).map((record) => (record.step ?? record.entry).id);

for (const [name, first] of Object.entries(troubles))
  for (const [other, second] of Object.entries(troubles)) {
    // A window that is closed before its next step loses what it could not store.
    if (name === "a full disk" && other === "a slow storage") continue;
    test(`two steps with ${name}, then ${other}`, async () => {
      await open();
      server.isReachable = false;
      const titles = [];
      for (const [index, trouble] of [first, second].entries()) {
        const one = { ...trouble };
        await one.before?.();
        titles.push(`title ${index}`);
        list.update("a", { title: titles.at(-1) });
        await settled();
        await one.after?.();
        await settled();
      }
      // The next step is stored after all that are not stored yet.
      list.update("b", { title: "last" });
      titles.push("last");
      await until(() => records("waiting").length >= 3);
      await settled();
      assert.deepEqual(
        records("waiting").map(({ step }) => step.set?.title ?? step.title),
        titles,
      );
      for (const store of stores)
        assert.equal(new Set(kept(store)).size, kept(store).length, store);

      await reload();
      await until(() => list.waiting === 3 && list.canUndo);
      const undone = kept("undoable").length;
      let count = 0;
      while (list.canUndo && count < 9) {
        assert.ok(list.undo());
        count += 1;
      }
      assert.equal(count, undone);
      assert.deepEqual(
        list.rows.map(({ title }) => title),
        ["a", "b"],
      );
      server.isReachable = true;
      await list.flush();
      // A window that was closed or reloaded can send a step too. The server applies what has the same id once.
      const ids = new Set(sent().map(({ opId }) => opId));
      assert.equal(ids.size, 6);
    });
  }

test("what is made before the storage can be read is kept once", async () => {
  const { open: openDatabase } = indexedDB;
  indexedDB.open = () => {
    throw new DOMException("It is locked.", "UnknownError");
  };
  await open();
  server.isReachable = false;
  list.update("a", { title: "first" });
  await settled();
  indexedDB.open = openDatabase;
  list.update("a", { title: "second" });
  await until(() => records("waiting").length === 2 && records("undoable").length === 2);
  await settled();
  for (const wanted of ["first", "a"]) {
    assert.ok(list.undo());
    assert.equal(list.rows[0].title, wanted);
  }
  assert.ok(!list.canUndo);
  for (const store of stores) assert.equal(new Set(kept(store)).size, kept(store).length, store);
});

/** A step that has its response, and whose change has or has not arrived, when the server's store is restored. */
for (const hasArrived of [false, true])
  for (const isOpen of [false, true])
    test(`a restore loses a step ${hasArrived ? "after" : "before"} its change, in ${isOpen ? "an open" : "a new"} window`, async () => {
      await open();
      server.respond = () => [200, { version: 2 }, { ETag: '"2-111111111111"' }];
      list.update("a", { title: "mine" });
      await until(() => list.waiting === 0 && sent().length === 1);
      const [{ opId }] = sent();
      if (hasArrived) {
        const ops = [{ op: "update", task: "a", set: { title: "mine" } }];
        server.send("list", "change", { version: 2, at: "2026-01-01T00:00:00.000Z", opId, ops });
        await until(() => list.version === 2);
        await settled();
      }
      server.make("list", ["a", "old"], { version: 1, epoch: "222222222222" });
      server.respond = () => [200, { version: 2 }, { ETag: '"2-222222222222"' }];
      if (isOpen) server.send("list", "refetch", { version: 1, epoch: "222222222222" });
      else {
        await reload();
        if (list.rows[1].title !== "old")
          server.send("list", "refetch", { version: 1, epoch: "222222222222" });
      }
      await until(() => list.rows[1].title === "old");
      // The list had the change: it is lost with the past. Otherwise the step is applied to the restored list.
      await until(() => list.waiting === 0 && sent().length === (hasArrived ? 1 : 2));
      assert.equal(list.rows[0].title, hasArrived ? "a" : "mine");
      assert.ok(sent().every((one) => one.opId === opId));
    });
