// A list that somebody has deleted: the steps that wait for it are kept, because it can be restored; then it loads again, and they are sent.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { afterEach, beforeEach, test } from "node:test";
import { connect } from "../../clients/javascript/client.js";
import { FakeServer, fetchOfNode, until } from "./fake-server.mjs";

let server, lists, list, refusals;

beforeEach(async () => {
  server = new FakeServer();
  server.make("list", ["a", "b"]);
  lists = connect({ url: server.url, storage: "memory", clientID: "test" });
  list = await lists.open("list");
  await until(() => list.state === "live");
  refusals = { list: [], lists: [] };
  list.on("refused", (event) => refusals.list.push(event));
  lists.on("refused", (event) => refusals.lists.push(event));
});

afterEach(() => list.close());

/** Makes three steps that the server does not get. */
async function makeWaitingSteps() {
  server.isReachable = false;
  list.update("a", { title: "x" });
  list.create({ id: "c", title: "c" });
  list.delete("b");
  await until(() => list.isFailing);
}

/** The steps wait, and are sent when the list is restored. */
async function areKept() {
  await until(() => list.state === "gone" || !list.isOpen);
  assert.equal(list.waiting, 3);
  assert.deepEqual(refusals, { list: [], lists: [] });
  const { length } = server.requests;
  server.respond = (method, path) => {
    if (path.endsWith("restore")) server.make("list", ["a", "b"]);
    return [200, { version: 4 }];
  };
  await lists.restoreList("list");
  if (list.isOpen) await until(() => list.state === "live");
  await list.flush();
  await until(() => list.waiting === 0);
  assert.equal(server.requests.length, length + 2);
  assert.deepEqual(
    JSON.parse(server.requests.at(-1).replace(/^.*batch /, "")).steps.map(([{ op }]) => op),
    ["update", "create", "delete"],
  );
  assert.deepEqual(refusals, { list: [], lists: [] });
}

test("waiting steps are kept when the deletion arrives", async () => {
  await makeWaitingSteps();
  server.isReachable = true;
  server.delete("list");
  await areKept();
});

test("waiting steps are kept when the server responds that the list does not exist", async () => {
  await makeWaitingSteps();
  server.endStream("list");
  server.delete("list");
  server.isReachable = true;
  await list.flush();
  await areKept();
});

test("waiting steps of a list that is not open are kept", async () => {
  await makeWaitingSteps();
  list.close();
  server.delete("list");
  server.isReachable = true;
  await list.flush();
  await areKept();
});

test("waiting steps of a deleted list are discarded if the person wants it", async () => {
  await makeWaitingSteps();
  server.isReachable = true;
  server.delete("list");
  await until(() => list.state === "gone");
  assert.equal(list.waiting, 3);
  await list.discardWaiting();
  assert.equal(list.waiting, 0);
  assert.ok(!list.canUndo);
  const { length } = server.requests;
  await list.flush();
  assert.equal(server.requests.length, length);
  assert.deepEqual(refusals, { list: [], lists: [] });
});

test("some waiting steps of a deleted list are discarded, and the others are still shown", async () => {
  await makeWaitingSteps();
  server.isReachable = true;
  server.delete("list");
  await until(() => list.state === "gone");
  const titles = () => list.rows.map(({ title }) => title);
  assert.deepEqual(titles(), ["x", "c"]);
  await list.discardWaiting(list.waitingSteps.slice(1, 2));
  assert.deepEqual([list.waiting, titles()], [2, ["x"]]);
  await list.discardWaiting();
  assert.deepEqual([list.waiting, titles()], [0, ["a", "b"]]);
});

test("a step on a deleted list is refused", async () => {
  server.delete("list");
  await until(() => list.state === "gone");
  assert.deepEqual(refusals.list, []);
  assert.equal(list.create({ id: "c", title: "c" }), null);
  assert.deepEqual(
    refusals.list.map(({ code }) => code),
    ["list_not_found"],
  );
  assert.deepEqual(
    list.rows.map(({ id }) => id),
    ["a", "b"],
  );
});

test("what was done before a deletion can be undone after a restore", async () => {
  list.update("a", { title: "x" });
  await until(() => list.waiting === 0);
  server.delete("list");
  await until(() => list.state === "gone");
  assert.equal(list.undo(), false);
  server.make("list", ["a", "b"]);
  await lists.open("list");
  assert.ok(list.canUndo);
});

