// The positions of rows: from measured heights, or from estimates. A list is one column. On a board, each section is a column.
//
// A gap between the rows can contain other rows, such as the dragged ones. Moving the gap takes constant time for any number
// of rows.

import { hasValues } from "./task-data.js";

const paddingPixels = 8;
const guessedHeights = { task: 48, section: 56, adder: 40 };
const linePixels = 16;
const noGap = { index: 0, rows: [] };
/** Rows that are held this near to the start of a board land before the first section, in a column that is not shown yet. */
const firstColumnPixels = 12;

/** The height of a row whose title has one line. */
function guessed({ kind, task }) {
  return (guessedHeights[kind] ?? 48) + (hasValues(task?.data) ? linePixels : 0);
}

export class Layout {
  /** The distance between the columns of a board; 0 for a list. `setStride` sets it. */
  stride = 0;
  #rows = [];
  /** Rows by their keys, also some that are not among the rows any more. */
  #known = new Map();
  #heights = new Map();
  /** Whether heights of rows that stay must be estimated again. */
  #isOutdated = false;
  /** The height of each row and its position in its column, without the gap. */
  #each = new Float64Array(0);
  #tops = new Float64Array([paddingPixels]);
  /** The first row of each section of a board, without the gap. The first one is for the tasks before the first section. */
  #starts = [0];
  /** The first row of each shown column, and at last the number of rows. */
  #columns = [0, 0];
  /** Whether the column before the first section is shown. */
  #hasFirst = true;
  /** The gap: it is in the section `part`, at `top`, and moves the rows before `end` down. */
  #gap = { ...noGap, tops: [0], indices: new Map(), part: 0, top: paddingPixels, end: 0 };

