// A step of several operations, of which the server refuses one, and an undo, of which it applies all or nothing.
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

/** The operations of each batch so far. */
const batches = () =>
  server.requests
    .filter((request) => request.includes("/batch"))
    .map((request) => JSON.parse(request.slice(request.indexOf("{"))).ops);

/** Responds to each batch: the deletion of `b` is refused. */
function refuseB(version) {
  const ops = batches().at(-1);
  return [
    200,
    { version, results: ops.map(({ task }) => (task === "b" ? locked : { status: 200 })) },
  ];
}

function change(version, ops) {
  const at = "2026-01-01T00:00:00.000Z";
  server.send("list", "change", { version, at, client: "test", ops });
}

test("the refusal is reported once, and what the server applied stays applied", async () => {
  server.respond = () => refuseB(2);
  list.delete(["a", "b", "c"]);
  assert.deepEqual(ids(), ["d"]);
  list.update("d", { title: "later" });
  await until(() => list.waiting === 0);
  change(2, [
    { op: "delete", task: "a" },
    { op: "delete", task: "c" },
    { op: "update", task: "d", set: { title: "later" } },
  ]);
  await until(() => list.version === 2);
  assert.deepEqual(ids(), ["b", "d"]);
  assert.equal(list.rows.find(({ id }) => id === "d").title, "later");
  assert.deepEqual(
    refusals.map(({ code, tasks }) => [code, tasks]),
    [["locked", ["a", "b", "c"]]],
  );
});

test("the refusal of an operation in an earlier batch of the step is kept", async () => {
  let version = 1;
  server.respond = () => {
    const ops = batches().at(-1);
    if (ops.length > 2) return [413, { code: "body_too_large", detail: "Too large." }];
    return refuseB((version += 1));
  };
  list.delete(["a", "b", "c", "d"]);
  await until(() => list.waiting === 0);
  assert.deepEqual(
    batches().map((ops) => ops.length),
    [4, 2, 2],
  );
  assert.deepEqual(
    refusals.map(({ code }) => code),
    ["locked"],
  );
});

for (const status of [400, 409, 413, 422]) {
  test(`an undo that the server refuses with ${status} is not sent in parts`, async () => {
    server.respond = () => [200, { version: 2, results: [{}, {}] }];
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
