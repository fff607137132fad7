// Several windows of one browser at the same time: they show and send each other's steps, and share one event stream.
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { connect } from "../../clients/javascript/client.js";
import { installStorage, removeStorage } from "./fake-indexeddb.mjs";
import { installLocks, removeLocks } from "./fake-locks.mjs";
import { FakeServer, until } from "./fake-server.mjs";

let records, server, windows;
/** The changes of the list, from version 2 on. */
let changes;

beforeEach(() => {
  records = installStorage();
  installLocks();
  server = new FakeServer();
  server.make("list", ["a", "b"], { epoch: "111111111111" });
  changes = [];
  windows = [];
  server.greet = (id, after) => {
    if (!id) return [["hello", {}]];
    const missed = changes.filter(({ version }) => version > Number.parseInt(after, 10));
    const hello = ["hello", { version: changes.length + 1 }];
    return [hello, ...missed.map((change) => ["change", change])];
  };
});

afterEach(async () => {
  for (const { list } of windows) {
    await list.discardWaiting();
    list.close();
  }
  removeStorage();
  removeLocks();
});

async function open(clientID) {
  const lists = connect({ url: server.url, clientID });
  const list = lists.list("list");
  windows.push({ lists, list });
  await until(() => list.state === "live" && list.rows.length > 0);
  return list;
}

const titles = (list) => list.rows.map(({ title }) => title).join(" ");
const show = (wanted) => until(() => windows.every(({ list }) => titles(list) === wanted));
const nothingWaits = () => until(() => windows.every(({ list }) => list.waiting === 0));

const steps = () =>
  server.requests
    .filter((request) => request.includes("/batch"))
    .map((request) => JSON.parse(request.slice(request.indexOf("{"))).steps.flat());

/** The server has a change. */
function change(title, more = {}) {
  const at = "2026-01-01T00:00:00.000Z";
  const ops = [{ op: "update", task: "a", set: { title } }];
  changes.push({ version: changes.length + 2, at, client: "else", ops, ...more });
  server.send("list", "change", changes.at(-1));
}

test("a step of one window is shown in the other one while it waits, and is sent once", async () => {
  const [one, other] = [await open("one"), await open("other")];
  let answer;
  server.respond = () => new Promise((resolve) => (answer = resolve));
  one.update("a", { title: "x" });
  await show("x b");
  assert.deepEqual([one.waiting, other.waiting], [1, 1]);
  await until(() => answer);
  answer([200, { version: 2 }]);
  await nothingWaits();
  await show("x b");
  const [[{ opId }], ...more] = steps();
  assert.deepEqual(more, []);
  change("x", { client: "one", opId });
  change("later");
  await show("later b");
  await until(() => records("waiting").length === 0);
});

test("the steps of several windows are sent in the order in which they were made", async () => {
  const [one, other] = [await open("one"), await open("other")];
  server.respond = () => [503, {}];
  one.update("a", { title: "x" });
  await show("x b");
  other.create({ id: "c", title: "c" });
  await show("x b c");
  one.update("c", { title: "d" });
  await show("x b d");
  await until(() => one.isFailing && other.isFailing);
  server.requests.length = 0;
  server.respond = () => [200, { version: 4 }];
  await other.flush();
  await nothingWaits();
  assert.deepEqual(
    steps().map((batch) => batch.map(({ op }) => op)),
    [["update", "create", "update"]],
  );
  assert.ok(!one.isFailing);
  // Each window undoes its own steps.
  assert.ok(one.undo());
  assert.ok(one.undo());
  assert.ok(!one.canUndo);
  await show("a b c");
});

test("steps that several windows make at once have the same order in all of them", async () => {
  const [one, other] = [await open("one"), await open("other")];
  server.respond = () => [503, {}];
  one.create({ id: "c", title: "c" }, { after: "b" });
  other.create({ id: "d", title: "d" }, { after: "b" });
  await show("a b d c");
  server.requests.length = 0;
  server.respond = () => [200, { version: 3 }];
  await other.flush();
  await nothingWaits();
  const ids = steps().flatMap((batch) => batch.map(({ id }) => id));
  assert.deepEqual(ids, ["c", "d"]);
});

for (const isContained of [false, true])
  test(`a window that was suspended has what another one sent, ${isContained ? "also" : "not"} in the list`, async (context) => {
    const [one, other] = [await open("one"), await open("other")];
    await until(() => server.open("list") === 1);
    server.respond = () => [503, {}];
    one.update("a", { title: "x" });
    await show("x b");
    await until(() => one.isFailing && other.isFailing);
    server.requests.length = 0;
    server.respond = () => [200, { version: 2 }];
    context.mock.method(BroadcastChannel.prototype, "postMessage", () => {});
    await one.flush();
    if (isContained) change("x", { client: "one", opId: steps()[0][0].opId });
    await until(() => records("waiting").every(({ version }) => !isContained && version === 2));
    assert.deepEqual([one.waiting, other.waiting], [0, 1]);
    await other.flush();
    assert.deepEqual(
      [titles(other), other.waiting, other.isFailing],
      [isContained ? "a b" : "x b", 0, false],
    );
    assert.equal(steps().length, 1);
  });

