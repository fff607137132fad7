// Drops in rows that an app has filtered, compared with a plain array of all rows: random lists, filters and drops.
import assert from "node:assert/strict";
import { test } from "node:test";
import { destinationOf, layoutOfShown, tasksOf } from "../../clients/javascript/drops.js";
import { List } from "../../clients/javascript/list.js";
import { rootsOf } from "../../clients/javascript/rules.js";
import { perform, takeBack } from "../../clients/javascript/steps.js";
import { visibleRows } from "../../clients/javascript/visible-rows.js";
import { attempt } from "./attempt.mjs";
import { blockAt, putBack, takeOut } from "./model.mjs";
import { randomOf, seed } from "./random.mjs";
import { documentOf, isRow, textOf } from "./outlines.mjs";

const { below, chance, pick } = randomOf(seed);

/** A random list as an outline, see outlines.mjs. */
function randomOutline() {
  const outline = [];
  for (let count = 2 + below(9), next = 0; count > 0; count -= 1) {
    const above = outline.at(-1);
    const depth = below(Math.min(3, (above?.depth ?? -1) + 1) + 1);
    if (chance(0.2)) outline.push({ section: `s${(next += 1)}` });
    else outline.push({ id: "abcdefghijk"[count], depth: isRow(above ?? {}) ? depth : 0 });
  }
  const isLeaf = (depth, index) => !(outline[index + 1]?.depth > depth);
  for (const [index, row] of outline.entries())
    if (isRow(row) && isLeaf(row.depth, index)) row.collapsed = chance(0.2);
  return outline;
}

/** The filters of apps. Each returns the ids of the rows that it hides. */
const filters = [
  (rows) => rows.filter(({ depth }) => depth > 0), // cards only
  (rows) => rows.filter(() => chance(0.4)), // completed tasks
  (rows) => rows.filter(() => chance(0.3)).flatMap((row) => blockAt(rows, rows.indexOf(row))), // with their subtasks
];

/** The levels that are possible in a gap of the shown rows, each with the places in all rows, and what it leads to. */
function possibilities(taken, isKnown, first, last) {
  const found = new Map();
  for (let level = 0; level <= 4; level += 1) {
    for (let index = first; index <= last; index += 1) {
      const after = putBack(taken, index, level);
      const parent = taken.rest.slice(0, index).findLast((one) => !(one.depth >= level));
      if (after && (level === 0 || isKnown(parent)))
        found.set(level, [...(found.get(level) ?? []), { index, rows: textOf(after) }]);
    }
  }
  return found;
}

/** What a move leads to, as text; the tree stays as it is. */
function result(tree, tasks, to) {
  const { back } = perform(tree, { kind: "move", tasks, to });
  const rows = textOf(visibleRows(tree));
  takeBack(tree, back);
  return rows;
}

