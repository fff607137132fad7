// The client knows the changes of its steps by the ids of their operations: a waiting step that the list already contains is not shown
// again, and no other waiting step is hidden, whoever sends this client's Client-Id.
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { connect } from "../../clients/javascript/client.js";
import { FakeServer, until } from "./fake-server.mjs";

let server, list, answer;

beforeEach(() => {
  server = new FakeServer();
  server.make("list", ["a", "b"]);
});

afterEach(() => list.close());

/** Opens the list as this author, and renames `a` to `mine`. The response waits until `answer` is called. */
async function openWithWaitingStep(author) {
  server.author = author;
  list = await connect({ url: server.url, storage: "memory", clientID: "me" }).open("list");
  await until(() => list.state === "live");
  server.respond = () =>
    new Promise((resolve) => (answer = (version) => resolve([200, { version }])));
  list.update("a", { title: "mine" });
  await until(() => server.requests.length === 1);
}

const at = "2026-11-22T10:00:00.000Z";

/** A change arrives that renames tasks. */
async function receive(version, from, titles) {
  const ops = Object.entries(titles).map(([task, title]) => ({
    op: "update",
    task,
    set: { title },
  }));
  server.send("list", "change", { version, at, ...from, ops });
  await until(() => list.version === version);
}

const titles = () => list.rows.map(({ title }) => title);

/** The ids of the operations of the last batch, by steps. */
const sentIDs = () => {
  const batch = server.requests.findLast((request) => request.includes("/batch"));
  const { steps } = JSON.parse(batch.slice(batch.indexOf("{")));
  return steps.map((step) => step.map(({ opId }) => opId));
};

for (const from of [{ client: "me", by: "Ben" }, { client: "me" }, { client: "me", by: "Anna" }])
  test(`only a change with the id of a step is that step: ${JSON.stringify(from)}`, async () => {
    await openWithWaitingStep("Anna");
    await receive(2, { ...from, opId: "other" }, { b: "other" });
    assert.deepEqual(titles(), ["mine", "other"]);
    // The own change arrives before its response, and is not applied twice.
    await receive(3, { client: "me", by: "Anna", opId: sentIDs()[0][0] }, { a: "mine" });
    await receive(4, { client: "else", by: "Ben" }, { a: "later" });
    assert.deepEqual(titles(), ["later", "other"]);
    answer(3);
    await until(() => list.waiting === 0);
    assert.deepEqual(titles(), ["later", "other"]);
  });

test("a change that arrives before the response marks the right one of several steps", async () => {
  await openWithWaitingStep(undefined);
  list.update("b", { title: "second" });
  list.update("a", { title: "third" });
  const first = answer;
  first(2);
  await until(() => server.requests.length === 2);
  const [[second], [third]] = sentIDs();
  await receive(2, { client: "me" }, { a: "mine" });
  await receive(3, { client: "me", opId: second }, { b: "second" });
  await receive(4, { client: "else" }, { a: "x", b: "y" });
  assert.deepEqual(titles(), ["third", "y"]);
  await receive(5, { client: "me", opId: third }, { a: "third" });
  await receive(6, { client: "else" }, { a: "z" });
  assert.deepEqual(titles(), ["z", "y"]);
  answer(5);
  await until(() => list.waiting === 0);
  assert.deepEqual(titles(), ["z", "y"]);
});

test("a drag of another author with this Client-Id is a drag of others", async () => {
  server.author = "Anna";
  list = await connect({ url: server.url, storage: "memory", clientID: "me" }).open("list");
  await until(() => list.state === "live");
  const drag = (id, from) =>
    server.send("list", "drag", {
      drag: id,
      state: "lifted",
      task: "a",
      over: null,
      expiresAt: at,
      ...from,
    });
  drag("own", { client: "me", by: "Anna" });
  drag("false", { client: "me", by: "Ben" });
  drag("tab", { client: "tab", by: "Anna" });
  drag("open", { client: "open" });
  await until(() => list.drags.others.length === 3);
  assert.deepEqual(
    list.drags.others.map(({ drag: id, by }) => [id, by]),
    [
      ["false", "Ben"],
      ["tab", "Anna"],
      ["open", null],
    ],
  );
});
