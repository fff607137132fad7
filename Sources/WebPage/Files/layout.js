// The vertical positions of rows: from measured heights, or from estimates. A board has such a layout for each column
// (`BoardLayout`), and answers the same questions.
//
// A gap between the rows can contain other rows, such as the dragged ones. Moving the gap takes constant time for any number
// of rows.

import { hasValues } from "./task-data.js";

const guessedHeights = { task: 48, section: 56, adder: 40 };
const linePixels = 16;
const noGap = { index: 0, rows: [] };

/** The height of a row whose title has one line. */
function guessed({ kind, task }) {
  return (guessedHeights[kind] ?? 48) + (hasValues(task?.data) ? linePixels : 0);
}

/** The index after the last row of the section that begins at a row. O(log rows) */
export function endOfSection(rows, start, section = rows[start]?.section) {
  return start + count(rows.length - start, (one) => rows[start + one].section === section);
}

export class Layout {
  #rows = [];
  /** Rows by their keys, also some that are not among the rows any more. */
  #known = new Map();
  #heights;
  /** Whether heights of rows that stay must be estimated again. */
  #isOutdated = false;
  /** The height and the position of each row, without the gap. */
  #each = new Float64Array(0);
  #tops;
  #gap = { ...noGap, tops: [0], indices: new Map() };

  /** @param heights the measured heights, which other columns share. @param padding the space above the rows */
  constructor(heights = new Map(), padding = 8) {
    this.#heights = heights;
    this.#tops = new Float64Array([padding]);
  }

  get length() {
    return this.#rows.length + this.#gap.rows.length;
  }
  get height() {
    return this.top(this.length);
  }

  /**
   * Sets the rows. Each has a `key` and a `kind`, and also a `height` if its height is fixed. It gets the members `index` and `known`, so
   * a row is in one layout only. Passing the same array again costs nothing, and the same objects little.
   * @param gap the gap's `rows`, which are before the row at `index`
   */
  set(rows, gap = noGap) {
    if (rows !== this.#rows) this.#replace(rows);
    const tops = [0];
    for (const row of gap.rows) tops.push(tops.at(-1) + this.heightOf(row));
    this.#gap = {
      ...gap,
      tops,
      indices: new Map(gap.rows.map((row, inside) => [row.key, inside])),
    };
  }

  /** Rows that stay at the start or at the end keep their heights. A map is only used for the others: it is slow if it is large. */
  #replace(rows) {
    const before = this.#rows;
    const [length, former] = [rows.length, before.length];
    const most = this.#isOutdated ? 0 : Math.min(length, former);
    let start = 0;
    while (start < most && rows[start] === before[start]) start += 1;
    let staying = 0;
    while (staying < most - start && rows[length - 1 - staying] === before[former - 1 - staying])
      staying += 1;
    const end = length - staying;
    this.#reserve(length);
    this.#each.copyWithin(end, former - staying, former);
    if (length === 0) this.#known = new Map();
    for (let index = start; index < length; index += 1) rows[index].index = index;
    for (let index = start; index < end; index += 1) {
      const row = rows[index];
      this.#each[index] = row.height ?? guessed(row);
      if (row.known === this.#known) continue;
      row.known = this.#known;
      this.#known.set(row.key, row);
    }
    this.#rows = rows;
    this.#isOutdated = false;
    for (const [key, height] of this.#heights) {
      const index = this.#indexOf(key);
      if (index >= start && index < end) this.#each[index] = rows[index].height ?? height;
    }
    this.#stack(start);
  }

  #reserve(length) {
    if (this.#each.length >= length) return;
    const [each, tops] = [this.#each, this.#tops];
    this.#each = new Float64Array(length * 2);
    this.#tops = new Float64Array(length * 2 + 1);
    this.#each.set(each);
    this.#tops.set(tops);
  }

  /** The index of a row, without the gap; -1 if it is not among the rows. */
  #indexOf(key) {
    const row = this.#known.get(key);
    return row !== undefined && this.#rows[row.index] === row ? row.index : -1;
  }

  #stack(from) {
    const [each, tops, { length }] = [this.#each, this.#tops, this.#rows];
    for (let index = from; index < length; index += 1) tops[index + 1] = tops[index] + each[index];
  }

  heightOf(row) {
    return row.height ?? this.#heights.get(row.key) ?? guessed(row);
  }

  /** Stores measured heights by the rows' keys. */
  measured(heights) {
    let first = Infinity;
    for (const [key, height] of heights) {
      this.#heights.set(key, height);
      const index = this.#indexOf(key);
      if (index < 0) continue;
      this.#each[index] = height;
      first = Math.min(first, index);
    }
    this.#stack(first);
    this.set(this.#rows, this.#gap);
  }

  /** Forgets all measured heights, so that they are estimated or measured again. */
  forgetHeights() {
    this.#heights.clear();
    this.#isOutdated = true;
  }

  row(index) {
    const { index: start, rows } = this.#gap;
    if (index < start) return this.#rows[index];
    return rows[index - start] ?? this.#rows[index - rows.length];
  }

  indexOf(key) {
    const { index: start, rows, indices } = this.#gap;
    const inside = indices.get(key);
    if (inside !== undefined) return start + inside;
    const index = this.#indexOf(key);
    return index < start ? index : index + rows.length;
  }

  top(index) {
    const { index: start, rows, tops } = this.#gap;
    if (index <= start) return this.#tops[index];
    const inside = Math.min(index - start, rows.length);
    return this.#tops[index - inside] + tops[inside];
  }

  bottom(index) {
    return this.top(index + 1);
  }

  /** The distance of a row from the start side. */
  left() {
    return 0;
  }

  /** The columns, with their first rows and the ends after their last ones. */
  columns() {
    return [[0, this.length]];
  }

  /** The number of the section at a position of a board. */
  part() {
    return 0;
  }

  /** The horizontal part of a position in its column. */
  offset(_, x) {
    return x;
  }

  /** The first and the last place of the gap in its column. */
  get gaps() {
    return [0, this.#rows.length];
  }

  /** The index of the row at a vertical position. */
  at(y) {
    return Math.min(
      count(this.length, (index) => this.top(index + 1) <= y),
      this.length - 1,
    );
  }

  /** The row whose middle part is at a vertical position, as if there were no gap; undefined between two rows. */
  rowAround(y) {
    const index = count(this.#rows.length, (one) => this.#tops[one + 1] <= y);
    const share = (y - this.#tops[index]) / (this.#tops[index + 1] - this.#tops[index]);
    return share > 0.25 && share < 0.75 ? this.#rows[index] : undefined;
  }

  /** The index of a gap at a vertical position: after the rows whose middle is above the position. */
  gapAt(y) {
    return count(
      this.#rows.length,
      (index) => (this.#tops[index] + this.#tops[index + 1]) / 2 <= y,
    );
  }
}

/** The number of indices for which a condition holds. It must hold for the first indices, and for none after them. */
function count(length, holds) {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
