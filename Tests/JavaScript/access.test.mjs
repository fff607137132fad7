// What a token allows, and links to a list.
import assert from "node:assert/strict";
import { test } from "node:test";
import { connect, mayWrite, writablePatterns } from "../../clients/javascript/client.js";
import { FakeServer } from "./fake-server.mjs";

test("a list may be changed if a grant for writing covers it", () => {
  const writable = { read: false, write: true, purge: true, admin: true };
  for (const [scope, isWritable] of Object.entries(writable)) {
    const me = { grants: [{ scope, lists: ["home", "work-*"] }] };
    assert.deepEqual(writablePatterns(me), isWritable ? ["home", "work-*"] : []);
    for (const id of ["home", "work-", "work-1"]) assert.equal(mayWrite(me, id), isWritable, id);
    for (const id of ["home2", "hom", "work", "homework-1"]) assert.ok(!mayWrite(me, id), id);
  }
  const several = {
    grants: [
      { scope: "read", lists: ["*"] },
      { scope: "write", lists: ["a"] },
    ],
  };
  assert.deepEqual([mayWrite(several, "a"), mayWrite(several, "b")], [true, false]);
  assert.ok(!mayWrite({ grants: [] }, "a"));
});

test("links are read, made and taken back", async () => {
  const server = new FakeServer();
  const lists = connect({ url: server.url, storage: "memory", clientID: "test" });
  const answers = [[200, { shares: [{ id: "s" }] }], [201, { token: "t" }], [201, {}], [204]];
  server.respond = () => answers.shift();
  assert.deepEqual(await lists.shares("a b"), [{ id: "s" }]);
  const expiresAt = new Date(0);
  assert.deepEqual(await lists.share("a b", { scope: "read", name: "Ben", expiresAt }), {
    token: "t",
  });
  await lists.share("a b", { scope: "write", history: true, expiresAt: "2027-01-01T00:00:00Z" });
  await lists.removeShare("a b", "s/1");
  const path = "/lists/a%20b/shares";
  assert.deepEqual(server.requests, [
    `GET ${path}`,
    `POST ${path} {"expiresAt":"1970-01-01T00:00:00.000Z","name":"Ben","scope":"read"}`,
    `POST ${path} {"expiresAt":"2027-01-01T00:00:00Z","history":true,"scope":"write"}`,
    `DELETE ${path}/s%2F1`,
  ]);
});