  get length() {
    return this.#rows.length + this.#gap.rows.length;
  }
  get height() {
    const last = this.#columns.slice(1).map((end) => (end > 0 ? this.bottom(end - 1) : 0));
    return Math.max(this.#topOf(0), ...last);
  }
  /** The width of a board. */
  get width() {
    return (this.#columns.length - 1) * this.stride;
  }

  /** Makes a list or a board of the rows that are set next. */
  setStride(stride) {
    if (!stride !== !this.stride) {
      this.forgetHeights();
      this.#rows = [];
    }
    this.stride = stride;
    this.#tops[0] = this.#topOf(0);
  }

  /** The top of a column. On a board, the tasks before the first section begin beside those of the sections. */
  #topOf(part) {
    if (!this.stride) return paddingPixels;
    return part === 0 && this.#starts.length > 1 ? guessedHeights.section : 0;
  }

  /**
   * Sets the rows. Each has a `key` and a `kind`, and also a `height` if its height is fixed. It gets the members `index` and `known`, so
   * a row is in one layout only. Passing the same array again costs nothing, and the same objects little.
   * @param gap the gap's `rows`, which are before the row at `index`. A gap for a section (`isSection`) is a column of a board
   */
  set(rows, gap = noGap) {
    if (rows !== this.#rows) this.#replace(rows);
    const { index } = gap;
    const tops = [0];
    for (const row of gap.rows) tops.push(tops.at(-1) + this.heightOf(row));
    // At the end of a section, the gap is in that section.
    const part = Math.max(0, count(this.#starts.length, (one) => this.#starts[one] < index) - 1);
    const isColumn = this.stride > 0 && gap.isSection;
    this.#gap = {
      ...gap,
      tops,
      indices: new Map(gap.rows.map((row, inside) => [row.key, inside])),
      part,
      isColumn,
      top: isColumn
        ? 0
        : index === 0
          ? this.#topOf(0)
          : this.#tops[index - 1] + this.#each[index - 1],
      end: isColumn ? index : this.#end(part),
    };
    this.#setColumns(gap.rows.length);
  }

  /** @param inside the number of rows in the gap */
  #setColumns(inside) {
    const { index, part, isColumn } = this.#gap;
    const columns = this.#starts.map((start, one) => start + (one > part ? inside : 0));
    if (isColumn) columns.splice(part + 1, 0, index);
    columns.push(this.length);
    // During a drag, the column before the first section does not leave again.
    this.#hasFirst =
      columns.length === 2 || columns[1] > 0 || (this.#hasFirst && inside > 0 && !isColumn);
    if (!this.#hasFirst) columns.shift();
    this.#columns = columns;
  }

  #end(part) {
    return this.#starts[part + 1] ?? this.#rows.length;
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
    this.#starts = this.stride ? startsOf(rows) : [0];
    this.#stack(this.stride ? 0 : start);
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
    if (!this.stride) return;
    for (const [part, start] of this.#starts.entries()) {
      if (start < length) tops[start] = this.#topOf(part);
      for (let index = Math.max(from, start); index < this.#end(part) - 1; index += 1)
        tops[index + 1] = tops[index] + each[index];
    }
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
    const { index: start, rows, tops, top, end } = this.#gap;
    if (index < start) return this.#tops[index];
    if (index - start < rows.length) return top + tops[index - start];
    const own = index - rows.length;
    return this.#tops[own] + (own < end ? tops[rows.length] : 0);
  }

  bottom(index) {
    const { index: start, rows, tops, top } = this.#gap;
    if (index < start) return this.#tops[index] + this.#each[index];
    if (index - start < rows.length) return top + tops[index - start + 1];
    return this.top(index) + this.#each[index - rows.length];
  }

  /** The distance of a row from the start side. */
  left(index) {
    return this.#columnOf(index) * this.stride;
  }

  /** The first row of a row's column, and the end after the last one. */
  column(index) {
    const column = this.#columnOf(index);
    return this.#columns.slice(column, column + 2);
  }

  #columnOf(index) {
    return count(this.#columns.length - 2, (one) => this.#columns[one + 1] <= index);
  }

  /** The columns between two horizontal positions. */
  columns(from, to) {
    const [first, end] = this.stride ? [from / this.stride, to / this.stride] : [0, 1];
    return this.#columns
      .map((start, one) => [start, this.#columns[one + 1]])
      .slice(Math.max(0, Math.floor(first)), Math.min(this.#columns.length - 1, Math.ceil(end)));
  }

  /** The row of a column at a vertical position. */
  at(y, [first, end] = this.#columns) {
    return Math.min(
      first + count(end - first, (index) => this.bottom(first + index) <= y),
      end - 1,
    );
  }

  /** The row at the same height in the column beside a row; undefined if there is none. */
  beside(index, direction) {
    const column = this.#columnOf(index) + direction;
    const [first, end] = this.#columns.slice(Math.max(0, column), column + 2);
    if (!end) return undefined;
    const hasAdder = this.row(end - 1).kind === "adder";
    return this.row(this.at(this.top(index), [first, hasAdder ? end - 1 : end]));
  }

  /** The number of the section at a horizontal position. A gap that is a column counts as one. */
  part(x) {
    if (!this.stride) return 0;
    const hidden = this.#hasFirst ? 0 : 1;
    if (hidden && x < firstColumnPixels) return 0;
    return Math.max(0, Math.min(this.#columns.length - 2, Math.floor(x / this.stride))) + hidden;
  }

  /** A horizontal position in its column. */
  offset(x) {
    return this.stride ? x % this.stride : x;
  }

  /** The row whose middle part is at a position, as if there were no gap; undefined between two rows. */
  rowAround(x, y) {
    if (this.#gap.isColumn) return undefined;
    const row = this.#rows[this.#count(this.part(x), y, 1)];
    const share = row && (y - this.#tops[row.index]) / this.#each[row.index];
    return share > 0.25 && share < 0.75 ? row : undefined;
  }

  /** The index of a gap at a position: after the rows whose middle is above the position. */
  gapAt(x, y) {
    const part = this.part(x);
    return this.#gap.isColumn
      ? (this.#starts[part] ?? this.#rows.length)
      : this.#count(part, y, 0.5);
  }

  /** The end of the rows of a section of which a share is above a position. */
  #count(part, y, share) {
    const [first, end] = this.#gaps(part);
    const isAbove = (index) => this.#tops[first + index] + this.#each[first + index] * share <= y;
    return first + count(end - first, isAbove);
  }

  /** The first and the last gap of a section. On a board, its header stays above them. */
  #gaps(part) {
    const start = this.#starts[part];
    return [start + (part > 0 && this.#rows[start].kind === "section" ? 1 : 0), this.#end(part)];
  }

  /** The first and the last place of the gap in its column. */
  get gaps() {
    return this.#gap.isColumn ? [0, this.#rows.length] : this.#gaps(this.#gap.part);
  }

  /** The gaps at the height of the gap, and at the end, in each column on one side of it. */
  *gapsBeside(direction) {
    const { part, top } = this.#gap;
    for (let one = part + direction; one in this.#starts; one += direction)
      for (const y of [top, Infinity]) yield this.#count(one, y, 0.5);
  }
}

/** The first row of each section, without the tasks before the first one: their number is always 0. */
function startsOf(rows) {
  const starts = [0];
  for (let index = 0; index < rows.length; index += 1) {
    const { section } = rows[index];
    if (section !== rows[index - 1]?.section && section.id !== null) starts.push(index);
  }
  return starts;
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
