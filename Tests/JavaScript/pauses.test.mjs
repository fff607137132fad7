// Servers that do not agree, for example while one of them takes over: the client does not ask them again and again without a pause.
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { connect } from "../../clients/javascript/client.js";
import { FakeServer, until } from "./fake-server.mjs";

const rounds = 14;
const longestPauseMilliseconds = 60_000;

let server, list, pauses;

beforeEach(async (context) => {
  server = new FakeServer();
  server.make("list", ["a", "b"]);
  const lists = connect({ url: server.url, storage: "memory", clientID: "test" });
  list = await lists.open("list");
  await until(() => list.state === "live");
  pauses = [];
  const { setTimeout } = globalThis;
  /** The client's pauses last for a millisecond. */
  context.mock.method(globalThis, "setTimeout", (act, milliseconds) => {
    // Pauses have a random part; the time limits of streams have none.
    const isPause = milliseconds > 1 && !Number.isInteger(milliseconds);
    if (isPause) pauses.push(milliseconds);
    return setTimeout(act, isPause ? 1 : milliseconds);
  });
});

afterEach(() => list.close());

/** The first pause is short, and the last ones are long. */
function checkPauses() {
  assert.ok(pauses.length >= rounds, `${pauses.length} pauses`);
  assert.ok(pauses[0] <= 40, `${pauses}`);
  assert.ok(
    pauses.slice(rounds - 2).every((pause) => pause >= longestPauseMilliseconds / 2),
    `${pauses}`,
  );
}

/** Sends an event after which the client opens another stream. */
async function sendAndWait(event, data) {
  const { streams } = server;
  server.send("list", event, data);
  await until(() => server.streams > streams);
}

test("a list that is outdated again and again is fetched after growing pauses", async () => {
  for (let round = 0; round < rounds; round += 1) await sendAndWait("refetch", { version: 1 });
  checkPauses();
  // A change ends the growth.
  const set = { title: "x" };
  const ops = [{ op: "update", task: "a", set }];
  server.send("list", "change", { version: 2, at: "2026-01-01T00:00:00.000Z", client: "x", ops });
  await until(() => list.version === 2);
  pauses = [];
  await sendAndWait("refetch", { version: 1 });
  assert.ok(pauses[0] <= 40, `${pauses}`);
});

test("a list that is replaced again and again is fetched after short pauses", async () => {
  for (let version = 2; version < 2 + rounds; version += 1) {
    server.make("list", ["c"], { version });
    await sendAndWait("refetch", { version });
    assert.equal(list.version, version);
  }
  assert.ok(
    pauses.every((pause) => pause <= 40),
    `${pauses}`,
  );
});

test("after a quiet time, the next pause is short", async (context) => {
  for (let round = 0; round < rounds; round += 1) await sendAndWait("refetch", { version: 1 });
  const now = performance.now() + 30_000;
  context.mock.method(performance, "now", () => now);
  pauses = [];
  await sendAndWait("refetch", { version: 1 });
  assert.ok(pauses[0] <= 40, `${pauses}`);
});

test("two stores behind one address are asked after growing pauses", async () => {
  list.update("a", { title: "mine" });
  await until(() => list.waiting === 0);
  pauses = [];
  for (let round = 0; round < rounds; round += 1) {
    server.make("list", ["a", "b"], { version: 1 + (round % 2) * 7, epoch: `e${round % 2}` });
    await sendAndWait("refetch", { version: 1 });
  }
  checkPauses();
});

test("a server that ends each stream at once is asked after growing pauses", async () => {
  for (let round = 0; round < rounds; round += 1) {
    const { streams } = server;
    server.endStream("list");
    await until(() => server.streams > streams && list.state === "live");
  }
  assert.ok(
    pauses.slice(-2).every((pause) => pause >= longestPauseMilliseconds / 2),
    `${pauses}`,
  );
});

test("the stream is opened again after growing pauses while a version is missing", async () => {
  const change = { version: 9, at: "2026-01-01T00:00:00.000Z", ops: [] };
  for (let round = 0; round < rounds; round += 1) await sendAndWait("change", change);
  checkPauses();
});

test("a list that exists, but cannot be read, is looked for after growing pauses", async (context) => {
  let searches = 0;
  const { fetch } = globalThis;
  context.mock.method(globalThis, "fetch", async (address, options) => {
    if (!address.includes("/lists?ids=")) return fetch(address, options);
    searches += 1;
    await new Promise((resolve) => setTimeout(resolve, 1));
    return new Response('{"lists":[{"id":"list"}]}');
  });
  server.delete("list");
  await until(() => searches > rounds);
  checkPauses();
});

test("a list that is closed because of a failure has no pause", async () => {
  list.on("state", () => list.state === "offline" && list.close());
  server.endStream("list");
  await until(() => list.state === "closed");
  assert.deepEqual(pauses, []);
});

for (const isOurs of [true, false])
  test(`a pause lasts at most an hour, whatever ${isOurs ? "the server" : "a proxy"} asks for`, async (context) => {
    const asked = [];
    const { setTimeout } = globalThis;
    context.mock.method(globalThis, "setTimeout", (act, milliseconds) => {
      if (milliseconds > longestPauseMilliseconds) asked.push(milliseconds);
      return setTimeout(act, milliseconds);
    });
    const document = isOurs ? { code: "unavailable", detail: "Try again later." } : {};
    list.update("a", { title: "x" });
    for (const [seconds, wanted] of [
      ["61", 61_000],
      ["3600", 3_600_000],
      ["3601", 3_600_000],
      ["999999999999", 3_600_000],
      ["Infinity", 3_600_000],
    ]) {
      server.respond = () => [503, document, { "Retry-After": seconds }];
      await list.flush();
      assert.ok(list.isFailing);
      assert.equal(asked.at(-1), wanted, seconds);
    }
    const { length } = asked;
    for (const seconds of ["0.1", "-5", "Wed, 21 Oct 2026 07:28:00 GMT"]) {
      server.respond = () => [503, document, { "Retry-After": seconds }];
      await list.flush();
    }
    assert.equal(asked.length, length);
    server.respond = () => [200, { version: 2 }];
    await list.flush();
    assert.equal(list.waiting, 0);
  });
