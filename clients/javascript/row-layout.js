// Where rows can be dropped.
//
// The visible rows of a list are a sequence, divided by the headers of its sections. The moved rows with their visible subtasks are
// taken out. The rest has gaps. A drop names a gap and a level, so the moved row is afterwards at exactly the named row.
//
// An app can show only some of the rows. Tasks that contain a row but are not shown (`isHidden`) are in the outline, and do not count as
// rows.
import { Refusal } from "./refusal.js";

/** A gap has its `section` (null: the tasks without a section), and the `row` that the first moved row has there, in the whole list. */
export class RowLayout {
  /** The rows that stay, from top to bottom. */
  rest = [];
  /** The same with the hidden rows that stay. Without hidden rows, it is `rest` itself. */
  #outline;
  /** The index in the outline of each row that stays; null without hidden rows. */
  #indices = null;
  /**
   * For each section: its `id`, and the indices of its first row and after its last row, among all rows (`first`, `last`), among the rest
   * (`start`, `end`) and in the outline (`top`, `bottom`).
   */
  #groups = [];
  /** For each number of rows from the top: how many of them stay; null: all. */
  #staying = null;
  /** The number of all rows, without hidden ones. */
  #count = 0;
  /** The highest moved row: its index among all rows, and its section. */
  #from = {};
  #depth;
  #highest;
  #siblingsOf;
  #own;

  /**
   * O(rows)
   * @param rows the visible rows: `id`, `section`, `depth`, `collapsed` and `isHidden`
   * @param sections the ids of the sections, in order
   * @param moved the ids of the moved tasks. They can be hidden, or in another list
   * @param options `depth`: the lowest level of the moved tasks; `highest`: the highest level that the limits allow;
   *   `siblingsOf`: if tasks move only among their siblings, the `parent` and the `section` of the moved ones (null: they differ);
   *   `own`: the destination of a single task that is dropped where it was, if only some of the rows are shown;
   *   `sectionOf`: returns the id of the section of a row that has no such `section`; `areStaying`: the moved rows are not among the
   *   rows, and none is hidden. Then it is O(sections · log rows)
   * @throws {Refusal} if the rows do not have the order of the sections
   */
  constructor(rows, sections, moved, options = {}) {
    const { depth = 0, highest = 15, siblingsOf, own } = options;
    const { sectionOf = ({ section }) => section } = options;
    this.#depth = depth;
    this.#highest = highest;
    this.#siblingsOf = siblingsOf;
    this.#own = own;
    const isDivided = options.areStaying
      ? this.#keepAll(rows, sections, sectionOf)
      : this.#takeOut(moved, rows, sections, sectionOf);
    if (!isDivided)
      throw new Refusal("invalid_body", "The shown rows must have the order of the list.");
  }

