// The drags of others, as their windows show them.
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { connect } from "../../clients/javascript/client.js";
import { FakeServer, until } from "./fake-server.mjs";

let server, list, shown;
/** The timers of drags: `act` and `milliseconds`. */
let timers;

const now = Date.UTC(2026, 0);
const inSeconds = (seconds) => new Date(now + seconds * 1_000).toISOString();

beforeEach(async (context) => {
  server = new FakeServer();
  server.make("list", ["a", "b", "c"]);
  list = await connect({ url: server.url, storage: "memory", clientID: "me" }).open("list");
  await until(() => list.state === "live");
  shown = [];
  list.on("drags", () => shown.push(list.drags.others.map(({ drag }) => drag).join(" ")));
  timers = new Set();
  const { setTimeout, clearTimeout } = globalThis;
  context.mock.method(Date, "now", () => now);
  context.mock.method(globalThis, "setTimeout", (act, milliseconds) => {
    if (milliseconds < 30_000 || milliseconds === 40_000) return setTimeout(act, milliseconds);
    const timer = { act, milliseconds };
    timers.add(timer);
    return timer;
  });
  context.mock.method(globalThis, "clearTimeout", (timer) => {
    if (!timers.delete(timer)) clearTimeout(timer);
  });
});

afterEach(() => list.close());

/** Another person's drag. @returns what is shown then */
async function drag(id, state, more = {}) {
  const { length } = shown;
  const over = state === "over" ? { after: "c" } : null;
  const event = { drag: id, client: "Ann~x", state, task: "a", over, expiresAt: inSeconds(30) };
  server.send("list", "drag", { ...event, ...more });
  await until(() => shown.length > length);
  return shown.at(-1);
}

test("a drag is shown from its start to its end, with its place and its person", async () => {
  assert.equal(await drag("one", "lifted"), "one");
  assert.equal(await drag("two", "lifted", { task: undefined, tasks: ["b", "c"] }), "one two");
  assert.equal(await drag("one", "over"), "one two");
  const { timer: _, ...one } = list.drags.of("a");
  const person = { by: null, client: "Ann~x", name: "Ann" };
  assert.deepEqual(one, { drag: "one", tasks: ["a"], over: { after: "c" }, ...person });
  assert.equal(list.drags.of("c").drag, "two");
  assert.equal(timers.size, 2);
  assert.equal(await drag("one", "dropped"), "two");
  assert.equal(await drag("two", "cancelled"), "");
  assert.equal(timers.size, 0);
  assert.equal(list.drags.of("a"), undefined);
  for (const state of ["expired", "of a later version"]) {
    assert.equal(await drag("one", "lifted"), "one");
    assert.equal(await drag("one", state), "");
  }
});

test("a drag whose end is not reported disappears, even if the clock is wrong", async () => {
  const times = {
    [inSeconds(-600)]: 30,
    [inSeconds(10)]: 30,
    [inSeconds(45)]: 45,
    [inSeconds(600)]: 60,
    "": 30,
  };
  for (const [expiresAt, seconds] of Object.entries(times)) {
    assert.equal(await drag("one", "lifted", { expiresAt }), "one");
    assert.deepEqual(
      [...timers].map(({ milliseconds }) => milliseconds / 1_000),
      [seconds],
    );
    const [timer] = timers;
    timers.clear();
    timer.act();
    assert.equal(shown.at(-1), "");
  }
});

test("drags disappear with the connection", async () => {
  await drag("one", "lifted");
  server.isReachable = false;
  server.endStream("list");
  await until(() => list.state === "offline");
  assert.deepEqual(list.drags.others, []);
  server.isReachable = true;
  list.wake();
  await until(() => list.state === "live");
  await drag("two", "lifted");
  server.send("list", "hello", { version: 1 }); // the drags that there are follow
  await until(() => shown.at(-1) === "");
  await drag("three", "lifted");
  list.close();
  assert.deepEqual([list.drags.others, timers.size], [[], 0]);
});
