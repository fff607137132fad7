// All lists that a token covers: in pages, watched, and after the actions that change a list as a whole.
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { connect } from "../../clients/javascript/client.js";
import { FakeServer, until } from "./fake-server.mjs";

let server, lists;
/** The response to a request for all lists. */
let all;

beforeEach((context) => {
  server = new FakeServer();
  all = [200, { lists: [], cursor: null }];
  server.respond = (method, path) => {
    if (path.startsWith("/lists?limit")) return all;
    return method === "DELETE" ? [204] : [200, { version: 2 }];
  };
  lists = connect({ url: server.url, storage: "memory", clientID: "test" });
  const { setTimeout } = globalThis;
  // Pauses are short, but nothing is requested because time has passed.
  context.mock.method(globalThis, "setTimeout", (act, milliseconds) =>
    milliseconds >= 15_000 ? undefined : setTimeout(act, Math.min(milliseconds, 1)),
  );
});

/** The lists with these ids, and all titles are `title`. */
const titled = (ids, title) => [200, { lists: ids.map((id) => ({ id, title })), cursor: null }];

test("all lists are read in pages, up to 10,000", async () => {
  const queries = [];
  let last = 2;
  server.respond = (method, path) => {
    queries.push(path);
    const page = Array.from({ length: 1_000 }, (_, index) => ({
      id: `${queries.length}-${index}`,
    }));
    return [200, { lists: page, cursor: queries.length === last ? null : `a b${queries.length}` }];
  };
  assert.equal((await lists.lists()).length, 2_000);
  assert.deepEqual(queries, ["/lists?limit=1000", "/lists?limit=1000&cursor=a+b1"]);
  queries.length = 0;
  last = Infinity;
  assert.equal((await lists.lists()).length, 10_000);
  assert.equal(queries.length, 10);
});

const at = { version: 1 };

for (const [name, act, changed] of [
  ["createList", () => lists.createList({ id: "new", title: "x" }), ["new"]],
  ["copyList", () => lists.copyList("list", { id: "new" }), ["new"]],
  ["deleteList", () => lists.deleteList("list"), ["list"]],
  ["restoreList", () => lists.restoreList("list"), ["list"]],
  ["sort", () => lists.sort("list", { by: "title" }), ["list"]],
  ["reverse", () => lists.reverse("list"), ["list"]],
  ["removeDone", () => lists.removeDone("list"), ["list"]],
  ["undoChange", () => lists.undoChange("list", at), ["list"]],
  ["moveSectionToList", () => lists.moveSectionToList("list", "s", "into"), ["into", "list"]],
])
  test(`${name} is shown at once in all lists`, async () => {
    all = titled(["into", "list"], "before");
    let shown;
    const stop = lists.watchLists((now) => (shown = now));
    await until(() => shown);
    const named = ["into", "list", "new"];
    for (const id of named) server.make(id, [], { title: "after" });
    await act();
    const after = () => shown.filter(({ title }) => title === "after").map(({ id }) => id);
    await until(() => after().length >= changed.length);
    assert.deepEqual(after(), changed);
    stop();
  });

for (const status of [401, 403])
  test(`after ${status}, there are no lists until there is another token`, async () => {
    all = titled(["a"], "first");
    const shown = [];
    const stop = lists.watchLists((now) => shown.push(now?.[0].title ?? null));
    await until(() => shown.at(-1) === "first");
    all = [status, { code: status === 401 ? "unauthorized" : "forbidden", detail: "No." }];
    lists.reconnect();
    await until(() => shown.at(-1) === null);
    all = titled(["a"], "second");
    lists.reconnect();
    await until(() => shown.at(-1) === "second");
    assert.deepEqual(new Set(shown), new Set(["first", null, "second"]));
    // Who comes later gets them too, unless it stops before.
    const later = [];
    lists.watchLists((now) => later.push(now))();
    const stopLater = lists.watchLists((now) => later.push(now));
    await until(() => later.length > 0);
    assert.deepEqual(later, [all[1].lists]);
    stopLater();
    stop();
  });

for (const [name, former] of [
  ["lists", titled(["a"], "former")],
  ["refusal", [401, { code: "unauthorized", detail: "No." }]],
])
  test(`the late ${name} of a former token is not shown`, async () => {
    let answer;
    all = new Promise((resolve) => (answer = resolve));
    const shown = [];
    const stop = lists.watchLists((now) => shown.push(now?.[0].title ?? null));
    await until(() => server.requests.length === 1);
    all = titled(["a"], "new");
    lists.reconnect();
    answer(former);
    await until(() => shown.length > 0);
    assert.deepEqual(new Set(shown), new Set(["new"]));
    stop();
  });

test("lists that can't be read are requested again, and those before are still shown", async () => {
  all = [503, {}];
  const shown = [];
  const stop = lists.watchLists((now) => shown.push(now));
  await until(() => server.requests.length > 1);
  all = titled(["a"], "x");
  await until(() => shown.length > 0);
  all = [503, {}];
  lists.reconnect();
  const { length } = server.requests;
  await until(() => server.requests.length > length + 1);
  assert.ok(!shown.includes(null));
  stop();
  stop();
});

test("an error of a listener is reported, and does not stop the others", async (context) => {
  all = titled(["a"], "x");
  const { queueMicrotask } = globalThis;
  const reported = [];
  context.mock.method(globalThis, "queueMicrotask", (act) =>
    queueMicrotask(() => {
      try {
        act();
      } catch (error) {
        reported.push(error.message);
      }
    }),
  );
  let shown;
  const stops = [
    lists.watchLists(() => {
      throw new Error("mine");
    }),
    lists.watchLists((now) => (shown = now)),
  ];
  await until(() => shown);
  assert.deepEqual(reported, ["mine"]);
  for (const stop of stops) stop();
});