  #keepAll(rows, sections, sectionOf) {
    this.rest = this.#outline = rows;
    this.#count = rows.length;
    let start = 0;
    for (const id of [null, ...sections]) {
      let [low, end] = [start, rows.length];
      while (low < end) {
        const middle = (low + end) >> 1;
        if (sectionOf(rows[middle]) === id) low = middle + 1;
        else end = middle;
      }
      this.#groups.push({ id, first: start, last: end, start, end, top: start, bottom: end });
      start = end;
    }
    return start === rows.length;
  }

  #takeOut(moved, rows, sections, sectionOf) {
    const going = new Set(moved);
    const isGoing = moved.length === 1 ? ({ id }) => id === moved[0] : ({ id }) => going.has(id);
    const { rest } = this;
    const indices = rows.some(({ isHidden }) => isHidden) ? new Uint32Array(rows.length) : null;
    const outline = indices ? [] : rest;
    const staying = (this.#staying = new Uint32Array(rows.length + 1));
    let [next, count] = [0, 0];
    for (const id of [null, ...sections]) {
      const group = { id, first: count, start: rest.length, top: outline.length };
      /** The level of a moved row, while the rows are its subtasks. */
      let carried = Infinity;
      for (; next < rows.length && sectionOf(rows[next]) === id; next += 1) {
        const row = rows[next];
        if (row.depth <= carried) carried = isGoing(row) ? row.depth : Infinity;
        const isStaying = carried === Infinity;
        if (!isStaying) this.#from.index ??= count;
        if (isStaying) outline.push(row);
        if (row.isHidden) continue;
        if (indices && isStaying) indices[rest.push(row) - 1] = outline.length - 1;
        count += 1;
        staying[count] = rest.length;
      }
      Object.assign(group, { last: count, end: rest.length, bottom: outline.length });
      if (this.#from.index !== undefined) this.#from.group ??= group;
      this.#groups.push(group);
    }
    this.#outline = outline;
    this.#indices = indices;
    this.#count = count;
    return next === rows.length;
  }

  #staysAbove(row) {
    return this.#staying ? this.#staying[row] : row;
  }

  /** All gaps, from top to bottom. */
  get gaps() {
    return this.#groups.flatMap(({ id, start, end }) =>
      Array.from({ length: end - start + 1 }, (_, inside) => ({
        section: id,
        row: start + inside,
      })),
    );
  }

  /**
   * The gap of a drop. Numbers that are too small mean the start, and numbers that are too large the end.
   * @param place one of `toRow`: the row that the first moved row has afterwards; `to`: its `section` and its `row` in the section;
   *   `toOffset`: the number of rows above it, counted with the moved rows. Beside `toRow`, `section` chooses one of the gaps with this
   *   row; beside `toOffset`, only the rows of the section count
   * @throws {Refusal} if the list has no such gap
   */
  gap({ toRow, to, toOffset, section }) {
    if (to !== undefined) {
      const { start, end } = this.#group(to.section);
      return { section: to.section, row: clamp(start + to.row, start, end) };
    }
    if (toOffset !== undefined && section !== undefined) {
      const { first, last } = this.#group(section);
      return { section, row: this.#staysAbove(clamp(first + toOffset, first, last)) };
    }
    const row =
      toRow === undefined
        ? this.#staysAbove(clamp(toOffset, 0, this.#count))
        : clamp(toRow, 0, this.rest.length);
    if (section === undefined) return { section: this.#groupOf(row).id, row };
    const { start, end } = this.#group(section);
    if (start <= row && row <= end) return { section, row };
    const place = section === null ? "the tasks without a section" : `section "${section}"`;
    const detail = `Row ${row} is not in ${place}: there, the task can have ${text("row", start, end)}.`;
    throw new Refusal("anchor_gone", detail);
  }

  /** At the border of sections, a row stays with the row that it passes: the one above if it moves down, the one below if it moves up. */
  #groupOf(row) {
    const { index, group } = this.#from;
    if (row === index) return group;
    const passed = row > index || row === this.rest.length ? row - 1 : row;
    return this.#groups.find(({ end }) => passed < end);
  }

  #inOutline(row) {
    return this.#indices ? this.#indices[row] : row;
  }

  #group(id) {
    const group = this.#groups.find((one) => one.id === id);
    if (!group) throw new Refusal("anchor_gone");
    return group;
  }

  /**
   * The places in the outline that are in a gap, from top to bottom: more than one if there are hidden rows. Each has its `index`, its
   * section (`group`), and the levels that the rows beside it allow.
   */
  #places({ section, row }) {
    const group = this.#group(section);
    const { start, end, top, bottom } = group;
    const first = row > start ? this.#inOutline(row - 1) + 1 : top;
    const last = row < end ? this.#inOutline(row) : bottom;
    const places = [];
    for (let index = first; index <= last; index += 1) {
      const lowest = index < bottom ? this.#outline[index].depth : 0;
      const above = index > top ? this.#outline[index - 1] : null;
      const highest = above ? above.depth + (above.collapsed ? 0 : 1) : 0;
      places.push({ group, index, lowest, highest });
    }
    return places;
  }

  /** The lowest and the highest level that the rows beside a gap allow. */
  #range(gap) {
    const places = this.#places(gap);
    const lowest = Math.min(...places.map((place) => place.lowest));
    return [lowest, Math.max(...places.map((place) => place.highest))];
  }

  /** Whether a gap is the one from which the moved row was taken. */
  #isOwn({ section, row }) {
    const { index, group } = this.#from;
    return section === group?.id && row === this.#staysAbove(index);
  }

  /** The levels at which the rows can be dropped in a gap, from `lowest` to `highest`; null if there are none. */
  levels(gap) {
    const [lowest, most] = this.#range(gap);
    const highest = Math.min(most, this.#highest);
    const depth = this.#depth;
    if (lowest > highest) return null;
    if (this.#siblingsOf === undefined) return { lowest, highest };
    if (this.#siblingsOf === null || depth < lowest || depth > highest) return null;
    const { parent = null } = this.destination(gap, depth);
    const isAmongSiblings =
      parent === this.#siblingsOf.parent && gap.section === this.#siblingsOf.section;
    return isAmongSiblings ? { lowest: depth, highest: depth } : null;
  }

  /**
   * The destination of a drop in a gap. It names the neighbors, so that it is still right after other moves. Other rules can refuse
   * it: see `levels`. O(rows of the section)
   * @param wanted the level. Default: the possible one that is nearest to the lowest one of the moved rows
   * @throws {Refusal} if the rows beside the gap do not allow the level
   */
  destination(gap, wanted) {
    const [lowest, highest] = this.#range(gap);
    const level = wanted ?? clamp(this.#depth, lowest, Math.min(highest, this.#highest));
    const isPossible = (place) => place.lowest <= level && level <= place.highest;
    const places = this.#places(gap).filter(isPossible);
    if (places.length === 0) {
      const possible = text("level", lowest, highest);
      const detail = `Level ${level} is not possible there: the task can have ${possible}.`;
      throw new Refusal("level_not_possible", detail);
    }
    if (this.#own && level === this.#depth && this.#isOwn(gap)) return this.#own;
    // Among hidden rows: after the sibling above, or else before the sibling below.
    const all = places.map(({ group, index }) => this.#destinationAt(group, index, level));
    const found = all.filter((to) => to !== null);
    if (found.length === 0) throw new Refusal("anchor_gone");
    return found.find(({ after }) => after) ?? found.find(({ before }) => before) ?? found[0];
  }

  /** @returns null if it is unknown */
  #destinationAt({ id, top, bottom }, place, level) {
    const outline = this.#outline;
    const to = {};
    let position = 0;
    let index = place - 1;
    for (; index >= top && outline[index].depth >= level; index -= 1) {
      if (outline[index].depth > level) continue;
      to.after ??= outline[index].id;
      position += 1;
    }
    if (place < bottom && outline[place].depth === level) to.before = outline[place].id;
    if (index < top) to.section = id;
    else to.parent = outline[index].id;
    // A hidden task is perhaps unknown, because others have changed the list.
    for (const name of ["after", "before", "parent"]) if (to[name] === null) delete to[name];
    return Object.keys(to).length === 0 ? null : { ...to, position };
  }
}

function clamp(number, lowest, highest) {
  return Math.max(lowest, Math.min(highest, number));
}

/** For example "row 2" or "rows 2 to 4". */
function text(noun, lowest, highest) {
  return lowest === highest ? `${noun} ${lowest}` : `${noun}s ${lowest} to ${highest}`;
}
