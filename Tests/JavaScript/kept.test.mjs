// What stays on the device until the person has seen it: refusals of the server, and the list to which waiting steps belong.
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { connect } from "../../clients/javascript/client.js";
import { installStorage, removeStorage } from "./fake-indexeddb.mjs";
import { FakeServer, until } from "./fake-server.mjs";

let records, server, list;
/** The problem with which the server answers each request about the list; null: none. */
let problem;
/** The lists of all windows so far. */
let windows = [];

beforeEach((context) => {
  records = installStorage();
  server = new FakeServer();
  server.make("list", ["a", "b"], { epoch: "111111111111" });
  problem = null;
  const { fetch } = globalThis;
  context.mock.method(globalThis, "fetch", (address, options) => {
    if (!problem || !address.includes("/lists/list")) return fetch(address, options);
    const headers = { "Content-Type": "application/problem+json" };
    return new Response(JSON.stringify(problem), { status: problem.status, headers });
  });
});

afterEach(() => {
  // No window tries again to send.
  for (const one of windows) {
    one.discardWaiting();
    one.close();
  }
  windows = [];
  removeStorage();
});

/** A new window, with the storage of the windows before it. */
function open() {
  list?.close();
  list = connect({ url: server.url, clientID: "test" }).list("list");
  windows.push(list);
}

const ended = (state) => until(() => list.state === state);
const titles = () => list.rows.map(({ title }) => title);
const refusals = () => list.refusals.map(({ code, detail, tasks }) => [code, detail, ...tasks]);

/** The server refuses each step. */
function refuse() {
  const one = { problem: { status: 409, code: "locked", detail: "/task: It is locked." } };
  server.respond = (_, __, body) => {
    const results = JSON.parse(body).steps.flatMap((step) => step.map(() => one));
    return [200, { version: 1, results }];
  };
}

test("what the server refused is there after a reload, until the person has seen it", async () => {
  open();
  await ended("live");
  refuse();
  const events = [];
  list.on("refused", (event) => events.push(event.step.id));
  list.update("a", { title: "x" });
  list.delete(["a", "b"]);
  await until(() => list.refusals.length === 2 && records("refused").length === 2);
  assert.deepEqual(
    list.refusals.map(({ step }) => step.id),
    events,
  );
  assert.equal(records("waiting").length, 0);
  const all = [
    ["locked", "It is locked.", "a"],
    ["locked", "It is locked.", "a", "b"],
  ];
  assert.deepEqual(refusals(), all);
  open();
  await until(() => list.refusals.length === 2);
  await ended("live");
  assert.deepEqual(refusals(), all);
  assert.deepEqual([list.waiting, titles()], [0, ["a", "b"]]);
  let states = 0;
  list.on("state", () => (states += 1));
  list.acknowledge(list.refusals.slice(0, 1));
  assert.deepEqual([states, refusals()], [1, all.slice(1)]);
  list.acknowledge();
  assert.deepEqual(refusals(), []);
  await until(() => records("refused").length === 0);
  open();
  await ended("live");
  assert.deepEqual(refusals(), []);
});

test("a refusal of a step from before a reload is kept, and so is its step until then", async () => {
  open();
  await ended("live");
  server.isReachable = false;
  list.update("a", { title: "x" });
  await until(() => records("waiting").length === 1);
  refuse();
  server.isReachable = true;
  open();
  await until(() => list.refusals.length === 1 && records("refused").length === 1);
  assert.equal(records("waiting").length, 0);
});

test("the newest 100 refusals are kept", async () => {
  open();
  await ended("live");
  refuse();
  const made = [];
  list.on("refused", ({ step }) => made.push(step.id));
  for (let count = 0; count < 101; count += 1) list.update("a", { title: `x${count}` });
  await until(() => made.length === 101 && list.waiting === 0);
  const ids = () => list.refusals.map(({ step }) => step.id);
  assert.deepEqual(ids(), made.slice(1));
  await until(() => records("refused").length === 100);
  open();
  await until(() => list.refusals.length > 0);
  assert.deepEqual(ids(), made.slice(1));
});

test("refusals are stored again if the person deletes the browser's data", async () => {
  open();
  await ended("live");
  refuse();
  list.update("a", { title: "x" });
  await until(() => records("refused").length === 1);
  records.clear();
  list.update("a", { title: "y" });
  const titlesOf = () => new Set(records("refused").map(({ step }) => step.set.title));
  await until(() => titlesOf().size === 2);
});

const noAccess = [
  { status: 401, code: "unauthorized", detail: "The link was taken back." },
  { status: 403, code: "forbidden", detail: "The token does not cover this list." },
  { status: 404, code: "list_not_found", detail: "The list does not exist." },
];

for (const one of noAccess) {
  const state = one.status === 404 ? "gone" : "locked";
  test(`after ${one.status}, the list stays on the device while something waits`, async () => {
    open();
    await ended("live");
    await until(() => records("documents").length === 1);
    server.isReachable = false;
    list.update("a", { title: "x" });
    list.create({ id: "c", title: "c" });
    await until(() => records("waiting").length === 2);
    problem = one;
    for (let reload = 0; reload < 2; reload += 1) {
      open();
      await ended(state);
      await until(() => list.waiting === 2);
      assert.deepEqual(titles(), ["x", "b", "c"]);
      assert.deepEqual(
        list.waitingSteps.map(({ kind }) => kind),
        ["update", "create"],
      );
      assert.equal(records("documents").length, 1);
    }
    await list.discardWaiting();
    await until(() => records("documents").length === 0 && records("waiting").length === 0);
    assert.deepEqual(list.waitingSteps, []);
  });

  test(`after ${one.status}, the list is deleted from the device if nothing waits`, async () => {
    open();
    await ended("live");
    await until(() => records("documents").length === 1);
    problem = one;
    open();
    await ended(state);
    await until(() => records("documents").length === 0);
  });
}

test("a list whose steps were not allowed is live again when they are, or are discarded", async () => {
  open();
  await ended("live");
  const forbidden = [403, { code: "forbidden", detail: "The link is for reading." }];
  for (const end of ["allowed", "discarded"]) {
    server.respond = () => forbidden;
    list.update("a", { title: end });
    await ended("locked");
    await until(() => list.isFailing);
    server.respond = () => [200, { version: 1 }];
    if (end === "allowed") list.flush();
    else await list.discardWaiting();
    await ended("live");
    assert.equal(list.waiting, 0);
    await until(() => records("documents").length === 1);
  }
});
