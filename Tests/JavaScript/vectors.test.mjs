// The drops in Tests/Fixtures/row-layout.json, which the engine has made, with the client.
import assert from "node:assert/strict";
import { test } from "node:test";
import { layoutOf } from "../../clients/javascript/drops.js";
import { RowLayout } from "../../clients/javascript/row-layout.js";
import { rootsOf } from "../../clients/javascript/rules.js";
import { perform, takeBack } from "../../clients/javascript/steps.js";
import { sectionsOf, visibleRows } from "../../clients/javascript/visible-rows.js";
import { attempt } from "./attempt.mjs";
import { codeOf, listOf, lists } from "./row-vectors.mjs";

/** Why a move is refused, or null. The tree stays as it is. */
function refusalOf(tree, tasks, to) {
  const code = attempt(() => {
    takeBack(tree, perform(tree, { kind: "move", tasks, to }).back);
    return null;
  });
  return code;
}

function check(tree, shown, { tasks, depth, height, gaps, rows, offsets, sections, refusals }) {
  const foreign = tree.settings.moves === "siblings" ? null : undefined;
  const layout = tasks
    ? layoutOf(tree, shown, sectionsOf(shown), rootsOf(tree, tasks))
    : new RowLayout(
        shown,
        tree.sections.map(({ id }) => id),
        [],
        { depth, highest: 16 - height, siblingsOf: foreign },
      );
  const placed = gaps.map(({ section, row }) => ({ section, row }));
  assert.deepEqual(layout.gaps, placed);
  const finds = (place, index) => {
    const found = attempt(() => layout.gap(place));
    assert.deepEqual(found, index === null ? "anchor_gone" : placed[index], JSON.stringify(place));
  };
  for (const [toRow, index] of rows.entries()) finds({ toRow }, index);
  for (const [toOffset, index] of offsets.entries()) finds({ toOffset }, index);
  for (const { section, rows: ofList, paths, offsets: ofSection } of sections) {
    for (const [toRow, index] of ofList.entries()) finds({ toRow, section }, index);
    for (const [row, index] of paths.entries()) finds({ to: { section, row } }, index);
    for (const [toOffset, index] of ofSection.entries()) finds({ toOffset, section }, index);
  }
  let count = 0;
  for (const [number, { levels, allowed, level, places }] of gaps.entries()) {
    const gap = placed[number];
    const { lowest, highest } = layout.levels(gap) ?? {};
    assert.deepEqual(lowest === undefined ? null : [lowest, highest], allowed);
    const to = (wanted) => {
      const {
        after = null,
        before = null,
        parent = null,
        position,
      } = layout.destination(gap, wanted);
      return { after, before, parent, position };
    };
    assert.deepEqual(to(undefined), places[level - levels[0]]);
    for (const outside of [levels[0] - 1, levels[1] + 1])
      assert.equal(
        attempt(() => to(outside)),
        "level_not_possible",
      );
    for (const [index, place] of places.entries()) {
      const wanted = levels[0] + index;
      assert.deepEqual(to(wanted), place);
      if (refusals) {
        const found = refusalOf(tree, tasks, layout.destination(gap, wanted));
        assert.equal(
          found,
          codeOf(refusals[number][index]),
          `${tasks} ${JSON.stringify(gap)} ${wanted}`,
        );
      }
      count += 1;
    }
  }
  return count;
}

for (const { outline, moves, drops, rows, sections } of lists) {
  test(`drops in "${outline}", moves: ${moves}`, (t) => {
    const tree = listOf(outline, moves);
    const shown = visibleRows(tree);
    const seen = shown.map(({ id, section, depth, parent, position, collapsed }) => {
      return { collapsed, depth, id, parent, position, section };
    });
    assert.deepEqual(seen, rows);
    assert.deepEqual(
      tree.sections.map(({ id }) => id),
      sections,
    );
    let count = 0;
    for (const drop of drops) count += check(tree, shown, drop);
    t.diagnostic(`${count} places of ${drops.length} drops`);
  });
}
