// The places where a lifted section can be dropped: before another section, or after the last one. The tasks of the lifted section
// are hidden during the drag.
import { Refusal, countDescendants, perform, takeBack } from "./client.js";
import { words } from "./language.js";

/** Has the same interface as `Lift`, which is for tasks. */
export class SectionLift {
  tasks = [];
  refusal = null;
  isFolded = true;
  #section;
  /** The indices in `rest` at which the other sections begin, and the end of the last section. */
  #gaps = [];

  constructor(list, rows, head) {
    this.list = list;
    this.head = head;
    this.block = [];
    this.rest = [];
    for (const row of rows) {
      if (row.key === head) {
        this.#section = row.section;
        this.start = { index: this.rest.length, depth: 0 };
      }
      if (row.section === this.#section) this.block.push(row);
      else {
        if (row.kind === "section") this.#gaps.push(this.rest.length);
        this.rest.push(row);
      }
    }
    this.#gaps.push(this.rest.length);
    this.keys = new Set(this.block.map((row) => row.key));
  }

  again(list, rows) {
    return rows.some((row) => row.key === this.head)
      ? new SectionLift(list, rows, this.head)
      : null;
  }

  get count() {
    return this.pile + 1;
  }
  get pile() {
    return countDescendants(this.#section);
  }
  get visibleBlock() {
    return this.block.slice(0, 1);
  }

  place(index) {
    const distances = this.#gaps.map((gap) => Math.abs(gap - index));
    const position = distances.indexOf(Math.min(...distances));
    const place = { index: this.#gaps[position], depth: 0, to: { position } };
    return { ...place, code: this.#check(place) };
  }

  placeAtDepth() {
    return null;
  }
  onto() {
    return null;
  }

  #check(place) {
    try {
      takeBack(this.list, perform(this.list, this.step(place)).back);
      return null;
    } catch (error) {
      if (error instanceof Refusal) return error.code;
      throw error;
    }
  }

  step({ to }) {
    return { kind: "section-move", section: this.#section.id, position: to.position };
  }
  isStart({ index }) {
    return index === this.start.index;
  }
  describe({ to }) {
    return words.lifting.section(to.position + 1, this.#gaps.length);
  }
}
