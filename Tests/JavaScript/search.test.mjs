// A search sends its filters and its order, and reads all pages.
import assert from "node:assert/strict";
import { test } from "node:test";
import { connect } from "../../clients/javascript/client.js";
import { FakeServer } from "./fake-server.mjs";

test("a search by data", async () => {
  const server = new FakeServer();
  const lists = connect({ url: server.url, storage: "memory", clientID: "test" });
  const queries = [];
  server.respond = (method, path) => {
    const query = new URL(path, "http://server").searchParams;
    queries.push([...query].map(([name, value]) => `${name}: ${value}`));
    const isLast = query.has("cursor");
    return [200, { tasks: [{ id: isLast ? "b" : "a" }], cursor: isLast ? null : "31:" }];
  };
  const filter = ["data.due<2026-12-01", "data.label=a+b"];
  const found = await lists.search(null, { filter, order: "-data.due", limit: 5 });
  assert.deepEqual(found, [{ id: "a" }, { id: "b" }]);
  const first = ["filter: data.due<2026-12-01", "filter: data.label=a+b", "order: -data.due"];
  assert.deepEqual(queries, [
    ["limit: 5", ...first],
    ["limit: 4", ...first, "cursor: 31:"],
  ]);
  queries.length = 0;
  await lists.search("x", { filter: "!data", limit: 1 });
  assert.deepEqual(queries, [["limit: 1", "q: x", "filter: !data"]]);
  queries.length = 0;
  await lists.search(undefined, { filter: "data", limit: 1 });
  assert.deepEqual(queries, [["limit: 1", "filter: data"]]);
});
