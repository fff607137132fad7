// Another place for a list in the sidebar, chosen step by step.
import { words } from "./language.js";
import { quoted } from "./words.js";

export class Placing {
  #lift;
  #place;

  /** @param lift from `Lists.lift` */
  constructor(lift) {
    this.#lift = lift;
    this.#place = lift.start;
  }

  /** Goes to the next place up (-1) or down (1). @returns false if there is none */
  step(direction) {
    const { index, depth } = this.#place;
    const distance = (place) => place.index - index || depth - place.depth;
    const further = this.#lift.places.filter((place) => direction * distance(place) > 0);
    const next = further.at(direction > 0 ? 0 : -1);
    if (next) this.#place = next;
    return Boolean(next);
  }

  /** The chosen place; null if it is the current one. */
  get place() {
    const { index, depth } = this.#lift.start;
    return this.#place.index === index && this.#place.depth === depth ? null : this.#place;
  }

  get lift() {
    return this.#lift;
  }

  /** The place in words. */
  get text() {
    const { rest, block } = this.#lift;
    const { index, depth } = this.#place;
    const lists = (rows) => rows.filter(({ list }) => list).length;
    const above = rest.slice(0, index);
    const folder = depth > 0 && above.findLast((row) => row.depth < depth)?.folder;
    const numbers = [lists(above) + 1, lists(rest) + lists(block)];
    return folder ? words.lists.placeIn(...numbers, quoted(folder)) : words.lists.place(...numbers);
  }
}
