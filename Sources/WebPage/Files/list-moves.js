// The places of a row in the sidebar: among the lists, and in folders.
import { RowLayout } from "./client.js";

/**
 * What a move of a row needs: its `key`, the rows that move (`block`), the others (`rest`), where it is (`start`), and the `places` among the
 * others; `destination` returns that of a place in the index.
 * @param rows of a `ListOrder`
 */
export function liftOf(rows, key) {
  const rest = without(rows, key);
  const start = { index: rows.findIndex((row) => row.key === key), depth: 0 };
  start.depth = rows[start.index].depth;
  return { key, block: block(rows, key), rest, start, places: places(rest), destination };
}

/** The next place up (-1) or down (1) of what `liftOf` returned; undefined if there is none. */
export function nextPlace({ start, places }, direction) {
  const distance = ({ index, depth }) => index - start.index || start.depth - depth;
  const further = places.filter((place) => direction * distance(place) > 0);
  return further.at(direction > 0 ? 0 : -1);
}

/** The rows of a row and of what is inside. */
function block(rows, key) {
  const start = rows.findIndex((row) => row.key === key);
  let end = start + 1;
  while (end < rows.length && !rows[end].section && rows[end].depth > rows[start].depth) end += 1;
  return rows.slice(start, end);
}

/** The other rows. */
function without(rows, key) {
  const gone = new Set(block(rows, key));
  return rows.filter((row) => !gone.has(row));
}

/** Where a row can be put among others, from top to bottom: before the row at `index`, at `depth`. O(rows) */
function places(rest) {
  const { layout, gaps } = layoutOfRows(rest, (row) => row.key);
  return gaps.flatMap((gap, index) => {
    const { lowest, highest } = layout.levels(gap);
    const depths = Array.from({ length: highest - lowest + 1 }, (_, step) => highest - step);
    return depths.map((depth) => ({ index, depth }));
  });
}

/**
 * The places for a row among others. Only folders, and rows with visible rows inside, can get another row inside.
 * @param idOf the id of a row in the layout
 */
function layoutOfRows(rest, idOf) {
  const rows = [];
  const sections = [];
  /** The gap of the layout before each row, also before headers of sections, and the one after the last row. */
  const gaps = [{ section: null, row: 0 }];
  for (const [index, row] of rest.entries()) {
    const { section, depth, folder, collapsed, entry } = row;
    if (section === undefined) {
      const isOpen = folder === undefined ? rest[index + 1]?.depth > depth : !collapsed;
      rows.push({ id: idOf(row), section: sections.at(-1) ?? null, depth, collapsed: !isOpen });
    } else sections.push(entry.id);
    gaps.push({ section: sections.at(-1) ?? null, row: rows.length });
  }
  return { layout: new RowLayout(rows, sections, []), gaps };
}

/** The destination of a move to a place among rows that exist. */
function destination(rest, { index, depth }, ids) {
  const { layout, gaps } = layoutOfRows(rest, ({ key }) => ids.get(key));
  const { lowest, highest } = layout.levels(gaps[index]);
  return layout.destination(gaps[index], Math.max(lowest, Math.min(highest, depth)));
}
