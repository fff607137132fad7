// What the page reads in a task's `data`, and the words for a day in a title.
import assert from "node:assert/strict";
import { test } from "node:test";
import { dueIn } from "../../Sources/WebPage/Files/due-words.js";
import * as page from "../../Sources/WebPage/Files/task-data.js";

/** A Monday, in local time. */
const now = new Date(2026, 10, 30, 10);

test("members of another form are not read", () => {
  const names = ["notes", "due", "labels", "priority", "url"];
  const read = (data) => names.map((name) => page.valueIn(data, name));
  const data = {
    notes: "n",
    due: "2026-12-01",
    labels: ["a", "b"],
    priority: 2,
    url: "https://example.com/",
  };
  assert.deepEqual(read(data), Object.values(data));
  const nothing = names.map(() => undefined);
  for (const other of [
    undefined,
    null,
    7,
    "due",
    [data],
    {},
    { notes: { text: "n" }, due: { date: "2026-12-01" }, labels: "a", priority: 4, url: "x" },
    { notes: "", due: "tomorrow", labels: [], priority: "1", url: "javascript:alert(1)" },
    { notes: 1, due: "2026-02-30", labels: ["a", 1], priority: 1.5, url: "http://" },
    JSON.parse('{ "__proto__": { "notes": "n" } }'),
  ]) {
    assert.deepEqual(read(other), nothing, JSON.stringify(other));
    assert.equal(page.hasValues(other), false);
  }
  assert.ok(page.hasValues({ color: "red", notes: "n" }));
});

test("only objects get members", () => {
  for (const data of [undefined, null, {}, { a: 1 }]) assert.ok(page.hasMembers(data));
  for (const data of ["text", 0, false, ["a"]]) assert.ok(!page.hasMembers(data));
});

test("the size of data counts in bytes, with the members that stay", () => {
  const former = { app: "x".repeat(4000), notes: "y".repeat(4000) };
  assert.ok(page.isTooLarge(former, { url: "z".repeat(200) }));
  assert.ok(!page.isTooLarge(former, { notes: "z".repeat(4100) }));
  assert.ok(page.isTooLarge(former, { notes: "ü".repeat(2100) }));
  assert.ok(!page.isTooLarge(former, { notes: null }));
});

test("due dates in the words of a reader", () => {
  for (const [due, english, german, group] of [
    ["2026-11-30", "today", "heute", 1],
    ["2026-11-30T09:30:00", "today, 09:30", "heute, 09:30", 0],
    ["2026-11-30T10:30:00", "today, 10:30", "heute, 10:30", 1],
    ["2026-12-01", "tomorrow", "morgen", 2],
    ["2026-11-29", "yesterday", "gestern", 0],
    ["2026-12-04", "Fri", "Fr", 3],
    ["2026-12-06", "Sun", "So", 3],
    ["2026-12-07", "7 Dec", "7. Dez.", 4],
    ["2027-01-02", "2 Jan 2027", "2. Jan. 2027", 4],
    ["2025-12-24", "24 Dec 2025", "24. Dez. 2025", 0],
  ]) {
    const read = page.dueOf(due);
    assert.equal(page.dateWords(read, now, "en-GB"), english, due);
    assert.equal(page.dateWords(read, now, "de"), german, due);
    assert.equal(page.dueGroup(read, now), group, due);
    assert.equal(page.isOverdue(read, now), group === 0, due);
  }
  assert.equal(page.dueGroup(page.dueOf("2026-12-06"), new Date(2026, 11, 5)), 2);
  assert.equal(page.dueGroup(page.dueOf("2026-12-08"), new Date(2026, 11, 6)), 4);
});

test("a time with an offset is shown in local time, and keeps its form", () => {
  const { date, hasTime } = page.dueOf("2026-12-01T09:00:00+02:00");
  assert.deepEqual([date.toISOString(), hasTime], ["2026-12-01T07:00:00.000Z", true]);
  assert.equal(page.dueOf("2026-12-01").hasTime, false);
  const local = new Date(2026, 11, 2, 8, 15).toISOString().replace(".000Z", "Z");
  assert.equal(page.dueFrom("2026-12-02", "08:15", "2026-12-01T09:00:00Z", now), local);
  assert.equal(page.dueFrom("2026-12-02", "08:15", "2026-12-01", now), "2026-12-02T08:15:00");
  assert.equal(page.dueFrom("2026-12-02", "", "2026-12-01T09:00:00Z", now), "2026-12-02");
  assert.equal(page.dueFrom("", "08:15", undefined, now), "2026-11-30T08:15:00");
  assert.equal(page.dueFrom("", "", "2026-12-01", now), null);
});

test("words for a day at the end of a title", () => {
  const found = (title) => {
    const offer = dueIn(title, now, ["en-GB", "de"], ["on", "by", "am"]);
    return offer && `${offer.title}|${offer.due}`;
  };
  for (const [title, expected] of [
    ["milk today", "milk|2026-11-30"],
    ["Milk Tomorrow ", "Milk|2026-12-01"],
    ["milk on friday", "milk|2026-12-04"],
    ["milk Monday", "milk|2026-12-07"],
    ["milk by Tue", "milk|2026-12-01"],
    ["milk next week", "milk|2026-12-07"],
    ["milk in 3 days", "milk|2026-12-03"],
    ["milk in 1 week", "milk|2026-12-07"],
    ["milk in 2 weeks", "milk|2026-12-14"],
    ["milk 1 Dec", "milk|2026-12-01"],
    ["milk Dec 24", "milk|2026-12-24"],
    ["milk 29 November", "milk|2027-11-29"],
    ["milk March 3, 2028", "milk|2028-03-03"],
    ["milk 2026-12-01", "milk|2026-12-01"],
    ["Milch heute", "Milch|2026-11-30"],
    ["Milch morgen", "Milch|2026-12-01"],
    ["Milch übermorgen", "Milch|2026-12-02"],
    ["Milch am Freitag", "Milch|2026-12-04"],
    ["Milch nächste Woche", "Milch|2026-12-07"],
    ["Milch in 3 Tagen", "Milch|2026-12-03"],
    ["Milch 1. Dez.", "Milch|2026-12-01"],
    ["Milch 24. Dezember", "Milch|2026-12-24"],
    ["tomorrow", null],
    ["on Friday", null],
    ["milktomorrow", null],
    ["tomorrow milk", null],
    ["a 2026-02-30", null],
    ["a 0026-12-05", null],
    ["a 5 Dec 0026", null],
    ["a 31 Feb", null],
    ["Mach es so", null],
    ["", null],
  ])
    assert.equal(found(title), expected, title);
  assert.equal(dueIn("Milch morgen", now, ["en"]), null);
});
