// Connections that say nothing, and tokens that never come.
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { connect } from "../../clients/javascript/client.js";
import { FakeServer, until } from "./fake-server.mjs";

let server, list;
/** The time limits of silent streams. */
let limits;

beforeEach((context) => {
  server = new FakeServer();
  server.make("list", ["a"]);
  limits = new Set();
  const { setTimeout, clearTimeout } = globalThis;
  context.mock.method(globalThis, "setTimeout", (act, milliseconds) => {
    if (milliseconds !== 40_000) return setTimeout(act, milliseconds);
    const limit = { act };
    limits.add(limit);
    return limit;
  });
  context.mock.method(globalThis, "clearTimeout", (timer) => {
    if (!limits.delete(timer)) clearTimeout(timer);
  });
});

afterEach(() => list?.close());

test("a stream that is silent is opened again", async () => {
  list = await connect({ url: server.url, storage: "memory" }).open("list");
  await until(() => list.state === "live" && limits.size === 1);
  const [first] = limits;
  server.send("list", "drag", { drag: "d", state: "lifted", task: "a", client: "else" });
  await until(() => list.drags.others.length === 1);
  assert.equal(limits.size, 1);
  const [second] = limits;
  assert.notEqual(second, first); // the time begins again with everything that arrives
  second.act();
  await until(() => list.state === "offline");
  list.wake();
  await until(() => list.state === "live");
  assert.deepEqual([server.streams, server.open("list")], [2, 1]);
  list.close();
  await until(() => limits.size === 0 && server.open("list") === 0);
});

test("a stream that the server never opens is requested again", async (context) => {
  const { fetch } = globalThis;
  let isSilent = true;
  context.mock.method(globalThis, "fetch", (address, options) => {
    if (!isSilent || !address.endsWith("/events")) return fetch(address, options);
    return new Promise((_, reject) =>
      options.signal.addEventListener("abort", () => reject(options.signal.reason)),
    );
  });
  list = connect({ url: server.url, storage: "memory" }).list("list");
  await until(() => limits.size === 1);
  isSilent = false;
  [...limits][0].act();
  await until(() => list.state === "offline");
  list.wake();
  await until(() => list.state === "live");
});

test("a request ends when it is aborted, even if there is no token yet", async () => {
  const token = () => new Promise(() => {});
  const lists = connect({ url: server.url, storage: "memory", token });
  for (const isLate of [false, true]) {
    const abort = new AbortController();
    if (!isLate) abort.abort();
    const request = lists.search("x", { signal: abort.signal });
    abort.abort();
    await assert.rejects(request, { code: "unreachable" });
  }
  assert.deepEqual(server.requests, []);
});

test("a token that can't be had now counts as an unreachable server", async () => {
  const token = () => Promise.reject(new Error("no network"));
  const lists = connect({ url: server.url, storage: "memory", token });
  await assert.rejects(lists.search("x"), { code: "unreachable" });
  assert.deepEqual(server.requests, []);
});
