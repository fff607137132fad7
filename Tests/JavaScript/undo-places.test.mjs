// An undo puts tasks back beside the neighbors that are left, whatever others have changed meanwhile.
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { connect } from "../../clients/javascript/client.js";
import { FakeServer, until } from "./fake-server.mjs";

let server, list, version;

beforeEach(async () => {
  server = new FakeServer();
  server.make("list", ["a", "b", "c", "d"]);
  const lists = connect({ url: server.url, storage: "memory", clientID: "test" });
  list = await lists.open("list");
  await until(() => list.state === "live");
  version = 1;
  server.respond = () => [200, { version: version + 1 }];
});

afterEach(() => list.close());

const ids = () => list.rows.map(({ id }) => id);

/** A change of this client or of another one. */
async function change(client, ...ops) {
  version += 1;
  server.send("list", "change", { version, at: "2026-01-01T00:00:00.000Z", client, ops });
  await until(() => list.version === version);
}

const insertAtTop = ["y", "x"].map((id) => ({
  op: "insert",
  task: { id, title: id, section: null, parent: null, position: 0 },
}));

for (const [gone, wanted] of [
  ["a", ["x", "y", "b", "c", "d"]],
  ["c", ["x", "y", "a", "b", "d"]],
]) {
  test(`the undo of a move when the neighbor ${gone} was deleted`, async () => {
    list.move("b", { after: "d" });
    await until(() => list.waiting === 0);
    await change("test", { op: "move", task: "b", section: null, parent: null, position: 3 });
    await change("other", { op: "delete", task: gone }, ...insertAtTop);
    assert.ok(list.undo());
    assert.deepEqual(ids(), wanted);
  });

  test(`the undo of a deletion when the neighbor ${gone} was deleted`, async () => {
    list.delete("b");
    await until(() => list.waiting === 0);
    await change("test", { op: "delete", task: "b" });
    await change("other", { op: "delete", task: gone }, ...insertAtTop);
    assert.ok(list.undo());
    assert.deepEqual(ids(), wanted);
  });
}

test("a step whose change has arrived is not applied to the list again", async () => {
  list.move("a", { after: "d" });
  await until(() => list.waiting === 0);
  await change("test", { op: "move", task: "a", section: null, parent: null, position: 3 });
  const operations = { op: "move", task: "a", section: null, parent: null, position: 0 };
  await change("other", operations);
  assert.deepEqual(ids(), ["a", "b", "c", "d"]);
});

test("a step stays visible while it is sent, whatever changes arrive", async () => {
  const responses = [];
  server.respond = () => new Promise((resolve) => responses.push(resolve));
  const respond = async (count) => {
    await until(() => responses.length === count);
    responses[count - 1]([200, { version: version + 1 }]);
  };
  list.update("a", { title: "mine" });
  await until(() => responses.length === 1);
  list.move("d", { before: "a" });
  const isShown = () => {
    assert.deepEqual(ids().slice(-4), ["d", "a", "b", "c"]);
    assert.equal(list.rows.find(({ id }) => id === "a").title, "mine");
  };
  isShown();
  await respond(1);
  // The second step is sent now, and the change of the first one arrives.
  await until(() => responses.length === 2);
  await change("test", { op: "update", task: "a", set: { title: "mine" } });
  isShown();
  await change("other", { op: "update", task: "b", set: { title: "theirs" } });
  isShown();
  // Its change arrives before its response.
  await change("test", { op: "move", task: "d", section: null, parent: null, position: 0 });
  isShown();
  version -= 1;
  await respond(2);
  version += 1;
  await until(() => list.waiting === 0);
  isShown();
});

const task = (place) => ({ op: "insert", task: { id: "theirs", title: "theirs", ...place } });

for (const [kind, make, put] of [
  [
    "task",
    () => list.create({ id: "mine", title: "mine" }),
    () => ({ section: null, parent: "mine" }),
  ],
  ["section", () => list.createSection("mine"), (section) => ({ section, parent: null })],
]) {
  test(`the undo of a new ${kind} is refused if somebody has put tasks into it`, async () => {
    const refusals = [];
    list.on("refused", ({ code }) => refusals.push(code));
    const made = make();
    await until(() => list.waiting === 0);
    const insert = { id: "mine", title: "mine", section: null, parent: null, position: 4 };
    await change(
      "test",
      kind === "task"
        ? { op: "insert", task: insert }
        : { op: "section-insert", section: made, title: "mine", position: 0 },
    );
    await change("other", task({ ...put(made), position: 0 }));
    const { length } = server.requests;
    assert.ok(!list.undo());
    assert.deepEqual(refusals, ["undo_conflict"]);
    assert.equal(list.waiting, 0);
    assert.equal(server.requests.length, length);
    assert.ok(ids().includes("theirs"));
    assert.equal(list.sections.length, kind === "task" ? 0 : 1);
  });
}
