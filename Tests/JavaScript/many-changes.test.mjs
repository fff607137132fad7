// Many changes that arrive while many steps wait: the work does not grow with the product of their numbers.
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { connect } from "../../clients/javascript/client.js";
import { FakeServer, until } from "./fake-server.mjs";

let server, list;

beforeEach(async () => {
  server = new FakeServer();
  server.make("list", ["a", "b"]);
  list = await connect({ url: server.url, storage: "memory", clientID: "test" }).open("list");
  await until(() => list.state === "live");
});

afterEach(() => list.close());

const changeOf = (version, title) => ({
  version,
  at: "2026-01-01T00:00:00.000Z",
  ops: [{ op: "update", task: "b", set: { title } }],
});

for (const waiting of [0, 50, 150])
  test(`all changes that arrive together are shown, while ${waiting} steps wait`, async () => {
    server.isReachable = false;
    for (let count = 0; count < waiting; count += 1) list.update("a", { title: `a${count}` });
    await until(() => list.isFailing || waiting === 0);
    const shown = [];
    list.subscribe(({ rows }) => shown.push(rows.map(({ title }) => title).join()));
    shown.length = 0;
    for (let version = 2; version <= 300; version += 1)
      server.send("list", "change", changeOf(version, `b${version}`));
    await until(() => list.version === 300);
    if (waiting > 100) assert.ok(shown.length < 150, `${shown.length} times`);
    assert.equal(shown.at(-1), `${waiting === 0 ? "a" : `a${waiting - 1}`},b300`);
    assert.equal(list.waiting, waiting);
    await list.discardWaiting();
    assert.deepEqual(
      list.rows.map(({ title }) => title),
      ["a", "b300"],
    );
  });

test("an event after changes finds them integrated", async () => {
  server.isReachable = false;
  for (let count = 0; count < 150; count += 1) list.update("a", { title: `a${count}` });
  await until(() => list.isFailing);
  const versions = [];
  list.on("drag", () => versions.push(list.version));
  for (const version of [2, 3]) server.send("list", "change", changeOf(version, `b${version}`));
  server.send("list", "drag", { drag: "d", tasks: ["b"], by: null, client: "other", over: null });
  await until(() => versions.length > 0);
  assert.deepEqual(versions, [3]);
  await list.discardWaiting();
});