test("a list has its former rows, and can be changed, until it is loaded again", async () => {
  server.delete("list");
  await until(() => list.state === "gone");
  server.respond = (method, path) => {
    if (path.endsWith("restore")) server.make("list", ["a", "b"]);
    return [201, { version: 2 }];
  };
  const seen = [];
  const stop = list.on("state", () => {
    if (list.state !== "loading") return;
    stop();
    seen.push(list.rows.length, list.update("a", { done: true }), list.layout("a") !== null);
  });
  await lists.restoreList("list");
  await until(() => list.state === "live");
  assert.deepEqual(seen, [2, true, true]);
});

test("an id with a comma is the id of one list", async () => {
  const odd = lists.list("list,other");
  await until(() => odd.state === "gone" && server.searches > 0);
  const { searches } = server;
  for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setTimeout(resolve));
  assert.ok(server.searches <= searches + 1, `${server.searches - searches} more requests`);
  odd.close();
});

test("a list that cannot be opened is not closed for its other users", async () => {
  const opening = lists.open("later");
  const later = lists.list("later");
  await assert.rejects(opening, { code: "list_not_found" });
  server.respond = () => {
    server.make("later", ["l"]);
    return [201, { version: 1 }];
  };
  await lists.createList({ id: "later", title: "" });
  await until(() => later.state === "live");
  later.close();
});

test("a deletion after all steps were sent refuses nothing", async () => {
  server.respond = (method, path) => {
    if (method === "DELETE") server.delete("list");
    return path.endsWith("batch") ? [200, { version: 2 }] : [204];
  };
  list.update("a", { title: "x" });
  await lists.deleteList("list");
  await until(() => list.state === "gone");
  assert.deepEqual(refusals, { list: [], lists: [] });
  assert.equal(list.waiting, 0);
});

test("a list that was deleted loads again when it is restored", async () => {
  let changes = 0;
  list.subscribe(() => (changes += 1));
  server.delete("list");
  await until(() => list.state === "gone");
  server.respond = () => {
    server.make("list", ["a", "b", "c"]);
    return [201, { version: 1 }];
  };
  changes = 0;
  await lists.restoreList("list");
  await until(() => list.state === "live");
  assert.equal(changes, 1);
  assert.deepEqual(
    list.rows.map(({ id }) => id),
    ["a", "b", "c"],
  );
});

test("a list that was closed is not loaded again", async () => {
  server.delete("list");
  await until(() => list.state === "gone");
  list.close();
  server.respond = () => {
    server.make("list", ["a"]);
    return [201, { version: 1 }];
  };
  await lists.restoreList("list");
  await lists.createList({ id: "other" });
  assert.equal(list.state, "gone");
  assert.deepEqual(
    (await lists.open("list")).rows.map(({ id }) => id),
    ["a"],
  );
});

test("a list that does not exist yet loads when it is created", async () => {
  const later = lists.list("later");
  await until(() => later.state === "gone");
  // Opening it fails, but does not close it for its other user.
  await assert.rejects(lists.open("later"), { code: "list_not_found" });
  server.respond = () => {
    server.make("later", ["l"]);
    return [201, { version: 1 }];
  };
  await lists.createList({ id: "later", title: "" });
  await until(() => later.state === "live");
  assert.deepEqual(
    later.rows.map(({ id }) => id),
    ["l"],
  );
  later.close();
});

test("a stream that the client ends while it handles an event does not stay open", async () => {
  globalThis.fetch = fetchOfNode;
  const streams = [];
  const event = (name, data) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
  const web = createServer((request, response) => {
    if (request.url === "/lists?ids=web") response.end(`{"lists":[{"id":"web"}]}`);
    else if (request.url === "/lists/web")
      response.end(`{"id":"web","title":"web","version":1,"sections":[],"tasks":[]}`);
    else {
      streams.push(response);
      response.setHeader("Content-Type", "text/event-stream");
      response.write(event("hello", { version: 1 }));
    }
  });
  await new Promise((resolve) => web.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${web.address().port}`;
  const followed = await connect({ url, storage: "memory" }).open("web");
  for (let count = 1; count <= 3; count += 1) {
    await until(() => streams.length === count && followed.state === "live");
    streams.at(-1).end(event("deleted", {}));
  }
  await until(() => streams.length === 4 && followed.state === "live");
  followed.close();
  web.close();
});
