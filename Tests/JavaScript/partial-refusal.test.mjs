// A step of several operations: the server applies all of them or none.
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { connect } from "../../clients/javascript/client.js";
import { FakeServer, until } from "./fake-server.mjs";

let server, list, refusals;

beforeEach(async () => {
  server = new FakeServer();
  server.make("list", ["a", "b", "c", "d"]);
  const lists = connect({ url: server.url, storage: "memory", clientID: "test" });
  list = await lists.open("list");
  await until(() => list.state === "live");
  refusals = [];
  list.on("refused", (event) => refusals.push(event));
});

afterEach(() => list.close());

const ids = () => list.rows.map(({ id }) => id);
const locked = { status: 409, problem: { code: "locked", detail: "The task is locked." } };

/** The steps of each batch so far: arrays of operations. */
const batches = () =>
  server.requests
    .filter((request) => request.includes("/batch"))
    .map((request) => JSON.parse(request.slice(request.indexOf("{"))).steps);

/** Responds to each batch: each step with the deletion of `b` is refused. */
function refuseB(version, problem = locked) {
  const results = batches()
    .at(-1)
    .flatMap((step) => step.map(() => (step.some(({ task }) => task === "b") ? problem : {})));
  return [200, { version, results }];
}

function change(version, ops) {
  const at = "2026-01-01T00:00:00.000Z";
  server.send("list", "change", { version, at, client: "test", ops });
}

test("the refusal is reported once, and nothing of the step is applied", async () => {
  server.respond = () => refuseB(2);
  list.delete(["a", "b", "c"]);
  assert.deepEqual(ids(), ["d"]);
  list.update("d", { title: "later" });
  await until(() => list.waiting === 0);
  change(2, [{ op: "update", task: "d", set: { title: "later" } }]);
  await until(() => list.version === 2);
  assert.deepEqual(ids(), ["a", "b", "c", "d"]);
  assert.equal(list.rows.find(({ id }) => id === "d").title, "later");
  assert.deepEqual(
    refusals.map(({ code, tasks }) => [code, tasks]),
    [["locked", ["a", "b", "c"]]],
  );
});

test("if somebody has deleted one of several tasks, the others are deleted", async () => {
  const gone = { status: 404, problem: { code: "task_not_found", detail: "It is gone." } };
  server.respond = () => refuseB(batches().length + 1, gone);
  server.send("list", "change", { version: 2, ops: [{ op: "delete", task: "b" }] });
  list.delete(["a", "b", "c"]);
  await until(() => list.waiting === 0);
  assert.deepEqual(ids(), ["d"]);
  const ops = batches().map((steps) => steps.map((step) => step.map(({ task }) => task)));
  assert.deepEqual(ops, [[["a", "b", "c"]], [["a"], ["b"], ["c"]]]);
  // The server has stored the refusal of the first ids.
  const opIDs = batches().flatMap((steps) => steps.flatMap((step) => step.map((op) => op.opId)));
  assert.equal(new Set(opIDs).size, 6);
  assert.deepEqual(refusals, []);
  change(3, [{ op: "delete", task: "a" }]);
  change(4, [{ op: "delete", task: "c" }]);
  await until(() => list.version === 4);
  assert.deepEqual(ids(), ["d"]);
});

test("if others have deleted all of the tasks, nothing is refused", async () => {
  const gone = { status: 404, problem: { code: "task_not_found", detail: "It is gone." } };
  server.respond = () => [
    200,
    {
      version: 2,
      results: batches()
        .at(-1)
        .flatMap((step) => step.map(() => gone)),
    },
  ];
  list.delete(["a", "b"]);
  await until(() => list.waiting === 0);
  assert.deepEqual(refusals, []);
  assert.ok(!list.canUndo);
});

test("several steps are one request, with the operations of each as one step", async () => {
  server.isReachable = false;
  list.delete(["a", "b"]);
  list.update("c", { title: "x" });
  await until(() => list.isFailing);
  assert.ok(list.undo());
  assert.ok(list.undo());
  server.isReachable = true;
  await list.flush();
  await until(() => list.waiting === 0);
  assert.deepEqual(
    batches()
      .at(-1)
      .map((step) => step.map(({ op }) => op)),
    [["delete", "delete"], ["update"], ["update"], ["create", "create"]],
  );
});

test("a step of more than 1,000 operations is sent in several batches", async () => {
  list.close();
  const titles = Array.from({ length: 2_500 }, (_, index) => `t${index}`);
  server.make("long", titles);
  list = await connect({ url: server.url, storage: "memory", clientID: "test" }).open("long");
  await until(() => list.state === "live");
  const responses = [];
  server.respond = () => new Promise((resolve) => responses.push(resolve));
  list.delete(titles);
  list.create({ id: "last", title: "last" });
  let version = 1;
  for (const [start, end] of [
    [0, 1_000],
    [1_000, 2_000],
    [2_000, 2_500],
  ]) {
    await until(() => responses.length === start / 1_000 + 1);
    const [step] = batches().at(-1);
    assert.deepEqual(
      step.map(({ task }) => task),
      titles.slice(start, end),
    );
    version += 1;
    // The change arrives before the response.
    server.send("long", "change", { version, client: "test", opId: step[0].opId, ops: step });
    await until(() => list.version === version);
    assert.deepEqual(ids(), ["last"]);
    responses.at(-1)([200, { version }]);
  }
  await until(() => list.waiting === 0);
});

for (const status of [400, 413, 422]) {
  test(`an undo that the server refuses with ${status} is not sent in parts`, async () => {
    list.delete(["b", "c"]);
    await until(() => list.waiting === 0);
    change(2, [
      { op: "delete", task: "b" },
      { op: "delete", task: "c" },
    ]);
    await until(() => list.version === 2);
    let count = 0;
    server.respond = () => {
      count += 1;
      // Were parts of it sent, they would be applied.
      return count === 1 ? [status, { code: "refused", detail: "No." }] : [200, { version: 3 }];
    };
    assert.ok(list.undo());
    assert.deepEqual(ids(), ["a", "b", "c", "d"]);
    await until(() => list.waiting === 0);
    assert.equal(count, 1);
    assert.deepEqual(ids(), ["a", "d"]);
    assert.equal(refusals.length, 1);
  });
}
