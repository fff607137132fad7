// Where rows can be dropped.
//
// The visible rows of a list are a sequence, divided by the headers of its sections. The moved rows with their visible subtasks are
// taken out. The rest has gaps. A drop names a gap and a level, so the moved row is afterwards at exactly the named row.
import { Refusal } from "./refusal.js";

/** A gap has its `section` (null: the tasks without a section), and the `row` that the first moved row has there, in the whole list. */
export class RowLayout {
  /** The rows that stay, from top to bottom. */
  rest = [];
  /**
   * For each section: its `id`, and the indices of its first row and after its last row, among all rows (`first`, `last`) and among
   * the rest (`start`, `end`).
   */
  #groups = [];
  /** For each number of rows from the top: how many of them stay. */
  #staying = [0];
  /** The highest moved row: its index among all rows, and its section. */
  #from = {};
  #depth;
  #highest;
  #siblingsOf;

  /**
   * O(rows)
   * @param rows the visible rows: `id`, `section`, `depth` and `collapsed`
   * @param sections the ids of the sections, in order
   * @param moved the ids of the moved tasks. They can be hidden, or in another list
   * @param options `depth`: the lowest level of the moved tasks; `highest`: the highest level that the limits allow;
   *   `siblingsOf`: if tasks move only among their siblings, the `parent` and the `section` of the moved ones (null: they differ)
   */
  constructor(rows, sections, moved, { depth = 0, highest = 15, siblingsOf } = {}) {
    const going = new Set(moved);
    const { rest } = this;
    let next = 0;
    for (const id of [null, ...sections]) {
      const [first, start] = [next, rest.length];
      /** The level of a moved row, while the rows are its subtasks. */
      let carried = Infinity;
      for (; next < rows.length && rows[next].section === id; next += 1) {
        const row = rows[next];
        if (row.depth <= carried) carried = going.has(row.id) ? row.depth : Infinity;
        if (carried === Infinity) rest.push(row);
        else this.#from.index ??= next;
        this.#staying.push(rest.length);
      }
      const group = { id, first, last: next, start, end: rest.length };
      if (this.#from.index !== undefined) this.#from.group ??= group;
      this.#groups.push(group);
    }
    this.#depth = depth;
    this.#highest = highest;
    this.#siblingsOf = siblingsOf;
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
      return { section, row: this.#staying[clamp(first + toOffset, first, last)] };
    }
    const row =
      toRow === undefined
        ? this.#staying[clamp(toOffset, 0, this.#staying.length - 1)]
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

  #group(id) {
    const group = this.#groups.find((one) => one.id === id);
    if (!group) throw new Refusal("anchor_gone");
    return group;
  }

  /** The lowest and the highest level that the rows beside a gap allow. */
  #range({ section, row }) {
    const { start, end } = this.#group(section);
    const lowest = row < end ? this.rest[row].depth : 0;
    if (row === start) return [lowest, 0];
    const above = this.rest[row - 1];
    return [lowest, above.depth + (above.collapsed ? 0 : 1)];
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
    const { start, end } = this.#group(gap.section);
    const [lowest, highest] = this.#range(gap);
    if (wanted < lowest || wanted > highest) {
      const possible = text("level", lowest, highest);
      const detail = `Level ${wanted} is not possible there: the task can have ${possible}.`;
      throw new Refusal("level_not_possible", detail);
    }
    const level = wanted ?? clamp(this.#depth, lowest, Math.min(highest, this.#highest));
    const to = {};
    let position = 0;
    let index = gap.row - 1;
    for (; index >= start && this.rest[index].depth >= level; index -= 1) {
      if (this.rest[index].depth > level) continue;
      to.after ??= this.rest[index].id;
      position += 1;
    }
    if (gap.row < end && this.rest[gap.row].depth === level) to.before = this.rest[gap.row].id;
    if (index < start) to.section = gap.section;
    else to.parent = this.rest[index].id;
    return { ...to, position };
  }
}

function clamp(number, lowest, highest) {
  return Math.max(lowest, Math.min(highest, number));
}

/** For example "row 2" or "rows 2 to 4". */
function text(noun, lowest, highest) {
  return lowest === highest ? `${noun} ${lowest}` : `${noun}s ${lowest} to ${highest}`;
}