/** Each drop of some tasks in the shown rows. @returns how many */
function checkDrops(outline, hidden, subject) {
  const tree = new List(documentOf(outline));
  const shown = visibleRows(tree).filter(({ id }) => !hidden.has(id));
  const tasks = subject.map((index) => outline[index].id);
  const taken = takeOut(outline, subject);
  const { rest } = taken;
  const isShown = (entry) => !isRow(entry) || !hidden.has(entry.id);
  const shownRest = rest.filter(isShown);
  /** Hidden rows that contain a shown one are known to the client. */
  const isKnown = (row) => blockAt(outline, outline.indexOf(row)).some(isShown);
  const isLeft = (row) =>
    hidden.has(row.id) && isKnown(row) && !blockAt(rest, rest.indexOf(row)).some(isShown);
  const [root] = taken.blocks[0];
  const isStaying = (one) => isShown(one) && rest.includes(one);
  const start = shownRest.indexOf(outline.slice(0, subject[0]).findLast(isStaying)) + 1;
  let count = 0;
  for (let gap = 0; gap <= shownRest.length; gap += 1) {
    const [above, below] = [shownRest[gap - 1], shownRest[gap]];
    const first = above ? rest.indexOf(above) + 1 : 0;
    const last = below ? rest.indexOf(below) : rest.length;
    const header = shownRest.slice(0, gap).findLastIndex((one) => !isRow(one));
    const section = shownRest[header]?.section ?? null;
    const row = gap - header - 1;
    const inList = shownRest.slice(0, gap).filter(isRow).length;
    const ways = [{ to: { section, row } }, { toRow: inList, section }];
    const inSection = shown.filter((one) => one.section === section);
    const offset = isRow(below ?? {})
      ? inSection.findIndex(({ id }) => id === below.id)
      : inSection.length;
    ways.push({ toOffset: offset, section });
    const found = possibilities(taken, isKnown, first, last);
    for (let level = 0; level <= 4; level += 1) {
      const about = JSON.stringify({ seed, outline, hidden: [...hidden], tasks, gap, level });
      const moves = ways.map((way) =>
        attempt(() => destinationOf(tree, shown, tasks, { ...way, level })),
      );
      for (const to of moves) assert.deepEqual(to, moves[0], about);
      const [to] = moves;
      count += 1;
      if (!found.has(level)) {
        assert.equal(to, "level_not_possible", about);
        continue;
      }
      const places = found.get(level);
      const rows = attempt(() => result(tree, tasks, to));
      assert.ok(
        places.some((place) => place.rows === rows),
        `${about} ${JSON.stringify(to)} ${rows}`,
      );
      // Beside its own neighbors a task stays where it is.
      if (taken.blocks.length === 1 && gap === start && level === root.depth) {
        assert.equal(rows, textOf(outline), about);
        continue;
      }
      // The place alone means the same as the neighbors.
      const { after: _, before: __, ...alone } = to;
      assert.equal(result(tree, tasks, alone), rows, `${about} ${JSON.stringify(to)}`);
      if (rest.slice(first, last).some(isLeft)) continue;
      const isBesideAbove = isRow(above ?? {}) && above.depth >= level;
      const isBesideBelow = rest[places.at(-1).index]?.depth === level;
      const wanted = isBesideAbove || !isBesideBelow ? places[0] : places.at(-1);
      assert.equal(rows, wanted.rows, `${about} ${JSON.stringify(to)}`);
    }
  }
  return count;
}

test("each drop in filtered rows puts the tasks between the shown rows", (t) => {
  let count = 0;
  for (let round = 0; round < Number(process.env.REORDERD_OPERATIONS ?? 600); round += 1) {
    const outline = randomOutline();
    const rows = outline.filter(isRow);
    const hidden = new Set(pick(filters)(rows).map(({ id }) => id));
    const left = [...outline.keys()].filter(
      (index) => isRow(outline[index]) && !hidden.has(outline[index].id),
    );
    if (left.length === 0) continue;
    const subject = [...new Set([pick(left), ...(chance(0.3) ? [pick(left)] : [])])].sort(
      (one, other) => one - other,
    );
    count += checkDrops(outline, hidden, subject);
  }
  t.diagnostic(`seed ${seed}: ${count} drops`);
});

const outline = [
  { id: "a", depth: 0 },
  { id: "a1", depth: 1 },
  { section: "s" },
  { id: "b", depth: 0 },
  { id: "c", depth: 0 },
  { section: "t" },
  { id: "d", depth: 0 },
];

test("rows are named and counted in the shown rows", () => {
  const tree = new List(documentOf(outline));
  const cards = visibleRows(tree).filter(({ depth }) => depth === 0);
  assert.deepEqual(tasksOf(cards, { row: 1 }), ["b"]);
  assert.deepEqual(destinationOf(tree, cards, ["c"], { toOffset: 1 }), {
    before: "b",
    section: "s",
    position: 0,
  });
  assert.deepEqual(destinationOf(tree, cards, ["c"], { toRow: 1, section: null }), {
    after: "a",
    section: null,
    position: 1,
  });
  const layout = layoutOfShown(tree, cards, rootsOf(tree, ["c"]), ["c"]);
  assert.deepEqual(layout.gap({ toOffset: 1 }), { section: "s", row: 1 });
  assert.deepEqual(layout.levels({ section: null, row: 1 }), { lowest: 0, highest: 1 });
});

