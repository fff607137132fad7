// The data of tasks, sections and lists: a step merges it as the server does (RFC 7396), and an undo restores it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { List } from "../../clients/javascript/list.js";
import { operationsOf, perform } from "../../clients/javascript/steps.js";

const cases = [
  [
    { a: 1, b: { c: 1, d: 2 } },
    { a: null, b: { d: 3 }, e: [1] },
    { b: { c: 1, d: 3 }, e: [1] },
  ],
  [undefined, { a: null, b: { c: null } }, { b: {} }],
  [[1], { a: 1 }, { a: 1 }],
  [{ a: 1 }, [2], [2]],
  [{ a: 1 }, null, undefined],
  [undefined, "x", "x"],
  [{ a: 1, b: 2 }, { a: 1 }, { a: 1, b: 2 }],
];

const kinds = {
  task: {
    make: (data) => ({ sections: [], tasks: [{ id: "t", title: "", section: null, data }] }),
    step: (data) => ({ kind: "update", task: "t", set: { data } }),
    read: (list) => list.tasks.get("t").data,
  },
  section: {
    make: (data) => ({ sections: [{ id: "s", title: "S", data }], tasks: [] }),
    step: (data) => ({ kind: "section-rename", section: "s", data }),
    read: (list) => list.section("s").data,
  },
  list: {
    make: (data) => ({ data, sections: [], tasks: [] }),
    step: (data) => ({ kind: "list", set: { data } }),
    read: (list) => list.settings.data,
  },
};

for (const [name, { make, step, read }] of Object.entries(kinds)) {
  test(`the data of a ${name} is merged, and restored by an undo`, () => {
    for (const [before, patch, after] of cases) {
      const list = new List({ id: "l", title: "", ...make(before) });
      const current = () => read(list) ?? undefined;
      const change = step(patch);
      const { undo } = perform(list, change, true);
      assert.deepEqual(current(), after);
      // The server merges, too.
      assert.deepEqual(
        JSON.parse(JSON.stringify(operationsOf(change)[0].set ?? change)).data,
        patch,
      );
      const { undo: redo } = perform(list, { kind: "group", steps: undo }, true);
      assert.deepEqual(current(), before);
      perform(list, { kind: "group", steps: redo }, true);
      assert.deepEqual(current(), after);
    }
  });

  test(`an undo of the data of a ${name} does not overwrite a later change`, () => {
    const list = new List({ id: "l", title: "", ...make({ a: 1, b: 2 }) });
    const { undo } = perform(list, step({ a: 2 }), true);
    perform(list, step({ b: 3 }), true);
    const group = { kind: "group", steps: undo };
    assert.throws(() => perform(list, group, true), { code: "undo_conflict" });
    assert.deepEqual(read(list), { a: 2, b: 3 });
  });
}
