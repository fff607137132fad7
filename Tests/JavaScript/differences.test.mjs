// What leads from one array of rows to the next one, after random steps. A failure prints its seed.
import assert from "node:assert/strict";
import { test } from "node:test";
import { List } from "../../clients/javascript/list.js";
import { Refusal } from "../../clients/javascript/refusal.js";
import { perform } from "../../clients/javascript/steps.js";
import { difference, visibleRows } from "../../clients/javascript/visible-rows.js";
import { documentOf } from "./outlines.mjs";
import { randomOf } from "./random.mjs";
import { follow } from "./table-view.mjs";

const seeds = 300;
const steps = 12;

function randomStep(list, random, number) {
  const ids = [...list.tasks.keys()];
  const [one, other] = [ids[random(ids.length)], ids[random(ids.length)]];
  const block = [...new Set([one, ids[random(ids.length)]])];
  const made = { id: `n${number}`, title: "new" };
  return [
    { kind: "move", tasks: block, to: { before: other } },
    { kind: "move", tasks: [one], to: { parent: other } },
    { kind: "move", tasks: block, to: { section: "s", position: random(3) } },
    { kind: "update", task: one, set: { title: `title ${number}`, done: random(2) === 0 } },
    { kind: "collapse", task: one, collapsed: random(2) === 0 },
    { kind: "create", task: made, to: { after: other } },
    { kind: "delete", tasks: [one] },
  ][random(7)];
}

test("a table view that follows the differences shows the rows", (t) => {
  const counts = { removed: 0, inserted: 0, moved: 0, changed: 0, movedAndChanged: 0 };
  for (let seed = 0; seed < seeds; seed += 1) {
    const { below: random } = randomOf(seed);
    const entries = [..."abcdefgh"].map((id) => ({ id, depth: 0 }));
    entries.splice(5, 0, { section: "s" });
    const list = new List(documentOf(entries));
    let before = visibleRows(list);
    for (let number = 0; number < steps && list.tasks.size > 0; number += 1) {
      // Several steps can be shown together.
      for (let count = random(3); count >= 0 && list.tasks.size > 0; count -= 1) {
        try {
          perform(list, randomStep(list, random, `${number}.${count}`));
        } catch (error) {
          if (!(error instanceof Refusal)) throw error;
        }
      }
      const after = visibleRows(list, before);
      const found = difference(before, after);
      const about = `seed ${seed}, step ${number}`;
      const table = follow(before, after, found);
      assert.deepEqual(table, [...after], about);
      // Rows that did not change are the same objects.
      assert.ok(after.every((row, index) => row === table[index]) && Object.isFrozen(after), about);
      const old = new Map(before.map((row) => [row.id, row]));
      for (const index of found.changed)
        assert.notDeepEqual(after[index], old.get(after[index].id), about);
      for (const name of Object.keys(found)) counts[name] += found[name].length;
      const changed = new Set(found.changed);
      counts.movedAndChanged += found.moved.filter(({ to }) => changed.has(to)).length;
      before = after;
    }
  }
  t.diagnostic(JSON.stringify(counts));
  for (const count of Object.values(counts)) assert.ok(count > 100);
});