test("a refusal is reported where the step was made, and is seen in all windows", async () => {
  const [one, other] = [await open("one"), await open("other")];
  const problem = { status: 409, code: "locked", detail: "It is locked." };
  server.respond = () => [200, { version: 1, results: [{ problem }] }];
  const events = [];
  one.on("refused", ({ code }) => events.push(code));
  other.on("refused", () => events.push("in the other window"));
  one.update("a", { title: "x" });
  await until(() => windows.every(({ list }) => list.refusals.length === 1));
  await show("a b");
  assert.deepEqual(events, ["locked"]);
  assert.ok(!one.canUndo);
  other.acknowledge();
  await until(() => one.refusals.length === 0);
});

test("windows share one stream of a list, and the next one continues it", async () => {
  const one = await open("one");
  change("x");
  await show("x b");
  const other = await open("other");
  await until(() => server.open("list") === 1); // its own one has ended
  change("y");
  await show("y b");
  server.send("list", "drag", { drag: "d", state: "lifted", task: "b", client: "else" });
  await until(() => one.drags.others.length === 1 && other.drags.others.length === 1);
  assert.deepEqual([server.streams, one.state, other.state], [2, "live", "live"]);
  one.close();
  await until(() => server.open("list") === 1);
  change("z");
  await until(() => titles(other) === "z b");
  assert.equal(titles(one), "y b");
});

test("a window that joins the others has what they got meanwhile", async () => {
  await open("one");
  change("x");
  await show("x b");
  windows[0].list.close();
  server.greet = (
    (greet) =>
    (...parts) => {
      // A change arrives in the other window before this one has read what it missed.
      const events = greet(...parts);
      change("later");
      return events;
    }
  )(server.greet);
  await open("two");
  const other = await open("three");
  await until(() => other.version === windows[1].list.version);
  assert.equal(titles(other), "later b");
});

test("a window that joins the others without a valid token is locked", async (context) => {
  await open("one");
  const { fetch } = globalThis;
  const problem = { status: 403, code: "forbidden", detail: "The token does not cover this list." };
  const headers = { "Content-Type": "application/problem+json" };
  context.mock.method(globalThis, "fetch", (address, options) =>
    address.endsWith("/events")
      ? new Response(JSON.stringify(problem), { status: 403, headers })
      : fetch(address, options),
  );
  const list = connect({ url: server.url, clientID: "other" }).list("list");
  await until(() => list.state === "locked");
  assert.equal(list.problem.detail, problem.detail);
  list.close();
});

test("windows share one stream of all lists, and the next one continues it", async (context) => {
  // Only the pause between two requests ends: nobody connects again.
  const { setTimeout } = globalThis;
  context.mock.method(globalThis, "setTimeout", (act, milliseconds = 0) =>
    milliseconds < 10 || milliseconds === 500 ? setTimeout(act, 1) : undefined,
  );
  let name = "old";
  server.respond = () => [200, { lists: [{ id: "list", title: name }], cursor: null }];
  const shown = [];
  const stops = ["one", "other"].map((clientID, index) =>
    connect({ url: server.url, clientID }).watchLists((lists) => (shown[index] = lists)),
  );
  await until(() => shown[0] && shown[1]);
  assert.equal(server.open(""), 1);
  const rename = (title) => server.make("list", [], { title: (name = title) });
  rename("new");
  server.send("", "change", { list: "list" });
  await until(() => shown.every(([{ title }]) => title === "new"));
  stops[0]();
  await until(() => server.open("") === 1);
  rename("newer");
  server.send("", "change", { list: "list" });
  await until(() => shown[1][0].title === "newer");
  assert.equal(shown[0][0].title, "new");
  // What changed without a stream is unknown.
  rename("newest");
  server.endStream("");
  await until(() => shown[1][0].title === "newest");
  stops[1]();
});

test("windows of a browser that forbids locks have streams of their own", async () => {
  installLocks({ isForbidden: true });
  await open("one");
  const other = await open("other");
  assert.equal(server.open("list"), 2);
  change("x");
  await show("x b");
  other.update("a", { title: "y" });
  await nothingWaits();
  server.respond = () => [200, { lists: [{ id: "list" }], cursor: null }];
  let shown;
  const stop = windows[0].lists.watchLists((lists) => (shown = lists));
  await until(() => shown);
  assert.equal(server.open(""), 0);
  stop();
});

test("a window that is suspended while it sends does not stop the others", async (context) => {
  const limits = [];
  context.mock.method(AbortSignal, "timeout", () => {
    limits.push(new AbortController());
    return limits.at(-1).signal;
  });
  const [one, other] = [await open("one"), await open("other")];
  let answer;
  server.respond = () => new Promise((resolve) => (answer = resolve));
  one.update("a", { title: "x" });
  await show("x b");
  await until(() => answer);
  server.respond = () => [200, { version: 3 }];
  other.create({ id: "c", title: "c" });
  await until(() => records("waiting").length === 2);
  assert.equal(server.requests.length, 1);
  for (const limit of limits) limit.abort(new DOMException("", "TimeoutError"));
  await until(() => other.waiting === 0);
  assert.deepEqual(
    steps()[1].map(({ op }) => op),
    ["update", "create"],
  );
  answer([200, { version: 2 }]);
});

test("windows that cannot talk to each other send their own steps", async (context) => {
  context.mock.method(globalThis, "BroadcastChannel", () => {
    throw new DOMException("", "SecurityError");
  });
  const [one, other] = [await open("one"), await open("other")];
  assert.equal(server.open("list"), 2);
  one.update("a", { title: "x" });
  other.create({ id: "c", title: "c" });
  await nothingWaits();
  assert.deepEqual(
    steps().map((batch) => batch.map(({ op }) => op)),
    [["update"], ["create"]],
  );
});
