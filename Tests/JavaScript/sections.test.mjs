// Each change of a section is shown, undone and redone.
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { connect } from "../../clients/javascript/client.js";
import { FakeServer, until } from "./fake-server.mjs";

let server, list;

beforeEach(async () => {
  server = new FakeServer();
  server.make("list", ["a"]);
  server.respond = () => [200, { version: list.version + 1 }];
  list = await connect({ url: server.url, storage: "memory", clientID: "test" }).open("list");
  await until(() => list.state === "live");
});

afterEach(() => {
  list.close();
  list.discardWaiting();
});

/** The sections besides the first one, without their ids and their tasks. */
const sections = () =>
  list.sections.filter(({ id }) => id !== null).map(({ id: _, tasks: __, ...content }) => content);

for (const [name, act] of Object.entries({
  "its title": (id) => list.renameSection(id, "Now"),
  "its data": (id) => list.updateSection(id, { data: { color: "red" } }),
  "all of its data": (id) => list.updateSection(id, { data: null }),
  "its limit": (id) => list.updateSection(id, { maxTasks: 3 }),
  everything: (id) => list.updateSection(id, { title: "Now", data: { x: 1 }, maxTasks: 3 }),
  "its place": (id) => list.moveSection(id, 0),
  "that it exists": (id) => list.deleteSection(id),
}))
  test(`a change of a section: ${name}`, async () => {
    list.createSection("First");
    const id = list.createSection("Later", undefined, { color: "blue" });
    const before = sections();
    assert.ok(act(id));
    const after = sections();
    assert.notDeepEqual(after, before);
    for (let count = 0; count < 2; count += 1) {
      assert.ok(list.undo());
      assert.deepEqual(sections(), before);
      assert.ok(list.redo());
      assert.deepEqual(sections(), after);
    }
    await until(() => list.waiting === 0);
  });

test("an undo keeps what others have changed of the section", async () => {
  const id = list.createSection("Later");
  const change = async (op, set) => {
    await until(() => list.waiting === 0);
    const version = list.version + 1;
    const ops = [{ op, section: id, ...set }];
    server.send("list", "change", { version, at: "2026-01-01T00:00:00.000Z", ops });
    await until(() => list.version === version);
  };
  await change("section-insert", { title: "Later", position: 0 });
  list.updateSection(id, { maxTasks: 3 });
  await change("section-update", { maxTasks: 3 });
  await change("section-update", { title: "Theirs" });
  const shown = () => sections().map(({ title, maxTasks }) => [title, maxTasks]);
  assert.deepEqual(shown(), [["Theirs", 3]]);
  assert.ok(list.undo());
  assert.deepEqual(shown(), [["Theirs", undefined]]);
});
