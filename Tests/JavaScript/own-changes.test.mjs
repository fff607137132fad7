// The client's own changes, and those of others who send its Client-Id: a waiting step that the list already contains is not shown
// again, and no other waiting step is hidden.
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
    new Promise((resolve) => (answer = (version) => resolve([200, { version, results: [{}] }])));
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

for (const [what, author, from] of [
  ["another author", "Anna", { by: "Ben" }],
  ["nobody known", "Anna", {}],
])
  test(`a change of ${what} with this Client-Id hides no waiting step`, async () => {
    await openWithWaitingStep(author);
    await receive(2, { client: "me", ...from }, { b: "other" });
    assert.deepEqual(titles(), ["mine", "other"]);
    // The own change arrives before its response, and is not applied twice.
    await receive(3, { client: "me", by: author }, { a: "mine" });
    await receive(4, { client: "else", by: "Ben" }, { a: "later" });
    assert.deepEqual(titles(), ["later", "other"]);
    answer(3);
    await until(() => list.waiting === 0);
    assert.deepEqual(titles(), ["later", "other"]);
  });

for (const from of [{}, { by: "Anna" }])
  test(`a client without a known author knows its change by its Client-Id: ${JSON.stringify(from)}`, async () => {
    await openWithWaitingStep(undefined);
    await receive(2, { client: "me", ...from }, { a: "mine" });
    await receive(3, { client: "else" }, { a: "later" });
    assert.deepEqual(titles(), ["later", "b"]);
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
      expires: at,
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
