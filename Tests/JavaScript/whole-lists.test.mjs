// Lists as a whole: their titles and settings, and how the client creates, copies, deletes and restores them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { connect, Unreachable } from "../../clients/javascript/client.js";
import { FakeServer, until } from "./fake-server.mjs";

function start() {
  const server = new FakeServer();
  return [server, connect({ url: server.url, storage: "memory", clientID: "test" })];
}

test("lists are created, copied, deleted and restored", async () => {
  const [server, lists] = start();
  server.respond = (method) => (method === "DELETE" ? [204] : [201, { version: 1 }]);
  assert.equal(await lists.createList({ id: "a", title: "A", tasks: [{ title: "b" }] }), "a");
  const created = await lists.createList();
  assert.equal(await lists.copyList("a", { id: "b", title: "B" }), "b");
  const copied = await lists.copyList("a");
  await lists.deleteList("a");
  await lists.deleteList("b", { permanent: true });
  await lists.restoreList("a");
  assert.match(created, /^[0-9a-f-]{36}$/);
  assert.deepEqual(server.requests, [
    'POST /lists {"id":"a","tasks":[{"title":"b"}],"title":"A"}',
    `POST /lists {"id":"${created}","title":""}`,
    'POST /lists/a/copy {"id":"b","title":"B"}',
    `POST /lists/a/copy {"id":"${copied}"}`,
    "DELETE /lists/a",
    "DELETE /lists/b?permanent=true",
    "POST /lists/a/restore",
  ]);
});

test("a restored list says which tasks have new ids", async () => {
  const [server, lists] = start();
  server.respond = () => [201, { version: 2, newIds: { b: "c" } }];
  assert.deepEqual(await lists.restoreList("a"), { newIds: { b: "c" } });
  server.respond = () => [201, { version: 2 }];
  assert.deepEqual(await lists.restoreList("a"), { newIds: {} });
});

test("the deleted lists of all pages are found", async () => {
  const [server, lists] = start();
  server.respond = (method, path) => {
    const isFirst = !path.includes("cursor");
    return [200, { lists: [{ id: isFirst ? "a" : "b" }], cursor: isFirst ? "next" : null }];
  };
  assert.deepEqual(await lists.deletedLists(), [{ id: "a" }, { id: "b" }]);
  assert.deepEqual(server.requests, ["GET /bin?limit=1000", "GET /bin?limit=1000&cursor=next"]);
});

test("without the server, lists cannot be created, copied, deleted or restored", async () => {
  const [server, lists] = start();
  server.isReachable = false;
  const acts = [
    lists.createList({ title: "A" }),
    lists.copyList("a"),
    lists.deleteList("a"),
    lists.restoreList("a"),
    lists.deletedLists(),
  ];
  for (const act of acts) {
    await assert.rejects(act, (error) => {
      assert.ok(error instanceof Unreachable);
      assert.equal(error.code, "unreachable");
      assert.equal(error.detail, "This is possible only while the server can be reached.");
      return true;
    });
  }
});

test("a copy and the bin have the steps that were made before", async () => {
  const [server, lists] = start();
  server.make("a", ["b"]);
  server.respond = (method) => (method === "DELETE" ? [204] : [200, { version: 2 }]);
  const list = await lists.open("a");
  list.update("b", { title: "c" });
  await lists.copyList("a", { id: "copy" });
  list.update("b", { title: "d" });
  await lists.deleteList("a");
  const kinds = server.requests.map((request) => request.split(" ", 2).join(" "));
  assert.deepEqual(kinds, [
    "POST /lists/a/batch",
    "POST /lists/a/copy",
    "POST /lists/a/batch",
    "DELETE /lists/a",
  ]);
  // Steps that cannot be sent are neither copied nor deleted.
  server.isReachable = false;
  list.update("b", { title: "e" });
  await assert.rejects(lists.deleteList("a"), { code: "unreachable" });
  server.isReachable = true;
  list.close();
  await list.flush();
});

test("a request that is repeated after a lost response has the same key", async () => {
  const [server, lists] = start();
  server.respond = () => [201, { version: 1 }];
  const acts = {
    new: () => lists.createList({ id: "new", title: "New" }),
    copy: () => lists.copyList("a", { id: "copy" }),
  };
  for (const [id, act] of Object.entries(acts)) {
    server.keys = [];
    server.losesResponses = true;
    await assert.rejects(act(), Unreachable);
    server.losesResponses = false;
    // The server still has the first request.
    server.respond = () => [409, { code: "request_in_progress" }];
    await assert.rejects(act(), Unreachable);
    server.respond = () => [201, { version: 1 }];
    assert.equal(await act(), id);
    assert.equal(new Set(server.keys).size, 1);
    assert.match(server.keys[0], /^[0-9a-f-]{36}$/);
    // If the list was deleted meanwhile, the next request must create it again.
    assert.equal(await act(), id);
    assert.notEqual(server.keys[3], server.keys[0]);
    // A refused request was not applied.
    server.respond = () => [409, { code: "id_taken" }];
    await assert.rejects(act(), { code: "id_taken" });
    await assert.rejects(act(), { code: "id_taken" });
    assert.equal(new Set(server.keys).size, 4);
    server.respond = () => [201, { version: 1 }];
  }
  // Lists without an id are different lists.
  server.losesResponses = true;
  await assert.rejects(lists.createList({ title: "New" }), Unreachable);
  server.losesResponses = false;
  await lists.createList({ title: "New" });
  assert.notEqual(server.keys.at(-1), server.keys.at(-2));
});

test("a client learns what it may do", async () => {
  const [server, lists] = start();
  const me = { name: "Zoe", grants: [{ scope: "write", lists: ["a*"] }], expiresAt: null };
  server.respond = () => [200, me];
  assert.deepEqual(await lists.me(), me);
  assert.deepEqual(server.requests, ["GET /me"]);
});

test("a list has its title and settings", async () => {
  const [server, lists] = start();
  server.make("a", ["b"], { title: "Groceries", elementsOffset: 1 });
  const list = lists.list("a");
  assert.equal(list.title, "");
  assert.equal(list.settings, null);
  await lists.open("a");
  assert.equal(list.title, "Groceries");
  const settings = {
    title: "Groceries",
    elementsOffset: 1,
    collapseSubElements: false,
    moves: "anywhere",
    maxDepth: null,
    maxTasksPerSection: null,
    tasksPerParent: null,
    data: null,
  };
  assert.deepEqual(list.settings, settings);
  list.settings.title = "changed outside";
  assert.ok(list.set({ title: "Food", moves: "siblings" }));
  assert.deepEqual(list.settings, { ...settings, title: "Food", moves: "siblings" });
  assert.equal(list.title, "Food");
  await until(() => list.waiting === 0);
  list.close();
});
