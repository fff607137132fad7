// What a window did is undone in the order in which it was done, also what the server did for it.
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { connect } from "../../clients/javascript/client.js";
import { installStorage, removeStorage } from "./fake-indexeddb.mjs";
import { FakeServer, until } from "./fake-server.mjs";

let server, lists, list, version, refusals;

beforeEach(async () => {
  installStorage();
  server = new FakeServer();
  server.make("list", ["b", "a"]);
  server.make("other", ["c"]);
  version = 1;
  server.respond = (method) => {
    version += 1;
    return method === "DELETE"
      ? [204]
      : [200, { version, changed: true }, { ETag: `"${version}-e1"` }];
  };
  await open();
});

afterEach(() => {
  list.close();
  list.discardWaiting();
  removeStorage();
});

/** A new window, or the same one after a reload. */
async function open(clientID = "me") {
  list?.close();
  lists = connect({ url: server.url, clientID });
  list = await lists.open("list");
  await until(() => list.state === "live");
  refusals = [];
  list.on("refused", ({ code, detail }) => refusals.push([code, detail]));
}

/** The requests except batches, each as its path and body. */
const requests = () =>
  server.requests.filter((request) => !request.includes("/batch")).map((one) => one.slice(5));

/** Undoes what was done last, and waits for the server. */
async function undo() {
  const { length } = server.requests;
  if (lists.undoNumber > list.undoNumber) assert.ok(await lists.undo());
  else assert.ok(list.undo());
  await until(() => server.requests.length > length && list.waiting === 0);
}

for (const [name, act, request] of [
  ["a sort", () => lists.sort("list", { by: "title" }), '/lists/list/sort {"by":"title"}'],
  ["a reversal", () => lists.reverse("list"), "/lists/list/reverse {}"],
  ["the deletion of completed tasks", () => lists.removeDone("list"), "/lists/list/remove-done {}"],
  [
    "an undo in the history",
    () => lists.undoChange("list", { version: 1, epoch: "e1" }),
    '/lists/list/undo {"version":"1-e1"}',
  ],
])
  test(`${name} is undone before what was done earlier, and redone`, async () => {
    list.update("a", { title: "x" });
    await until(() => list.waiting === 0);
    list.undo();
    await until(() => list.waiting === 0);
    await act();
    assert.ok(!list.canRedo);
    const made = version;
    assert.ok(list.undo());
    await until(() => list.canRedo);
    assert.deepEqual(requests(), [request, `/lists/list/undo {"version":"${made}-e1"}`]);
    assert.ok(list.redo());
    await until(() => list.canUndo);
    assert.equal(requests()[2], `/lists/list/undo {"version":"${made + 1}-e1"}`);
    await undo();
    assert.equal(requests()[3], `/lists/list/undo {"version":"${made + 2}-e1"}`);
  });

test("a sort that changes nothing is not undone", async () => {
  server.respond = () => [200, { version: 1, changed: false }];
  await lists.sort("list", { by: "title" });
  assert.ok(!list.canUndo);
});

