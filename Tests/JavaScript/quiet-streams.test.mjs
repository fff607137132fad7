// What the stream of all lists is for: lists without a stream of their own, and lists that do not exist now.
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { connect } from "../../clients/javascript/client.js";
import { installStorage, removeStorage } from "./fake-indexeddb.mjs";
import { installLocks, removeLocks } from "./fake-locks.mjs";
import { FakeServer, until } from "./fake-server.mjs";

const names = ["one", "two", "three"];
let server, opened, changes;

beforeEach(() => {
  installStorage();
  installLocks();
  server = new FakeServer();
  changes = new Map(names.map((name) => [name, []]));
  for (const name of names) server.make(name, ["a"], { epoch: "111111111111" });
  server.greet = (id, after) => {
    if (!id) return [["hello", {}]];
    const missed = changes.get(id).filter(({ version }) => version > Number.parseInt(after, 10));
    return [
      ["hello", { version: changes.get(id).length + 1 }],
      ...missed.map((change) => ["change", change]),
    ];
  };
});

afterEach(() => {
  for (const list of opened) list.close();
  removeStorage();
  removeLocks();
});

async function open() {
  const lists = connect({ url: server.url, clientID: "test" });
  opened = await Promise.all(names.map((name) => lists.open(name, { ownStream: false })));
}

/** Somebody else changes a list. */
function change(name, title) {
  const [own, at] = [changes.get(name), "2026-01-01T00:00:00.000Z"];
  const ops = [{ op: "update", task: "a", set: { title } }];
  own.push({ version: own.length + 2, at, client: "else", ops });
  server.send(name, "change", own.at(-1));
  server.send("", "change", { list: name });
}

const titles = () => opened.map(({ rows }) => rows[0].title).join(" ");
const states = () => opened.map(({ state }) => state).join(" ");

test("many lists follow one stream", async () => {
  await open();
  await until(() => states() === "live live live" && server.open("") === 1);
  await until(() => names.every((name) => server.open(name) === 0));
  for (const name of names) change(name, `of-${name}`);
  await until(() => titles() === "of-one of-two of-three");
  change("two", "again");
  await until(() => titles() === "of-one again of-three");
  await until(() => names.every((name) => server.open(name) === 0));
  // What changes while the server is unreachable is read later.
  server.isReachable = false;
  server.endStream("");
  await until(() => states() === "offline offline offline");
  change("three", "later");
  server.isReachable = true;
  await until(() => titles() === "of-one again later" && states() === "live live live");
});

test("lists get streams of their own in a browser that forbids locks", async (context) => {
  installLocks({ isForbidden: true });
  // A stream that only reads what was missed ends at once.
  const { setTimeout } = globalThis;
  context.mock.method(globalThis, "setTimeout", (act, milliseconds) =>
    setTimeout(act, milliseconds === 200 ? 0 : milliseconds),
  );
  await open();
  await until(() => server.open("one") === 1);
  change("one", "x");
  await until(() => titles() === "x a a");
  for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setTimeout(resolve));
  assert.ok(names.every((name) => server.open(name) === 1));
});

test("a list that is opened again is the same object, beyond 100 lists", () => {
  const lists = connect({ url: server.url, storage: "memory" });
  const list = (_, number) => lists.list(`many${number}`, { ownStream: false });
  opened = Array.from({ length: 105 }, list);
  const again = Array.from({ length: 105 }, list);
  assert.ok(opened.every((one, number) => one === again[number]));
});

test("a list that somebody restores loads again, and one that was closed does not", async (context) => {
  // Without a stream of all lists, the client looks every 15 seconds.
  const { setTimeout } = globalThis;
  const looks = [];
  context.mock.method(globalThis, "setTimeout", (act, milliseconds = 0) =>
    milliseconds === 15_000 ? void looks.push(act) : setTimeout(act, milliseconds),
  );
  const connections = [{ account: "shared" }, { storage: "memory" }, { account: "closed" }];
  opened = await Promise.all(
    connections.map((one) => connect({ url: server.url, ...one }).open("one")),
  );
  for (let turn = 0; turn < 2; turn += 1) {
    server.delete("one");
    await until(() => states() === "gone gone gone");
    opened[2].close();
    server.make("one", ["b"], { epoch: "222222222222" });
    server.send("", "created", { list: "one" });
    await until(() => opened[0].state === "live");
    await until(() => {
      for (const look of looks.splice(0)) look();
      return states() === "live live gone";
    });
  }
  assert.equal(opened[1].rows[0].title, "b");
});
