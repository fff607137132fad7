// The positions of rows on a board.
import assert from "node:assert/strict";
import { register } from "node:module";
import { test } from "node:test";
import { randomOf, seed } from "./random.mjs";

// `later.js` takes the layout of a list from the first script.
const layout = new URL("../../Sources/WebPage/Files/layout.js", import.meta.url);
const hooks = `export const resolve = (name, context, next) =>
  next(name === "./app.js" ? ${JSON.stringify(layout)} : name, context);`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);
const { BoardLayout } = await import("../../Sources/WebPage/Files/board-layout.js");

const stride = 316;
const heights = { task: 48, section: 56, adder: 40 };

/** Rows of sections, of which the first one has no header. */
function rowsOf(below, round) {
  const none = { id: null };
  const rows = Array.from({ length: below(4) }, (_, one) => taskOf(none, `${round}.${one}`));
  for (let number = below(5); number > 0; number -= 1) {
    const section = { id: `${round}.${number}` };
    rows.push({ key: `s${section.id}`, kind: "section", section });
    for (let one = below(5); one > 0; one -= 1) rows.push(taskOf(section, `${section.id}.${one}`));
    rows.push({ key: `add ${section.id}`, kind: "adder", section });
  }
  return rows;
}

function taskOf(section, key) {
  return { key, kind: "task", section, task: {} };
}

/** The columns of a board with a gap, as arrays of rows. */
function columnsOf(rows, { index, rows: inside, isSection }) {
  const columns = [[]];
  for (const [one, row] of rows.entries()) {
    const isNext = row.section.id !== null && row.section !== rows[one - 1]?.section;
    if (one === index && !isSection) columns.at(-1).push(...inside);
    if (one === index && isSection) columns.push([...inside]);
    if (isNext) columns.push([]);
    columns.at(-1).push(row);
  }
  if (index === rows.length && isSection) columns.push([...inside]);
  else if (index === rows.length) columns.at(-1).push(...inside);
  return columns[0].length > 0 || columns.length === 1 ? columns : columns.slice(1);
}

test("rows of a board are placed in the columns of their sections, for every gap", () => {
  const { below } = randomOf(seed);
  for (let round = 0; round < 300; round += 1) {
    const board = new BoardLayout();
    board.fit({ clientWidth: 1000, style: { setProperty() {} } });
    const rows = rowsOf(below, round);
    const starts = rows.flatMap(({ kind }, index) => (kind === "section" ? [index] : []));
    for (let count = 0; count < 4; count += 1) {
      const inside = [{ key: "blank", kind: "blank", height: 20 + below(60) }];
      const sectionGaps = [...starts, rows.length];
      const isSection = starts.length > 0 && below(3) === 0;
      const index = isSection ? sectionGaps[below(sectionGaps.length)] : below(rows.length + 1);
      const gap = below(4) > 0 ? { index, rows: inside, isSection } : { index: 0, rows: [] };
      board.set(rows, { index: 0, rows: [] }); // as after a drag
      board.set(rows, gap);
      const about = `seed ${seed}, round ${round}, gap ${JSON.stringify(gap)}`;
      const columns = columnsOf(rows, gap);
      const all = columns.flat();
      assert.equal(board.length, all.length, about);
      assert.equal(board.width, columns.length * stride, about);
      let highest = 0;
      for (const [column, own] of columns.entries()) {
        const isMoved = gap.isSection && own[0] === inside[0];
        const isFirst = starts.length > 0 && own.every(({ section }) => !section?.id) && !isMoved;
        let top = isFirst ? heights.section : 0;
        for (const row of own) {
          const at = all.indexOf(row);
          const is = [board.row(at), board.indexOf(row.key), board.left(at), board.top(at)];
          assert.deepEqual(is, [row, at, column * stride, top], about);
          top += row.height ?? heights[row.kind];
          assert.equal(board.bottom(at), top, about);
          // The same place is found from its position.
          if (row === inside[0] && !gap.isSection && column > 0) {
            const found = board.gapAt(board.top(at), column * stride + 20);
            const header = rows.indexOf(own.find(({ kind }) => kind === "section"));
            assert.equal(found, Math.max(index, header + 1), about);
          } else if (row === inside[0] && gap.isSection)
            assert.equal(board.gapAt(0, column * stride + 20), index, about);
        }
        highest = Math.max(highest, top);
      }
      assert.equal(board.height, highest, about);
    }
  }
});
