// Each refusal of the client says why, in a sentence, as the server's problem documents do.
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { connect, Refusal } from "../../clients/javascript/client.js";
import { FakeServer, until } from "./fake-server.mjs";

let server, lists, list;

beforeEach(async () => {
  server = new FakeServer();
  server.make("list", ["a", "b", "c"], { elementsOffset: 1 });
  lists = connect({ url: server.url, storage: "memory", clientID: "test" });
  list = await lists.open("list");
});

afterEach(() => list.close());

/** The event of a step that is refused. */
async function refused(act) {
  let found;
  const stop = list.on("refused", (event) => {
    found = event;
  });
  const result = await act(list);
  await until(() => found);
  stop();
  assert.ok(!result || found.step.kind === "group");
  return [found.code, found.detail];
}

const deep = (count) =>
  Array.from({ length: count }, (_, depth) => [`t${depth}`, depth ? `t${depth - 1}` : "b"]);

test("a step that breaks a rule", async () => {
  for (const [id, parent] of deep(14)) list.create({ id, title: id }, { parent });
  const acts = [
    [
      (one) => one.drop({ row: 90, toRow: 0 }),
      "anchor_gone",
      "Row 90 does not exist: there are 17 visible rows.",
    ],
    [
      (one) => one.drop({ row: 1, toRow: 0, section: "s" }),
      "anchor_gone",
      "None of the given destinations exists any more.",
    ],
    [
      (one) => one.drop({ task: "c", toRow: 1, level: 3 }),
      "level_not_possible",
      "Level 3 is not possible there: the task can have levels 0 to 1.",
    ],
    [
      (one) => one.drop({ task: "gone", toRow: 0 }),
      "task_not_found",
      'Task "gone" does not exist in this list.',
    ],
    [(one) => one.delete(["gone"]), "task_not_found", 'Task "gone" does not exist in this list.'],
    [
      (one) => one.moveToList("gone", "other"),
      "task_not_found",
      'Task "gone" does not exist in this list.',
    ],
    [
      (one) => one.move("b", { parent: "t0" }),
      "cycle",
      "A task can't be moved into its own subtree.",
    ],
    [
      (one) => one.move("a", { after: "b" }),
      "locked",
      "A locked row can't be moved, deleted or displaced.",
    ],
    [
      (one) => one.move("c", { after: null }),
      "anchor_gone",
      "None of the given destinations exists any more.",
    ],
    [(one) => one.move("b", { parent: "c" }), null],
    [
      (one) => one.move("c", { parent: "t13" }),
      "cycle",
      "A task can't be moved into its own subtree.",
    ],
    [
      (one) => one.create({ title: "x" }, { parent: "t13" }),
      "depth_limit",
      "Tasks can be nested at most 16 levels deep.",
    ],
    [(one) => one.create({ id: "b", title: "b" }), "id_taken", 'The id "b" is already in use.'],
    [
      (one) => one.renameSection("gone", "x"),
      "section_not_found",
      'Section "gone" does not exist in this list.',
    ],
    [(one) => one.set({ moves: "siblings" }), null],
    [
      (one) => one.move("b", { section: null, position: 1 }),
      "not_siblings",
      "In this list, tasks can only be moved among their siblings.",
    ],
  ];
  for (const [act, code, detail] of acts) {
    if (code === null) assert.ok(act(list));
    else assert.deepEqual(await refused(act), [code, detail]);
  }
  await until(() => list.waiting === 0);
});

test("an undo that somebody else has made impossible", async () => {
  const conflict = ["undo_conflict", "Other changes since then prevent the undo."];
  let version = 1;
  const changed = async (client, operation) => {
    version += 1;
    server.respond = () => [200, { version }];
    await until(() => list.waiting === 0);
    server.send("list", "change", { version, client, ops: [operation] });
    await until(() => list.version === version);
  };
  await until(() => list.state === "live");
  list.update("b", { title: "x" });
  await changed("test", { op: "update", task: "b", set: { title: "x" } });
  await changed("other", { op: "update", task: "b", set: { title: "theirs" } });
  assert.deepEqual(await refused((one) => one.undo()), conflict);
  // The place of the deleted task is gone.
  list.move("c", { parent: "b" });
  await changed("test", { op: "move", task: "c", section: null, parent: "b", position: 0 });
  list.delete("c");
  await changed("test", { op: "delete", task: "c" });
  await changed("other", { op: "delete", task: "b" });
  assert.deepEqual(await refused((one) => one.undo()), conflict);
});

test("what needs the server", async () => {
  const unreachable = ["unreachable", "This is possible only while the server can be reached."];
  server.isReachable = false;
  assert.deepEqual(await refused((one) => one.moveToList("b", "other")), unreachable);
  await assert.rejects(lists.search("b"), { code: unreachable[0], detail: unreachable[1] });
  server.isReachable = true;
  server.respond = () => [401, { code: "unauthorized", detail: "The token has expired." }];
  const unauthorized = ["unauthorized", "The token has expired."];
  assert.deepEqual(await refused((one) => one.moveToList("b", "other")), unauthorized);
  await assert.rejects(lists.lists(), { code: unauthorized[0], detail: unauthorized[1] });
});

test("a list that cannot be opened", async () => {
  await assert.rejects(lists.open("gone"), (error) => {
    assert.ok(error instanceof Refusal);
    assert.deepEqual([error.code, error.detail], ["list_not_found", 'List "gone" does not exist.']);
    return true;
  });
  const opening = lists.open("list2");
  lists.list("list2").close();
  await assert.rejects(opening, { code: "list_closed", detail: 'List "list2" was closed.' });
});

test("a fold of a person whose folds are not loaded", async () => {
  server.respond = () => [503, {}]; // the list of folds cannot be created
  const folding = connect({
    url: server.url,
    storage: "memory",
    clientID: "folding",
    folds: "folds",
  });
  const own = await folding.open("list");
  let found;
  folding.on("refused", (event) => {
    found = event;
  });
  assert.ok(!own.collapse("b"));
  assert.deepEqual([found.code, found.detail], ["unreachable", "Your folds are not loaded yet."]);
  own.close();
  folding.list("folds").close();
});
