// What the server would refuse because of its type or size is refused at once, in words for people. Drops count in the rows that are shown.
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { connect } from "../../clients/javascript/client.js";
import { FakeServer, until } from "./fake-server.mjs";

let server, lists, list;

beforeEach(async () => {
  server = new FakeServer();
  server.make("list", ["Milk", "  small", "Bread", "Tea", "Rice"]);
  lists = connect({ url: server.url, storage: "memory", clientID: "test" });
  list = await lists.open("list");
  await until(() => list.state === "live");
});

afterEach(() => {
  list.close();
  list.discardWaiting();
});

const long = "x".repeat(20_000);
let deep = 1;
for (let level = 0; level < 14; level += 1) deep = [deep];
const circle = {};
circle.self = circle;

for (const [name, act, detail] of [
  ["a task without a title", () => list.create({}), "The title of a new task must be a text."],
  ["no task", () => list.create(), "The title of a new task must be a text."],
  [
    "a long title",
    () => list.create({ title: long }),
    `The title “${"x".repeat(39)}…” is too long: it has 20,000 bytes, and can have 4,096.`,
  ],
  [
    "a title of letters with several bytes",
    () => list.create({ title: "ü".repeat(2_049) }),
    /4,098 bytes/,
  ],
  [
    "a title that is a number",
    () => list.update("Milk", { title: 5 }),
    "The title of a task must be a text.",
  ],
  [
    "an unknown member",
    () => list.update("Milk", { due: 1 }),
    "A change of a task has no member “due”.",
  ],
  ["no change", () => list.update("Milk"), "A change of a task must be an object."],
  [
    "done that is a text",
    () => list.update("Milk", { done: "yes" }),
    "“done” must be true or false.",
  ],
  [
    "an id with a space",
    () => list.create({ id: "a b", title: "x" }),
    /^The id of a task must have 1 to 64/,
  ],
  [
    "large data",
    () => list.update("Milk", { data: { text: long } }),
    "The task “Milk” would have 20,011 bytes of data. It can have 8,192.",
  ],
  [
    "deep data",
    () => list.create({ title: "Jam", data: deep }),
    "The task “Jam” would have data in more than 13 levels.",
  ],
  [
    "data that is no JSON",
    () => list.create({ title: "Jam", data: circle }),
    "The task “Jam” can have only JSON as its data.",
  ],
  ["data that is a function", () => list.create({ title: "Jam", data: () => {} }), /only JSON/],
  [
    "a position below 0",
    () => list.move("Milk", { position: -1 }),
    "A position must be a whole number from 0.",
  ],
  [
    "a destination that is no id",
    () => list.move("Milk", { after: 5 }),
    "“after” of a destination must be an id or null.",
  ],
  [
    "an unknown destination",
    () => list.move("Milk", { row: 5 }),
    "A destination has no member “row”.",
  ],
  ["no tasks", () => list.delete([5]), "Tasks must be named by their ids."],
  [
    "a section without a title",
    () => list.createSection(),
    "The title of a section must be a text.",
  ],
  ["a section with a long title", () => list.createSection(long), /too long/],
  [
    "a section's position",
    () => list.createSection("x", 1.5),
    "A position must be a whole number from 0.",
  ],
  ["no change of a section", () => list.updateSection("s"), /by its title, its data or its limit/],
  ["a section's limit", () => list.updateSection("s", { maxTasks: 0 }), /from 1, or null/],
  ["a section that is no id", () => list.deleteSection(5), "A section must be named by its id."],
  ["a section's new position", () => list.moveSection("s"), /whole number from 0/],
  ["folded that is a text", () => list.collapse("Milk", "yes"), /true or false/],
  [
    "levels of a list",
    () => list.set({ maxDepth: 99 }),
    "The levels of a list must be a whole number from 1 to 16, or null.",
  ],
  ["a limit of a list", () => list.set({ tasksPerParent: 0 }), /from 1, or null/],
  [
    "moves of a list",
    () => list.set({ moves: "up" }),
    "“moves” of a list must be “anywhere” or “siblings”.",
  ],
  ["no settings", () => list.set(), "The settings of a list must be an object."],
  ["two places", () => list.drop({ task: "Milk", toRow: 1, toOffset: 1 }), /one of “toRow”/],
  ["two tasks", () => list.drop({ task: "Milk", row: 1, toOffset: 1 }), /one of “task”/],
  [
    "no place",
    () => list.drop({ task: "Milk" }),
    "None of the given destinations exists any more.",
  ],
])
  test(`${name} is refused at once`, () => {
    const details = [];
    list.on("refused", (event) => details.push(event.detail));
    const { length } = server.requests;
    assert.ok(!act());
    assert.equal(details.length, 1);
    if (typeof detail === "string") assert.equal(details[0], detail);
    else assert.match(details[0], detail);
    assert.equal(list.waiting, 0);
    assert.equal(server.requests.length, length);
  });

test("data is what is sent of it", async () => {
  list.update("Milk", { data: { due: new Date(0), none: undefined } });
  assert.deepEqual(list.rows[0].data, { due: "1970-01-01T00:00:00.000Z" });
  await until(() => list.waiting === 0);
});