test("what others have done since the rows were shown", () => {
  const shown = visibleRows(new List(documentOf(outline))).filter(
    ({ id }) => id !== "a" && id !== "b",
  );
  // The section `t` is now the first one, and `a`, which contained `a1`, was deleted.
  const now = new List(
    documentOf([
      { id: "e", depth: 0 },
      { section: "t" },
      { id: "d", depth: 0 },
      { section: "s" },
      { id: "c", depth: 0 },
    ]),
  );
  assert.deepEqual(destinationOf(now, shown, ["e"], { toOffset: 2, section: "s" }).after, "c");
  assert.deepEqual(destinationOf(now, shown, ["e"], { toOffset: 2 }).before, "d");
  const gone = destinationOf(now, shown, ["e"], { toOffset: 1, section: null, level: 1 });
  assert.throws(() => perform(now, { kind: "move", tasks: ["e"], to: gone }), {
    code: "anchor_gone",
  });
});

test("a row whose parent is hidden stays below it, where it was", () => {
  const tree = new List(
    documentOf([
      { id: "c", depth: 0 },
      { id: "b", depth: 1 },
    ]),
  );
  const shown = visibleRows(tree).filter(({ id }) => id === "b");
  const rowsAfter = (place) => result(tree, ["b"], destinationOf(tree, shown, ["b"], place));
  for (const place of [{ toRow: 0 }, { toOffset: 0 }, { toOffset: 1 }, { toRow: 0, level: 1 }])
    assert.equal(rowsAfter(place), "0cnull 1bnull ");
  assert.equal(rowsAfter({ toRow: 0, level: 0 }), "0cnull 0bnull ");
  assert.throws(() => rowsAfter({ toRow: 0, level: 2 }), { code: "level_not_possible" });
});

test("hidden parents that others have moved or deleted", () => {
  const rows = [
    { id: "a", depth: 0 },
    { id: "c", depth: 0 },
    { id: "d", depth: 1 },
    { id: "b", depth: 2 },
    { id: "e", depth: 0 },
  ];
  const shown = visibleRows(new List(documentOf(rows))).filter(({ id }) => "abe".includes(id));
  const depthNow = (depths) => rows.map((row) => ({ ...row, depth: depths[row.id] ?? row.depth }));
  // `c` was deleted: `d` and `b` are at other levels.
  const up = new List(documentOf(depthNow({ d: 0, b: 1 }).filter(({ id }) => id !== "c")));
  const below = destinationOf(up, shown, ["e"], { toRow: 2, level: 2 });
  assert.equal(result(up, ["e"], below), "0anull 0dnull 1bnull 1enull ");
  assert.throws(() => destinationOf(up, shown, ["a"], { toRow: 0, level: 3 }), {
    code: "level_not_possible",
  });
  // `c` is now inside `a`.
  const inside = new List(documentOf(depthNow({ c: 1, d: 2, b: 3 })));
  const beside = destinationOf(inside, shown, ["e"], { toRow: 2, level: 2 });
  assert.equal(beside.after, "b");
});

test("what are not rows of the list in its order is refused", () => {
  const tree = new List(documentOf(outline));
  const rows = visibleRows(tree);
  const [a, a1, b, c] = rows;
  const wrongOrders = [[...rows].reverse(), [c, b], [b, b], [a1, a], [a, b, a1], [b, a]];
  const noRows = [[null], {}, [{ id: "a" }], [{ ...a, depth: -1 }], [{ ...a1, parent: null }]];
  for (const shown of [...wrongOrders, ...noRows, ["a", "b"]])
    assert.throws(() => destinationOf(tree, shown, ["c"], { toOffset: 0 }), {
      code: "invalid_body",
    });
  const others = visibleRows(new List(documentOf([{ id: "x", depth: 0 }])));
  assert.throws(() => destinationOf(tree, [...others], ["c"], { toOffset: 0 }), {
    code: "anchor_gone",
  });
  assert.deepEqual(destinationOf(tree, [], ["c"], { toOffset: 3 }), { section: null, position: 0 });
  assert.deepEqual(
    destinationOf(tree, [...rows], ["c"], { toOffset: 0 }),
    destinationOf(tree, rows, ["c"], { toOffset: 0 }),
  );
});
