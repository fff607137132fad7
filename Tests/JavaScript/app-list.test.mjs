// What an app does with a list besides its steps: drags that others see, and moves to other lists.
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { connect } from "../../clients/javascript/client.js";
import { FakeServer, until } from "./fake-server.mjs";

let server, list, other;

beforeEach(async () => {
  server = new FakeServer();
  server.make("from", ["a", "b", "  b1", "c"]);
  server.make("into", ["x", "  x1", "y"]);
  server.respond = (method, path) => {
    if (path.endsWith("/drags")) return [201, { drag: "d", expiresInSeconds: 30 }];
    return method === "DELETE" ? [204] : [200, { version: 2 }];
  };
  const lists = connect({ url: server.url, storage: "memory", clientID: "test" });
  [list, other] = [await lists.open("from"), await lists.open("into")];
  await until(() => list.state === "live");
});

afterEach(() => {
  list.close();
  other.close();
});

/** Waits until the server has got a number of requests, and compares all of them. */
async function requested(...wanted) {
  await until(() => server.requests.length >= wanted.length);
  assert.deepEqual(
    server.requests.map((request) => request.replace(/,"opId":"[^"]*"/, "")),
    wanted,
  );
}

const lifted = 'POST /lists/from/drags {"task":"b"}';

test("a drag is announced, and ends with the drop", async () => {
  list.lift(["b", "b1"]);
  await requested(lifted);
  list.hover({ toRow: 0 });
  list.hover({ toRow: 0 });
  const first = 'PATCH /drags/d {"before":"a","position":0,"section":null}';
  await requested(lifted, first);
  list.hover({ toOffset: 0, section: null }); // the same place
  list.hover({ toRow: 0, level: 7 }); // not a possible place
  list.hover({ after: "c", before: null });
  await requested(lifted, first, 'PATCH /drags/d {"after":"c"}');
  assert.ok(list.drop({ task: "b", toRow: 2 }));
  await requested(
    lifted,
    first,
    'PATCH /drags/d {"after":"c"}',
    'POST /drags/d/drop {"after":"c","position":2,"section":null}',
  );
});

test("a drop whose change arrives before its response is not repeated", async () => {
  let answer;
  server.respond = (method, path) => {
    if (path.endsWith("/drags")) return [201, { drag: "d", expiresInSeconds: 30 }];
    return new Promise((resolve) => (answer = () => resolve([200, { version: 2 }])));
  };
  list.lift("b");
  await requested(lifted);
  assert.ok(list.drop({ task: "b", toRow: 0 }));
  await until(() => answer);
  const move = async (version, client, position) => {
    const ops = [{ op: "move", task: "b", parent: null, section: null, position }];
    server.send("from", "change", { version, at: "2026-01-01T00:00:00.000Z", client, ops });
    await until(() => list.version === version);
  };
  await move(2, "test", 0);
  await move(3, "else", 2);
  const ids = () => list.rows.map(({ id }) => id).join(" ");
  assert.equal(ids(), "a c b b1");
  answer();
  await until(() => list.waiting === 0);
  assert.equal(ids(), "a c b b1");
});

test("a drop whose drag has ended meanwhile is an ordinary move", async () => {
  const { respond } = server;
  const problem = { code: "drag_not_found", detail: "It has ended." };
  server.respond = (method, path) =>
    path.endsWith("/drop") ? [404, problem] : respond(method, path);
  list.lift("b");
  await requested(lifted);
  assert.ok(list.drop({ task: "b", toRow: 0 }));
  await until(() => list.waiting === 0);
  const place = '"before":"a","op":"move","position":0,"section":null,"task":"b"';
  await requested(
    lifted,
    'POST /drags/d/drop {"before":"a","position":0,"section":null}',
    `POST /lists/from/batch {"steps":[[{${place}}]]}`,
  );
  assert.deepEqual(list.refusals, []);
});

test("a drag over another list is announced", async () => {
  list.lift("b");
  await requested(lifted);
  list.hover({ toRow: 1, level: 1 }, other);
  const first = 'PATCH /drags/d {"before":"x1","parent":"x","position":0,"toList":"into"}';
  await requested(lifted, first);
  list.hover({}, "into");
  await requested(lifted, first, 'PATCH /drags/d {"toList":"into"}');
  await list.moveToList("b", other);
  await until(() => server.requests.includes("DELETE /drags/d"));
});

test("a drag ends without a drop", async () => {
  list.lift("b");
  await requested(lifted);
  list.cancelDrag();
  await requested(lifted, "DELETE /drags/d");
  list.cancelDrag();
  list.hover({ toRow: 0 });
  await list.flush();
  await requested(lifted, "DELETE /drags/d");
});

test("a drop that the rules refuse ends the drag", async () => {
  list.lift("b");
  await requested(lifted);
  assert.ok(!list.drop({ task: "b", toRow: 0, level: 7 }));
  await requested(lifted, "DELETE /drags/d");
});

test("a move of other tasks does not end the drag", async () => {
  list.lift("b");
  await requested(lifted);
  list.move("c", { after: null, before: "a" });
  const move = 'POST /lists/from/batch {"steps":[[{"before":"a","op":"move","task":"c"}]]}';
  await requested(lifted, move);
  list.move("b", { after: "c" });
  await requested(lifted, move, 'POST /drags/d/drop {"after":"c"}');
});

test("a drag ends with the connection", async () => {
  list.lift("b");
  await requested(lifted);
  server.endStream("from");
  await requested(lifted, "DELETE /drags/d");
  // The next drag is announced when the list is live again.
  await until(() => list.state === "live");
  list.lift("b");
  await requested(lifted, "DELETE /drags/d", lifted);
  list.close();
  await requested(lifted, "DELETE /drags/d", lifted, "DELETE /drags/d");
  // Without a connection, it is not announced, and the drop is an ordinary move.
  list.lift("b");
  assert.ok(list.drop({ task: "b", toRow: 0 }));
  await until(() => list.waiting === 0);
  assert.match(server.requests[4], /^POST \/lists\/from\/batch /);
  assert.equal(server.requests.length, 5);
});

test("a task that does not exist is not announced", async () => {
  list.lift("gone");
  list.hover({ toRow: 0 });
  list.move("a", { after: "b" });
  await until(() => list.waiting === 0);
  assert.equal(server.requests.length, 1);
});

test("tasks move to a place of another list", async () => {
  const moves = [
    ["a", "into", undefined, { tasks: ["a"], toList: "into" }],
    ["a", "into", { after: "x" }, { tasks: ["a"], after: "x", toList: "into" }],
    ["a", "into", { after: null, before: "y" }, { tasks: ["a"], before: "y", toList: "into" }],
    [
      ["a", "c"],
      "into",
      { parent: "x", position: 1 },
      { tasks: ["a", "c"], parent: "x", position: 1, toList: "into" },
    ],
    ["a", "into", { section: "s" }, { tasks: ["a"], section: "s", toList: "into" }],
    [
      "a",
      other,
      { toRow: 1 },
      { tasks: ["a"], before: "x1", parent: "x", position: 0, toList: "into" },
    ],
    [
      ["b"],
      other,
      { toOffset: 2, level: 0, shown: other.rows },
      { tasks: ["b"], after: "x", before: "y", section: null, position: 1, toList: "into" },
    ],
  ];
  for (const [index, [tasks, to, place, wanted]] of moves.entries()) {
    assert.ok(await list.moveToList(tasks, to, place));
    const [method, path, body] = server.requests[index].split(/ (\S+) /);
    assert.deepEqual([method, path, JSON.parse(body)], ["POST", "/lists/from/move", wanted]);
  }
  await assert.rejects(list.moveToList("a", "into", { toRow: 0 }), TypeError);
});

test("the tasks beside the place in another list are sent first", async () => {
  other.create({ id: "new", title: "new" });
  assert.ok(await list.moveToList("a", other, { toRow: 3 }));
  assert.equal(server.requests.length, 2);
  assert.match(server.requests[0], /^POST \/lists\/into\/batch .*"id":"new"/);
  assert.match(server.requests[1], /^POST \/lists\/from\/move .*"before":"new"/);
});

test("a move to a place of another list is undone and redone", async () => {
  const moves = () => server.requests.map((request) => request.split(" /lists/")[1]);
  assert.ok(await list.moveToList(["a", "c"], other, { toRow: 2, level: 1 }));
  const there =
    "from/move " +
    JSON.stringify({
      after: "x1",
      parent: "x",
      position: 1,
      tasks: ["a", "c"],
      toList: "into",
    });
  assert.deepEqual(moves(), [there]);
  assert.ok(list.undo());
  await until(() => list.canRedo);
  // The tasks return to their places, which are not next to each other.
  const back = [
    'into/move {"before":"b","position":0,"section":null,"tasks":["a"],"toList":"from"}',
    'into/move {"after":"b","position":2,"section":null,"tasks":["c"],"toList":"from"}',
  ];
  assert.deepEqual(moves(), [there, ...back]);
  assert.ok(list.redo());
  await until(() => list.canUndo);
  assert.deepEqual(moves(), [there, ...back, there]);
  assert.ok(list.undo());
  await until(() => list.canRedo);
  assert.deepEqual(moves(), [there, ...back, there, ...back]);
});