test("a new list is checked too", async () => {
  for (const [wrong, detail] of [
    [{ title: 5 }, "The title of a list must be a text."],
    [{ tasks: [{}] }, "The title of a new task must be a text."],
    [{ sections: [{ id: "s", title: long }] }, /too long/],
    [{ maxDepth: 17 }, /1 to 16/],
  ])
    await assert.rejects(lists.createList(wrong), (error) => {
      if (typeof detail === "string") assert.equal(error.detail, detail);
      else assert.match(error.detail, detail);
      return true;
    });
  assert.deepEqual(server.requests, []);
});

test("the server's words have no place in the request", async () => {
  const detail = "/steps/0/0/set/title: Expected a string.";
  server.respond = () => [422, { code: "invalid_body", detail, pointer: "/steps/0/0" }];
  const details = [];
  list.on("refused", (event) => details.push(event.detail));
  list.update("Milk", { done: true });
  await until(() => list.waiting === 0);
  assert.deepEqual(details, ["Expected a string."]);
});

const titles = () => list.rows.map(({ depth, title }) => "  ".repeat(depth) + title);

for (const [name, isShown, drop, wanted, sent] of [
  [
    "without subtasks",
    ({ depth }) => depth === 0,
    { task: "Tea", toOffset: 1, section: null },
    ["Milk", "  small", "Tea", "Bread", "Rice"],
    { after: "Milk", before: "Bread", section: null, position: 1 },
  ],
  [
    "without completed tasks",
    ({ done }) => !done,
    { task: "Milk", toOffset: 3 },
    ["Bread", "Tea", "Milk", "  small", "Rice"],
    { after: "Tea", before: "Rice", section: null, position: 2 },
  ],
  [
    "without the dragged task",
    ({ id }) => id !== "Rice",
    { task: "Rice", toRow: 0 },
    ["Rice", "Milk", "  small", "Bread", "Tea"],
    { before: "Milk", section: null, position: 0 },
  ],
  [
    "without their parent",
    ({ depth }) => depth > 0,
    { task: "small", toRow: 0 },
    ["Milk", "  small", "Bread", "Tea", "Rice"],
    { parent: "Milk", position: 0 },
  ],
  [
    "without the first tasks",
    ({ id }) => ["Tea", "Rice"].includes(id),
    { task: "Milk", toRow: 2 },
    ["Bread", "Tea", "Rice", "Milk", "  small"],
    { after: "Rice", section: null, position: 3 },
  ],
])
  test(`a drop between rows ${name} counts in these`, async () => {
    list.update("Bread", { done: name === "without completed tasks" });
    await until(() => list.waiting === 0);
    const shown = list.rows.filter(isShown);
    assert.ok(list.drop({ ...drop, shown }));
    assert.deepEqual(titles(), wanted);
    await until(() => list.waiting === 0);
    const { steps } = JSON.parse(server.requests.at(-1).replace(/^.*batch /, ""));
    const { opId, op, task, ...to } = steps[0][0];
    assert.deepEqual([op, task, to], ["move", drop.task, sent]);
    assert.ok(opId);
  });

test("a drop into a section without shown rows", async () => {
  const section = list.createSection("Later");
  assert.ok(list.drop({ task: "Tea", toOffset: 0, section, shown: [] }));
  assert.equal(list.rows.at(-1).section, section);
  await until(() => list.waiting === 0);
});

const forbidden = { code: "forbidden", detail: "The token does not cover this list." };

for (const [status, problem] of [
  [403, forbidden],
  [401, { code: "unauthorized", detail: "The link was taken back." }],
])
  test(`a list that cannot be opened because of ${status} is not waited for`, async (context) => {
    const { fetch } = globalThis;
    context.mock.method(globalThis, "fetch", (address, options) => {
      if (!address.includes("/lists/secret")) return fetch(address, options);
      const headers = { "Content-Type": "application/problem+json" };
      return new Response(JSON.stringify({ status, ...problem }), { status, headers });
    });
    const events = [];
    lists.on("unauthorized", ({ detail }) => events.push(detail));
    await assert.rejects(lists.open("secret"), problem);
    assert.deepEqual(events, [problem.detail]);
    assert.equal(lists.list("secret").state, "loading");
    lists.list("secret").close();
  });

test("what waits on a list is kept, and reported, when its link is taken back", async (context) => {
  server.isReachable = false;
  list.update("Milk", { done: true });
  list.update("Tea", { done: true });
  await until(() => list.isFailing);
  const { fetch } = globalThis;
  let isClosed = true;
  context.mock.method(globalThis, "fetch", (address, options) => {
    if (!isClosed) return fetch(address, options);
    const headers = { "Content-Type": "application/problem+json" };
    return new Response(JSON.stringify({ status: 403, ...forbidden }), { status: 403, headers });
  });
  server.isReachable = true;
  const events = [];
  lists.on("unauthorized", ({ detail }) => events.push(detail));
  await list.flush();
  await until(() => list.state === "locked");
  assert.equal(list.waiting, 2);
  assert.ok(events.includes(forbidden.detail));
  isClosed = false;
  lists.reconnect();
  await until(() => list.waiting === 0);
});
