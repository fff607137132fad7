// Another list, perhaps of somebody else, has the ids of deleted tasks: an undo brings the tasks back with new ids.
import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { connect } from "../../clients/javascript/client.js";
import { namesFormer, withIDs } from "../../clients/javascript/steps.js";
import { FakeServer, until } from "./fake-server.mjs";

let list;
let server;

afterEach(() => list.close());

test("an undo of a deletion and its redo have the new ids", async () => {
  const server = new FakeServer();
  server.make("list", ["a", "b", "  c", "  d", "e"]);
  list = await connect({ url: server.url, storage: "memory" }).open("list");
  await until(() => list.state === "live");
  const refused = [];
  list.on("refused", ({ code }) => refused.push(code));
  const batches = [];
  server.respond = (method, path, body) => {
    const { steps } = JSON.parse(body);
    batches.push(...steps);
    const taken = (op) => op.op === "create" && ["b", "c"].includes(op.id);
    const problem = { status: 409, code: "id_taken", detail: "It is in use." };
    const results = steps.flatMap((step) => step.map((op) => (taken(op) ? { problem } : {})));
    return [200, { version: 1 + batches.length, results }];
  };
  list.delete("b");
  await until(() => list.waiting === 0);
  assert.ok(list.undo());
  await until(() => batches.length === 3 && list.waiting === 0);
  const [, , made] = batches;
  const [b, c, d] = made.map(({ id }) => id);
  assert.equal(new Set(["b", "c", "d", b, c, d]).size, 6);
  const isPlaced = made.map(({ title, parent, after }) => [title, parent, after]);
  assert.deepEqual(isPlaced, [
    ["b", undefined, "a"],
    ["c", b, undefined],
    ["d", b, undefined],
  ]);
  assert.deepEqual(
    list.rows.map(({ title, depth }) => [title, depth]),
    [
      ["a", 0],
      ["b", 0],
      ["c", 1],
      ["d", 1],
      ["e", 0],
    ],
  );
  assert.deepEqual(refused, []);
  assert.deepEqual(list.refusals, []);
  assert.ok(list.redo());
  await until(() => batches.length === 4 && list.waiting === 0);
  const deleted = batches[3].map(({ op, task }) => [op, task]);
  assert.deepEqual(
    deleted
      .filter(([op]) => op === "delete")
      .map(([, task]) => task)
      .sort(),
    [b, c, d].sort(),
  );
});

/** A list with `b` between `a` and `c`, and a server that refuses to create `b`. */
async function openWithout(problem, settings) {
  server = new FakeServer();
  server.make("list", ["a", "b", "c"], settings);
  list = await connect({ url: server.url, storage: "memory" }).open("list");
  await until(() => list.state === "live");
  const sent = [];
  server.respond = (method, path, body) => {
    const { steps } = JSON.parse(body);
    sent.push(...steps.flat());
    const results = steps.flatMap((step) =>
      step.map(({ op, id }) => (op === "create" && id === "b" ? { problem } : {})),
    );
    return [200, { version: 1 + sent.length, results }];
  };
  return sent;
}

const taken = { status: 409, code: "id_taken", detail: "It is in use." };
const gone = { status: 404, detail: "It is gone.", version: 5 };

test("earlier steps can be undone after a task has got a new id", async () => {
  const sent = await openWithout(taken);
  list.update("b", { title: "B" });
  list.move("c", { before: "b" });
  list.delete("b");
  assert.ok(list.undo());
  await until(() => sent.length === 5 && list.waiting === 0);
  const { id } = list.rows.at(-1);
  assert.notEqual(id, "b");
  assert.ok(list.undo());
  assert.ok(list.undo());
  await until(() => list.waiting === 0);
  const titles = list.rows.map(({ title }) => title);
  assert.deepEqual(titles, ["a", "b", "c"]);
  assert.deepEqual([sent.at(-2).after, sent.at(-1).task], [id, id]);
  assert.deepEqual(list.refusals, []);
});

test("what a person did after the undo is done with the new ids", async () => {
  const sent = await openWithout(taken);
  list.delete("b");
  await until(() => list.waiting === 0);
  const { respond } = server;
  // The server does not have `b`.
  server.respond = (method, path, body) => {
    const [status, document] = respond(method, path, body);
    const operations = JSON.parse(body).steps.flat();
    for (const [index, { task, parent }] of operations.entries()) {
      if (task === "b") document.results[index] = { problem: { ...gone, code: "task_not_found" } };
      if (parent === "b") document.results[index] = { problem: { ...gone, code: "anchor_gone" } };
    }
    return [status, document];
  };
  server.isReachable = false;
  assert.ok(list.undo());
  list.update("b", { title: "typed" });
  list.create({ title: "sub" }, { parent: "b" });
  list.create({ title: "other" }, { parent: "b" });
  list.delete("c");
  server.isReachable = true;
  list.reconnect();
  await until(() => list.waiting === 0 && list.rows.length === 4);
  assert.deepEqual(
    list.rows.map(({ title, depth }) => [title, depth]),
    [
      ["a", 0],
      ["typed", 0],
      ["sub", 1],
      ["other", 1],
    ],
  );
  assert.deepEqual(list.refusals, []);
  assert.equal(sent.at(-1).parent, list.rows[1].id);
});

test("an undo with new ids still puts back", async () => {
  const sent = await openWithout(taken, { maxDepth: 3 });
  list.delete("b");
  assert.ok(list.undo());
  await until(() => sent.length === 3 && list.waiting === 0);
  assert.equal(sent[1].undo, true);
  assert.equal(sent[2].undo, true);
});

test("a task that others have brought back is not created twice", async () => {
  // The list itself has the id: then the problem has its version.
  const sent = await openWithout({ ...taken, version: 3 });
  list.delete("b");
  assert.ok(list.undo());
  await until(() => sent.length >= 2 && list.waiting === 0);
  assert.deepEqual(
    list.refusals.map(({ code }) => code),
    ["id_taken"],
  );
});

test("a step has the new ids wherever it names a task", () => {
  const ids = new Map([["a", "a2"]]);
  const places = ["after", "before", "parent"].map((name) => [
    { kind: "move", tasks: ["b"], to: { after: "c", before: "d", [name]: "a", position: 1 } },
    { kind: "move", tasks: ["b"], to: { after: "c", before: "d", [name]: "a2", position: 1 } },
  ]);
  const subjects = [
    [
      { kind: "move", tasks: ["b", "a"], to: { section: "a" } },
      { kind: "move", tasks: ["b", "a2"], to: { section: "a" } },
    ],
    [
      { kind: "create", task: { id: "a", title: "a" }, to: { parent: "b" } },
      { kind: "create", task: { id: "a2", title: "a" }, to: { parent: "b" } },
    ],
    [
      { kind: "update", task: "a", set: { title: "a" } },
      { kind: "update", task: "a2", set: { title: "a" } },
    ],
    [
      { kind: "delete", tasks: ["a"], expects: { id: "a" } },
      { kind: "delete", tasks: ["a2"], expects: { id: "a2" } },
    ],
  ];
  for (const [step, expected] of [...places, ...subjects]) {
    const before = structuredClone(step);
    const group = { kind: "group", steps: [step] };
    assert.deepEqual(withIDs(step, ids), expected);
    assert.deepEqual(withIDs(group, ids), { kind: "group", steps: [expected] });
    assert.deepEqual(step, before);
    assert.ok(namesFormer(step, ids) && !namesFormer(expected, ids));
  }
});
