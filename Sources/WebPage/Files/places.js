// The places where lifted tasks can be dropped: between which rows, and at which level.
import {
  Refusal,
  checkMove,
  depthOf,
  isLocked,
  layoutOf,
  rootsOf,
  sectionOf,
  subtree,
} from "./client.js";
import { words } from "./language.js";
import { endOfSection } from "./layout.js";
import { quoted } from "./words.js";

const { lifting } = words;

/** The ids of the tasks that are among the rows, in the order of the rows. */
function inOrder(rows, ids) {
  return rows.filter(({ task }) => task && ids.has(task.id)).map(({ task }) => task.id);
}

const noPart = { first: 0, last: 0, above: 0 };

export class Lift {
  /** The places without other rows: headers of sections, and rows that add tasks. */
  #layout;
  /** The parts of `rest` that are tasks: the indices of the `first` and after the `last`, and the number of tasks `above`. */
  #parts = [];

  /**
   * @param rows all rows of the list, from `List.rows`
   * @param ids the lifted tasks
   * @param head the row under the pointer
   */
  constructor(list, rows, ids, head) {
    this.list = list;
    this.head = head;
    this.ids = ids.length > 1 ? inOrder(rows, new Set(ids)) : ids;
    this.roots = rootsOf(list, this.ids);
    this.tasks = this.roots.map((root) => root.id);
    this.isFolded = list.settings.collapseSubElements;
    const at = rows.indexOf(list.tasks.get(head).row);
    const [moving, staying] = [[], []];
    let [end, count, lowest] = [0, 0, Infinity];
    for (const { row } of this.roots) {
      const first = rows.indexOf(row, end);
      if (first < 0) continue;
      const { depth } = row;
      if (first > end) staying.push(rows.slice(end, first));
      count += first - end;
      end = first + 1;
      while (rows[end]?.depth > depth) end += 1;
      moving.push(rows.slice(first, end));
      lowest = Math.min(lowest, depth);
      if (first <= at && at < end) this.start = { index: count, depth: rows[at].depth };
    }
    staying.push(rows.slice(end));
    /** The moving rows, and the others. */
    this.block = moving.flat();
    this.rest = [].concat(...staying); // `flat` takes 20 times as long
    this.keys = new Set(this.block.map((row) => row.key));
    const sections = list.sections.map(({ id }) => id);
    this.#layout = layoutOf(list, this.#withoutOthers(), sections, this.roots, {
      areStaying: true,
      depth: lowest === Infinity ? 0 : lowest,
      sectionOf: ({ section }) => section.id,
    });
  }

  /** The number of moving rows, with those of folded tasks. O(number) */
  get count() {
    return this.roots.reduce((count, root) => count + [...subtree(root)].length, 0);
  }

  /** The tasks that stay. */
  #withoutOthers() {
    const { rest } = this;
    let above = 0;
    for (let [start, end] = [0, 0]; start < rest.length; start = end) {
      end = endOfSection(rest, start);
      const first = rest[start].kind === "section" ? start + 1 : start;
      const last = rest[end - 1].kind === "adder" ? end - 1 : end;
      this.#parts.push({ first, last, above });
      above += last - first;
    }
    return [].concat(...this.#parts.map(({ first, last }) => rest.slice(first, last)));
  }

  /** The gap of the layout before a row of `rest`, or at the end. */
  #gap(index) {
    const { first, last, above } = this.#parts.findLast((part) => part.first <= index) ?? noPart;
    const row = above + Math.min(index, last) - first;
    return { section: this.rest[index - 1]?.section.id ?? null, row };
  }

  /** Lifts the same rows in the changed list. Returns null if one of them does not exist any more. */
  again(list, rows) {
    const isThere = this.tasks.every((id) => list.tasks.has(id));
    const isShown = rows.includes(list.tasks.get(this.head)?.row);
    return isThere && isShown ? new Lift(list, rows, this.ids, this.head) : null;
  }

  /** The reason why these rows cannot be lifted. */
  get refusal() {
    return this.roots.some((root) => isLocked(this.list, root)) ? "locked" : null;
  }

  /** The number of tasks, if several are lifted: they are shown as a pile with the held row on top. 0 for a single task. */
  get pile() {
    return this.roots.length > 1 ? this.roots.length : 0;
  }

  /** The lifted rows to show: all, or only the lifted tasks without their subtasks if those are folded or in a pile. */
  get visibleBlock() {
    if (!this.isFolded && !this.pile) return this.block;
    const roots = new Set(this.roots);
    return this.block.filter((row) => roots.has(row.task));
  }

  /**
   * The place before `rest[gap]`, at the allowed level nearest to the wanted one. If no level is
   * allowed, `code` is the reason.
   * @param isExact whether it is at the possible level nearest to the wanted one, allowed or not
   */
  place(gap, wantedDepth, isExact = false) {
    // A section ends before the row that adds tasks to it.
    const index = this.rest[gap - 1]?.kind === "adder" ? gap - 1 : gap;
    const levels = this.#layout.levels(this.#gap(index));
    if (!levels) return this.#placeAt(index);
    const { lowest, highest } = levels;
    const nearest = Math.max(lowest, Math.min(highest, wantedDepth));
    if (isExact) return this.#placeAt(index, nearest);
    const depths = Array.from({ length: highest - lowest + 1 }, (_, step) => lowest + step).sort(
      (one, other) => Math.abs(one - nearest) - Math.abs(other - nearest),
    );
    for (const depth of depths) {
      const place = this.#placeAt(index, depth);
      if (!place.code) return place;
    }
    return this.#placeAt(index, nearest);
  }

  /** @param depth undefined: any level, because none is allowed */
  #placeAt(index, depth) {
    const to = this.#layout.destination(this.#gap(index), depth);
    return { index, depth: depth ?? this.start.depth, to, code: this.#check(to) };
  }

  /** The place after the last subtask of a task, if a drop there is allowed; else null. */
  onto(key) {
    const above = this.rest.indexOf(this.list.tasks.get(key)?.row);
    if (above < 0) return null;
    const depth = this.rest[above].depth + 1;
    let index = above + 1;
    while (this.rest[index]?.task && this.rest[index].depth >= depth) index += 1;
    const to = { parent: key };
    return this.#check(to) ? null : { index, depth, to, code: null };
  }

  /** The same place at another level; null if that is not allowed. */
  placeAtDepth(index, depth) {
    const levels = this.#layout.levels(this.#gap(index));
    if (!levels || depth < levels.lowest || depth > levels.highest) return null;
    const place = this.#placeAt(index, depth);
    return place.code ? null : place;
  }

  #check(to) {
    try {
      checkMove(this.list, this.roots, to);
      return null;
    } catch (error) {
      if (error instanceof Refusal) return error.code;
      throw error;
    }
  }

  #staying(parent) {
    const roots = new Set(this.roots);
    return parent.children.filter((child) => !roots.has(child));
  }

  /** The step of a drop at a place. */
  step({ to }) {
    return { kind: "move", tasks: this.tasks, to };
  }

  /** Whether a place is the rows' current place. */
  isStart(place) {
    return (
      place.index === this.start.index &&
      place.depth === this.start.depth &&
      this.roots.length === 1
    );
  }

  /** A place in words. */
  describe({ to }) {
    const parent = this.list.container(to.section, to.parent);
    const staying = this.#staying(parent);
    // Hidden siblings count too.
    const above = staying.findIndex(({ id }) => id === to.after) + 1;
    const section = parent.isSection ? parent : sectionOf(parent);
    const where = [lifting.position(above + 1, staying.length + this.roots.length)];
    if (!parent.isSection)
      where.push(lifting.under(quoted(parent.title)), lifting.level(depthOf(parent) + 2));
    if (section.id !== null) where.push(lifting.inSection(quoted(section.title)));
    return where.join(", ");
  }
}