test("steps, sorts and deletions of lists are undone in their order, also after a reload", async () => {
  list.update("a", { title: "x" });
  await lists.sort("list", { by: "title" });
  await lists.deleteList("other");
  list.update("b", { title: "y" });
  await until(() => list.waiting === 0);
  await open();
  await until(() => list.canUndo && lists.canUndo);
  server.requests = [];
  for (let turn = 0; turn < 4; turn += 1) await undo();
  assert.deepEqual(
    server.requests.map((request) => request.replace(/ \{.*/, "")),
    [
      "POST /lists/list/batch",
      "POST /lists/other/restore",
      "POST /lists/list/undo",
      "POST /lists/list/batch",
    ],
  );
  assert.ok(!list.canUndo && !lists.canUndo);
  assert.equal(list.undoNumber, 0);
});

test("what another window did is not undone here", async () => {
  await lists.sort("list", { by: "title" });
  await lists.deleteList("other");
  await open("another");
  assert.ok(!list.canUndo && !lists.canUndo);
});

test("an undo that needs the server stays, while the server can't be reached", async () => {
  await lists.sort("list", { by: "title" });
  await lists.deleteList("other");
  server.isReachable = false;
  assert.ok(list.undo());
  await until(() => refusals.length === 1);
  assert.deepEqual(refusals, [
    ["unreachable", "This is possible only while the server can be reached."],
  ]);
  assert.ok(list.canUndo);
  await assert.rejects(lists.undo(), { code: "unreachable" });
  assert.ok(lists.undoNumber > list.undoNumber);
  server.isReachable = true;
  await undo();
  await undo();
  assert.equal(requests().at(-2), "/lists/other/restore");
  assert.match(requests().at(-1), /^\/lists\/list\/undo /);
});

test("an undo whose response is lost is sent again with the same key", async () => {
  await lists.sort("list", { by: "title" });
  server.losesResponses = true;
  assert.ok(list.undo());
  await until(() => list.canUndo);
  server.losesResponses = false;
  await undo();
  assert.equal(server.keys.at(-1), server.keys.at(-2));
  assert.match(server.keys.at(-1), /./);
});

test("the parts of an undo have keys of their own, which stay when they are sent again", async (t) => {
  server.make("three", ["a", "b", "c"]);
  const three = await lists.open("three");
  t.after(() => three.close());
  await until(() => three.state === "live");
  assert.ok(await three.moveToList(["a", "c"], "other"));
  server.losesResponses = true;
  assert.ok(three.undo());
  await until(() => three.canUndo);
  server.losesResponses = false;
  assert.ok(three.undo());
  await until(() => three.canRedo);
  const moves = [...server.requests.entries()]
    .filter(([, request]) => request.includes("/move"))
    .map(([index, request]) => ({
      tasks: JSON.parse(request.slice(request.indexOf("{"))).tasks,
      key: server.keys[index],
    }));
  assert.deepEqual(
    moves.map(({ tasks }) => tasks),
    [["a", "c"], ["a"], ["a"], ["c"]],
  );
  const [move, lost, first, second] = moves.map(({ key }) => key);
  assert.equal(first, lost);
  assert.equal(new Set([move, first, second]).size, 3);
});

test("an undo that the server refuses is reported, and gone", async () => {
  list.update("a", { title: "x" });
  await lists.sort("list", { by: "title" });
  const problem = { code: "undo_conflict", detail: "Somebody has moved it." };
  server.respond = (method, path) =>
    path.endsWith("undo") ? [409, problem] : [200, { version: 9 }];
  assert.ok(list.undo());
  await until(() => refusals.length === 1);
  assert.deepEqual(refusals, [["undo_conflict", "Somebody has moved it."]]);
  assert.ok(list.undo());
  assert.deepEqual(
    list.rows.map(({ title }) => title),
    ["b", "a"],
  );
  await until(() => list.waiting === 0);
});

test("a section that moved to another list returns to its place", async () => {
  server.respond = () => [200, { version: (version += 1) }];
  const section = list.createSection("first");
  list.createSection("second");
  await until(() => list.waiting === 0);
  await lists.moveSectionToList("list", section, "other", { position: 3 });
  assert.ok(list.undo());
  await until(() => list.canRedo);
  assert.ok(list.redo());
  await until(() => list.canUndo && requests().length === 3);
  assert.deepEqual(requests(), [
    `/lists/list/sections/${section}/move {"position":3,"toList":"other"}`,
    `/lists/other/sections/${section}/move {"position":0,"toList":"list"}`,
    `/lists/list/sections/${section}/move {"position":3,"toList":"other"}`,
  ]);
});

test("a section returns to its list also if it is over-full there now", async () => {
  server.respond = () => [200, { version: (version += 1) }];
  const section = list.createSection("first");
  list.set({ maxTasksPerSection: 1 });
  await until(() => list.waiting === 0);
  await lists.moveSectionToList("list", section, "other");
  assert.ok(list.undo());
  await until(() => list.canRedo);
  assert.equal(
    requests().at(-1),
    `/lists/other/sections/${section}/move {"position":0,"toList":"list","undo":true}`,
  );
});
