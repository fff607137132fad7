// The positions of rows on a board: each section is a column, with a layout of its own. The tasks before the first section are a
// column too. Indices are those of a list.
import { Layout, endOfSection } from "./app.js";

/** The width of a column, or its share of a narrow window, and the space between two. */
const columnPixels = 300;
const columnShare = 0.85;
const narrowPixels = 480;
const betweenPixels = 16;
/** The tasks before the first section begin beside those of the sections. */
const headerPixels = 56;
/** Rows that are held this near to the start side land before the first section, in a column that is not shown yet. */
const firstColumnPixels = 12;
const noGap = { index: 0, rows: [] };

export class BoardLayout {
  /** The arrows to the sides lead to the columns beside. With Alt, they do what they do in a list. */
  keys = {
    ArrowLeft: "Before",
    ArrowRight: "After",
    "Alt+ArrowLeft": "ArrowLeft",
    "Alt+ArrowRight": "ArrowRight",
  };
  /** The distance between two columns. */
  stride = columnPixels;
  #rows = [];
  #heights = new Map();
  /** The sections, first the tasks before them: the `id`, the `layout`, the `rows` and the index of the first one, without the gap. */
  #parts = [];
  /** The shown columns: the `layout` and the index of the `first` row, with the gap. */
  #columns = [];
  #gap = { ...noGap, part: 0, isColumn: false };
  /** Whether the column before the first section is shown. */
  #hasFirst = false;

  /** Sets the width of columns for the width of the board. */
  fit(scroller) {
    const { clientWidth } = scroller;
    const width = clientWidth < narrowPixels ? Math.round(clientWidth * columnShare) : columnPixels;
    this.stride = width + betweenPixels;
    scroller.style.setProperty("--column-width", `${width}px`);
  }

