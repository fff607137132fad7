// The ids of this device, and the names of people in them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { connect, makeID } from "../../clients/javascript/client.js";
import { nameIn, withName, withoutName } from "../../clients/javascript/ids.js";

/** After all real times, because ids never go back. */
const start = Date.UTC(2200, 0);

test("ids are UUIDs of version 7, and grow whatever the clock does", (context) => {
  let now = start;
  context.mock.method(Date, "now", () => now);
  const ids = [];
  for (const time of [0, 0, 5, 1, -1_000, 6, 6]) {
    now = start + time;
    ids.push(makeID());
  }
  for (let count = 0; count < 5_000; count += 1) ids.push(makeID()); // more than a millisecond has
  now = start + 10_000;
  ids.push(makeID());
  for (const id of ids)
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.deepEqual(ids, [...ids].sort());
  assert.equal(new Set(ids).size, ids.length);
  const times = [ids[0], ids[2], ids[3], ids.at(-1)].map(
    (id) => Number.parseInt(id.slice(0, 13).replace("-", ""), 16) - start,
  );
  assert.deepEqual(times, [0, 5, 5, 10_000]);
});

for (const [name, wanted] of [
  ["", ""],
  ["  ", ""],
  [" Anna ", "Anna~"],
  ["Zoë", "Zo%C3%AB~"],
  ["a~b", "a-b~"],
  ["x".repeat(80), `${"x".repeat(80)}~`],
  ["x".repeat(81), `${"x".repeat(80)}~`],
  [`${"x".repeat(78)}ü`, `${"x".repeat(78)}~`], // no half letter
  ["a\ud800", "a%EF%BF%BD~"],
])
  test(`the Client-Id of ${JSON.stringify(name.slice(0, 10))} begins with “${wanted.slice(0, 12)}”`, () => {
    const { clientID } = connect({ url: "http://ids.test", storage: "memory", name });
    assert.equal(clientID.slice(0, -39), wanted);
    assert.match(clientID.slice(-39), /^js-[0-9a-f-]{36}$/);
  });

test("others read the name in a Client-Id", () => {
  const names = ["", "Zoë", "a~b", "日".repeat(50), "\ud800"].map((name) => withName("id", name));
  assert.deepEqual(names.map(nameIn), [null, "Zoë", "a-b", "日".repeat(8), "\ufffd"]);
  assert.ok(names.every((one) => withoutName(one) === "id"));
  assert.deepEqual([null, "phone", "%zz~1"].map(nameIn), [null, null, null]);
});
