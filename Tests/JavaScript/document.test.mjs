// The examples of docs/clients/javascript.md that need no page.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { connect } from "../../clients/javascript/client.js";
import { FakeServer, until } from "./fake-server.mjs";

const document = readFileSync(new URL("../../docs/clients/javascript.md", import.meta.url), "utf8");

/** A function with the parameters `names` that runs the example with a word, and then returns `result`. */
function example(word, names, result) {
  const blocks = [...document.matchAll(/```js\n(.*?)```/gs)].map(([, code]) => code);
  const [code, ...more] = blocks.filter((block) => block.includes(word));
  assert.deepEqual(more, []);
  const AsyncFunction = (async () => {}).constructor;
  return new AsyncFunction(...names, `${code}; return ${result};`);
}

test("a drag is announced", async () => {
  const server = new FakeServer();
  server.make("list", ["a", "b", "c"]);
  server.respond = (method) =>
    method === "POST" ? [201, { drag: "d", expiresInSeconds: 30 }] : [204];
  const list = await connect({ url: server.url, storage: "memory" }).open("list");
  await until(() => list.state === "live");
  const [item, event] = [{}, { preventDefault() {} }];
  const drag = example("list.lift(", ["list", "task", "row", "item"], "item");
  await drag(list, { id: "a" }, 2, item);
  item.ondragstart();
  item.ondragover(event);
  await until(() => server.requests.length === 2);
  item.ondragend();
  await until(() => server.requests.length === 3);
  assert.deepEqual(server.requests, [
    'POST /lists/list/drags {"task":"a"}',
    'PATCH /drags/d {"after":"b","before":"c","position":1,"section":null}',
    "DELETE /drags/d",
  ]);
  list.close();
});

test("lists are created, copied, deleted and restored", async () => {
  const server = new FakeServer();
  server.respond = (method, path, body) => {
    if (path === "/lists") server.make(JSON.parse(body).id, ["Invite friends"]);
    if (method === "DELETE") return [204];
    if (path.startsWith("/bin")) return [200, { lists: [{ title: "Party" }], cursor: null }];
    return [201, { version: 1 }];
  };
  const act = example("lists.createList(", ["lists"], "{ list, id, copy, deleted, newIds }");
  const lists = connect({ url: server.url, storage: "memory" });
  const { list, id, copy, deleted, newIds } = await act(lists);
  assert.deepEqual([list.id, list.rows[0].title], [id, "Invite friends"]);
  assert.deepEqual([deleted[0].title, newIds], ["Party", {}]);
  const paths = ["/lists", `/lists/${id}/copy`, `/lists/${id}`, "/bin?limit=1000"];
  assert.deepEqual(
    server.requests.map((request) => request.split(" ")[1]),
    [...paths, `/lists/${id}/restore`],
  );
  assert.match(server.requests[1], new RegExp(copy));
  list.close();
});