  get length() {
    return this.#rows.length + this.#gap.rows.length;
  }
  get height() {
    return Math.max(0, ...this.#columns.map(({ layout }) => layout.height));
  }
  get width() {
    return this.#columns.length * this.stride;
  }

  /** As in `Layout`. A gap for a section (`isSection`) is a column. */
  set(rows, gap = noGap) {
    if (rows !== this.#rows) this.#replace(rows);
    const { index, isSection = false } = gap;
    // At the end of a section, the gap is in that section.
    const part = Math.max(
      0,
      this.#parts.findLastIndex(({ start }) => start < index),
    );
    this.#gap = { ...gap, part, isColumn: isSection };
    for (const [one, { layout, rows: own, start }] of this.#parts.entries())
      layout.set(own, one === part && !isSection ? { ...gap, index: index - start } : undefined);
    this.#setColumns();
  }

  #replace(rows) {
    const starts = [0];
    for (let start = 0; start < rows.length; start = endOfSection(rows, start))
      if (rows[start].section.id !== null) starts.push(start);
    const former = new Map(this.#parts.map((part) => [part.id, part]));
    this.#rows = rows;
    this.#parts = starts.map((start, one) => {
      const id = one > 0 ? rows[start].section.id : starts.length > 1;
      const own = rows.slice(start, starts[one + 1]);
      const before = former.get(id);
      const isSame =
        before?.rows.length === own.length && own.every((row, at) => row === before.rows[at]);
      const padding = one === 0 && starts.length > 1 ? headerPixels : 0;
      const layout = before?.layout ?? new Layout(this.#heights, padding);
      return { id, layout, rows: isSame ? before.rows : own, start };
    });
  }

  #setColumns() {
    const { part, isColumn, rows } = this.#gap;
    const columns = this.#parts.map(({ layout }) => ({ layout }));
    if (isColumn) {
      const layout = new Layout(this.#heights, 0);
      layout.set(rows);
      columns.splice(part + 1, 0, { layout });
    }
    // During a drag, the column before the first section does not leave again.
    const [{ layout }] = columns;
    const isDrag = rows.length > 0 && !isColumn;
    this.#hasFirst = this.#parts.length === 1 || layout.length > 0 || (isDrag && this.#hasFirst);
    if (!this.#hasFirst) columns.shift();
    let first = 0;
    for (const column of columns) {
      column.first = first;
      first += column.layout.length;
    }
    this.#columns = columns;
  }

  heightOf(row) {
    return this.#parts[0].layout.heightOf(row);
  }
  measured(heights) {
    for (const { layout } of this.#columns) layout.measured(heights);
  }
  forgetHeights() {
    for (const { layout } of this.#parts) layout.forgetHeights();
  }

  #columnOf(index) {
    return Math.max(
      0,
      this.#columns.findLastIndex(({ first }) => first <= index),
    );
  }

  /** An answer of the layout of a row's column. */
  #of(index, question) {
    const { layout, first } = this.#columns[this.#columnOf(index)];
    return layout[question](index - first);
  }
  row(index) {
    return this.#of(index, "row");
  }
  top(index) {
    return this.#of(index, "top");
  }
  bottom(index) {
    return this.#of(index, "bottom");
  }
  left(index) {
    return this.#columnOf(index) * this.stride;
  }

  indexOf(key) {
    for (const { layout, first } of this.#columns) {
      const index = layout.indexOf(key);
      if (index >= 0) return first + index;
    }
    return -1;
  }

  /** The first row of a row's column, and the end after the last one. */
  column(index) {
    const { first, layout } = this.#columns[this.#columnOf(index)];
    return [first, first + layout.length];
  }

  /** The columns between two horizontal positions. */
  columns(from, to) {
    return this.#columns
      .slice(Math.max(0, Math.floor(from / this.stride)), Math.ceil(to / this.stride))
      .map(({ first, layout }) => [first, first + layout.length]);
  }

  /** The row of a column at a vertical position. */
  at(y, [start] = [0]) {
    const { layout, first } = this.#columns[this.#columnOf(start)];
    return first + layout.at(y);
  }

  /** The header of a row's column, which stays in sight; -1 if there is none. */
  header(index) {
    const { layout, first } = this.#columns[this.#columnOf(index)];
    return layout.length > 0 && layout.row(0).kind === "section" ? first : -1;
  }

  /** The row at the same height in the column beside a row; undefined if there is none. */
  beside(index, direction) {
    const { layout } = this.#columns[this.#columnOf(index) + direction] ?? {};
    if (!layout?.length) return undefined;
    const at = layout.at(this.top(index));
    return layout.row(at > 0 && layout.row(at).kind === "adder" ? at - 1 : at);
  }

  // MARK: Places

  /** The number of the section at a position. A gap that is a column counts as one. */
  part(_, x) {
    const hidden = this.#hasFirst ? 0 : 1;
    if (hidden && x < firstColumnPixels) return 0;
    return Math.max(0, Math.min(this.#columns.length - 1, Math.floor(x / this.stride))) + hidden;
  }

  offset(_, x) {
    return x % this.stride;
  }

  rowAround(y, x) {
    return this.#parts[this.part(y, x)]?.layout.rowAround(y);
  }

  gapAt(y, x) {
    const part = this.part(y, x);
    return this.#gap.isColumn
      ? (this.#parts[part]?.start ?? this.#rows.length)
      : this.#gapIn(part, y);
  }

  #gapIn(part, y) {
    return Math.max(
      this.#gapsOf(part)[0],
      this.#parts[part].start + this.#parts[part].layout.gapAt(y),
    );
  }

  /** The first and the last gap of a section: its header stays above them. */
  #gapsOf(part) {
    const { start, rows } = this.#parts[part];
    return [start + (rows[0]?.kind === "section" ? 1 : 0), start + rows.length];
  }

  get gaps() {
    return this.#gap.isColumn ? [0, this.#rows.length] : this.#gapsOf(this.#gap.part);
  }

  /** The nearest allowed place in the columns on one side of the gap; otherwise one that is not allowed, or undefined. */
  placeBeside(lift, direction) {
    const { part, index } = this.#gap;
    const top = this.#parts[part].layout.top(index - this.#parts[part].start);
    let refused;
    for (let one = part + direction; one in this.#parts; one += direction) {
      for (const y of [top, Infinity]) {
        const place = lift.place(this.#gapIn(one, y), 0, true);
        if (!place.code) return place;
        refused ??= place;
      }
    }
    return refused;
  }
}
